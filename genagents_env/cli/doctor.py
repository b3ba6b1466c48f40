"""`genagents doctor`: what this machine and a model server can do, a line each."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from genagents_env.cli.options import AsJson, Endpoint, Model, make_options
from genagents_env.cli.screen import print_json, say
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
    findings = []
    for finding in _look(options, calls=calls, quiet=as_json):
        findings.append(finding)
        if not as_json:
            _print(finding)
    if as_json:
        told = [asdict(finding) for finding in findings]
        print_json({"findings": told}, redact_environment)
    raise typer.Exit(2 if _has_fault(findings) else 0)


def _has_fault(findings: Iterable[Finding]) -> bool:
    return any(finding.verdict == "fault" for finding in findings)


def _print(finding: Finding) -> None:
    advice = f" - {finding.advice}" if finding.advice else ""
    line = redact_environment(f"{finding.name}: {finding.text}{advice}")
    say(f"{_MARKS[finding.verdict]}  {line}", indent=7)


def _look(options: RunOptions, *, calls: bool, quiet: bool) -> Iterator[Finding]:
    """Yield what is found, as it is found; the model is asked only where `calls` is set."""
    yield from check_machine()
    served = list(_check_server(options)) if is_served(options.model) else []
    yield from served
    name = options.model or ""
    if _has_fault(served):
        return
    if name.partition(":")[0] == "scripted":
        yield Finding("model", "ok", f"{name} answers by rule; there is nothing to ask")
    elif not calls:
        yield Finding("answers", "ok", "not looked at (--no-calls)")
    else:
        try:
            endpoint = open_model(options)
            if not quiet:
                _announce(endpoint, options)
            yield from run_sync(ask_endpoint(endpoint, options))
        except GenagentsError as error:
            yield Finding("model", "fault", str(error))


def _check_server(options: RunOptions) -> Iterable[Finding]:
    base_url, api_key = opening.read_endpoint_variables()
    listing = opening.list_models(base_url or opening.DEFAULT_BASE_URL, api_key)
    model = options.model or (None if base_url else opening.DEFAULT_MODEL)
    return check_listing(model, listing)


def _announce(endpoint: ModelEndpoint, options: RunOptions) -> None:
    tokens, dollars = bound_cost(endpoint, options)
    price = "price unknown" if dollars is None else f"${dollars:.4f}"
    if endpoint.price is not None and endpoint.price.source:
        price = f"{price}; prices of {endpoint.price.source}"
    say(f"Asking {endpoint.model}: up to {CALLS + 1} calls, {tokens:,} tokens at most ({price})")
