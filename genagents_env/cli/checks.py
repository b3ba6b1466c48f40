"""`genagents validate`, `verify` and `hash`: whether a scenario or a run file is whole."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.options import AsJson, RunFile
from genagents_env.cli.screen import print_json, say, say_lines, warn
from genagents_env.errors import GenagentsError
from genagents_env.record import RunReader, Verification, canonical_hash
from genagents_env.record import verify as verify_file
from genagents_env.scenario.cost import estimate_cost
from genagents_env.scenario.loader import inspect_folder
from genagents_env.scenario.town import lay_out, list_warnings

DAMAGED = 1  # the exit code where a file is damaged
_ALLOWED, _LONG_LIST = "; allowed: ", 80  # characters from which a list is printed once
_LONG = 1800  # seconds: from here on the time that a scenario takes is printed
app = typer.Typer()


@app.command()
def validate(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a scenario.")],
) -> None:
    """Check a scenario and print every fault, a line each.

    Warnings, such as tiles that nobody can reach, are printed as well.
    """
    inspected = inspect_folder(folder)
    for line in _shorten(inspected.faults):
        say(line, error=True)
    scenario = inspected.scenario
    if scenario is None or inspected.faults:
        raise typer.Exit(2)
    plan = lay_out(scenario)
    say_lines((*inspected.warnings, *list_warnings(plan)), indent=0)
    cost = estimate_cost(scenario, plan)
    long = f"; about {cost.tick:.1f} s a tick, {cost.run / 3600:.1f} hours for its "
    say(f"{folder}: valid" + (f"{long}{scenario.hours:g} hours" if cost.run > _LONG else ""))


def _shorten(faults: Iterable[str]) -> Iterator[str]:
    """Yield the faults, each long list of what is allowed in full only the first time."""
    first: dict[str, str] = {}
    for fault in faults:
        text, _, allowed = fault.partition(_ALLOWED)
        where = first.setdefault(allowed, text.split(": ")[0])
        repeated = len(allowed) > _LONG_LIST and not text.startswith(f"{where}: ")
        yield f"{text}{_ALLOWED}as of {where}" if repeated else fault


@app.command()
def verify(
    run_files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per file.")] = False,
) -> None:
    """Check run files for damage, table by table; exit code 1 if one is damaged."""
    whole, unread = True, 0
    for path in run_files:
        try:
            verification = verify_file(path)
        except GenagentsError as error:  # the others are checked all the same
            warn(str(error))
            unread = error.exit_code
            continue
        whole = whole and verification.whole
        if as_json:
            say(
                json.dumps({**asdict(verification), "path": str(path), "whole": verification.whole})
            )
        else:
            _print_parts(verification)
    raise typer.Exit(unread if whole else DAMAGED)


def _print_parts(verification: Verification) -> None:
    verdict = "whole" if verification.whole else "DAMAGED"
    say(f"{verification.path}: {verdict}, {verification.status or 'of unknown status'}")
    for part in verification.parts:
        say(f"  {part.name:<13}{part.rows:>10,}  {part.damage or 'ok'}", indent=27)


@app.command("hash")
def print_hash(run_file: RunFile, as_json: AsJson = False) -> None:
    """Print the canonical hash: equal runs have equal hashes, however often they were stopped."""
    digest = canonical_hash(run_file)
    if not as_json:
        say(digest)
        return
    with RunReader(run_file) as record:
        data = {"run": str(run_file), "hash": digest, "status": record.status}
        print_json({**data, "last_tick": record.last_tick})
