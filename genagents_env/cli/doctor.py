"""`genagents doctor`: what this machine and a model server are good for, a line each."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.model_flags import NO_FLAGS, ModelFlags, take_model_flags
from genagents_env.cli.options import (
    AsJson,
    Model,
)
from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.llm.calls import Endpoint
    from genagents_env.run import RunOptions
    from genagents_env.run.checkup import Finding

_MARKS = {"ok": "ok   ", "note": "note ", "fault": "FAULT"}


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(doctor)


@take_model_flags
def doctor(
    model: Model = None,
    calls: Annotated[
        bool, typer.Option("--calls/--no-calls", help="Ask the model; without, all is free.")
    ] = True,
    as_json: AsJson = False,
    model_flags: ModelFlags = NO_FLAGS,
) -> None:
    """Check Python, extras, cache, cores and the model: what works, and what to do.

    Exit code 2 where a run could not work. A model server is asked a dozen small questions; how
    much they can cost is said first.

    Example: genagents doctor --model gpt-4o-mini
    """
    from genagents_env.llm.redact import redact_environment
    from genagents_env.run import RunOptions
    from genagents_env.run.checkup import check_machine

    how = model_flags.make_options()
    options = RunOptions(model=model, model_options=how)
    found = list(check_machine())
    if not as_json:
        _print_findings(found)
    of_model = _check_model(options, calls, as_json)
    found += of_model
    if as_json:
        told = json.dumps({"findings": [asdict(one) for one in found]}, indent=2)
        typer.echo(redact_environment(told))
    raise typer.Exit(2 if any(one.verdict == "fault" for one in found) else 0)


def _check_model(options: "RunOptions", calls: bool, quiet: bool) -> "list[Finding]":
    """Return what is found of the model, printed as it is found unless `quiet`."""
    from genagents_env.errors import GenagentsError
    from genagents_env.event_loop import run_sync
    from genagents_env.llm.open import is_served
    from genagents_env.run.checkup import Finding, ask_endpoint
    from genagents_env.run.models import open_model

    name = options.model or ""
    served = is_served(options.model)
    found = _check_server(options) if served else []
    if not quiet:
        _print_findings(found)
    if any(one.verdict == "fault" for one in found):
        return found
    more: list[Finding] = []
    if name.partition(":")[0] == "scripted":
        more = [Finding("model", "ok", f"{name} answers by rule; there is nothing to ask")]
    elif not calls:
        more = [Finding("answers", "ok", "not looked at (--no-calls)")]
    else:
        try:
            endpoint = open_model(options)
            if not quiet:
                _announce(endpoint, options)
            more = run_sync(ask_endpoint(endpoint, options))
        except GenagentsError as error:
            more = [Finding("model", "fault", str(error))]
    if not quiet:
        _print_findings(more)
    return [*found, *more]


def _check_server(options: "RunOptions") -> "list[Finding]":
    from genagents_env.llm import open as opening
    from genagents_env.run.checkup import check_listing

    base_url, api_key = opening.read_endpoint_variables()
    listing = opening.list_models(base_url or opening.DEFAULT_BASE_URL, api_key)
    model = options.model or (None if base_url else opening.DEFAULT_MODEL)
    return list(check_listing(model, listing))


def _announce(endpoint: "Endpoint", options: "RunOptions") -> None:
    from genagents_env.run.checkup import CALLS, bound_cost

    tokens, dollars = bound_cost(endpoint, options)
    price = "price unknown" if dollars is None else f"${dollars:.4f}"
    if endpoint.price is not None and endpoint.price.source:
        price = f"{price}; prices of {endpoint.price.source}"
    say(f"Asking {endpoint.model}: up to {CALLS + 1} calls, {tokens:,} tokens at most ({price})")


def _print_findings(findings: "Sequence[Finding]") -> None:
    from genagents_env.llm.redact import redact_environment

    for one in findings:
        advice = f" - {one.advice}" if one.advice else ""
        line = redact_environment(f"{one.name}: {one.text}{advice}")
        say(f"{_MARKS[one.verdict]}  {line}", indent=7)
