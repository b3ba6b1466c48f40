"""`genagents verify`: whether a run file is whole."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.record import Verification

DAMAGED = 1  # the exit code where a file is not whole


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(verify)


def verify(
    run_files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one object a file.")] = False,
) -> None:
    """Say what is whole of run files, table by table; exit code 1 where something is not."""
    from genagents_env.record import verify as find_damage

    whole = True
    for path in run_files:
        found = find_damage(path)
        whole = whole and found.whole
        if as_json:
            say(json.dumps({**asdict(found), "path": str(path), "whole": found.whole}))
        else:
            _print_parts(found)
    if not whole:
        raise typer.Exit(DAMAGED)


def _print_parts(found: "Verification") -> None:
    said = "whole" if found.whole else "DAMAGED"
    say(f"{found.path}: {said}, {found.status or 'of unknown status'}")
    for part in found.parts:
        say(f"  {part.name:<13}{part.rows:>10,}  {part.damage or 'ok'}", indent=27)
