"""`genagents doctor`: what this machine and a model server can do, a line each."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated

import typer

from genagents_env.cli.options import AsJson, Endpoint, Model, make_options
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError, GenagentsError
from genagents_env.llm import open as opening
from genagents_env.llm.calls import Endpoint as ModelEndpoint
from genagents_env.llm.event_loop import run_sync
from genagents_env.llm.open import is_served
from genagents_env.llm.redact import redact_environment
from genagents_env.run import RunOptions
from genagents_env.run.checkup import (
    CALLS,
    Finding,
    ask_endpoint,
    bound_cost,
    check_listing,
    check_machine,
)
from genagents_env.run.models import open_model

_MARKS = {"ok": "ok   ", "note": "note ", "fault": "FAULT"}
app = typer.Typer()


@app.command()
def doctor(
    model: Model = None,
    calls: Annotated[
        bool,
        typer.Option(
            "--calls/--no-calls", help="Ask the model a few questions; --no-calls costs nothing."
        ),
    ] = True,
    as_json: AsJson = False,
    endpoint: Endpoint = None,
) -> None:
    """Check Python, extras, cache, cores and the model, and print what to do.

    A model server is asked a dozen small questions; their highest cost is printed first. Exit code
    2 if a run could not work.

    Example: genagents doctor --model gpt-4o-mini
    """
    options = make_options(model=model, endpoint=endpoint)
    if options.concurrency is not None:
        raise ConfigError("--endpoint concurrency: doctor finds out how many are answered at once")
    checkup = _Checkup(options, quiet=as_json)
    checkup.add(check_machine())
    checkup.check_model(calls)
    if as_json:
        findings = [asdict(finding) for finding in checkup.findings]
        typer.echo(redact_environment(json.dumps({"findings": findings}, indent=2)))
    raise typer.Exit(2 if checkup.has_fault else 0)


class _Checkup:
    """The findings so far, each printed as it is made unless `quiet`."""

    def __init__(self, options: RunOptions, *, quiet: bool) -> None:
        self._options, self._quiet = options, quiet
        self.findings: list[Finding] = []

    @property
    def has_fault(self) -> bool:
        return any(finding.verdict == "fault" for finding in self.findings)

    def add(self, findings: Iterable[Finding]) -> None:
        """Add findings, and print them."""
        for finding in findings:
            self.findings.append(finding)
            if not self._quiet:
                advice = f" - {finding.advice}" if finding.advice else ""
                line = redact_environment(f"{finding.name}: {finding.text}{advice}")
                say(f"{_MARKS[finding.verdict]}  {line}", indent=7)

    def check_model(self, calls: bool) -> None:
        """Look at the model and its server; ask it only where `calls` is set."""
        name, before = self._options.model or "", len(self.findings)
        if is_served(self._options.model):
            self._check_server()
        if any(finding.verdict == "fault" for finding in self.findings[before:]):
            return
        if name.partition(":")[0] == "scripted":
            self.add([Finding("model", "ok", f"{name} answers by rule; there is nothing to ask")])
        elif not calls:
            self.add([Finding("answers", "ok", "not looked at (--no-calls)")])
        else:
            try:
                self._ask()
            except GenagentsError as error:
                self.add([Finding("model", "fault", str(error))])

    def _check_server(self) -> None:

        base_url, api_key = opening.read_endpoint_variables()
        listing = opening.list_models(base_url or opening.DEFAULT_BASE_URL, api_key)
        model = self._options.model or (None if base_url else opening.DEFAULT_MODEL)
        self.add(check_listing(model, listing))

    def _ask(self) -> None:

        endpoint = open_model(self._options)
        if not self._quiet:
            _announce(endpoint, self._options)
        self.add(run_sync(ask_endpoint(endpoint, self._options)))


def _announce(endpoint: ModelEndpoint, options: RunOptions) -> None:

    tokens, dollars = bound_cost(endpoint, options)
    price = "price unknown" if dollars is None else f"${dollars:.4f}"
    if endpoint.price is not None and endpoint.price.source:
        price = f"{price}; prices of {endpoint.price.source}"
    say(f"Asking {endpoint.model}: up to {CALLS + 1} calls, {tokens:,} tokens at most ({price})")
