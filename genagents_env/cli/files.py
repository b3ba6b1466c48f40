"""`genagents verify` and `upgrade`: whether a run file is whole, and a new one of an old one."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.options import RunFile
from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.record import Verification

DAMAGED = 1  # the exit code where a file is not whole


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(verify)
    app.command()(upgrade)


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


def upgrade(
    run_file: RunFile,
    out: Annotated[
        Path | None, typer.Option(help="Leave the file as it is, and write another.")
    ] = None,
) -> None:
    """Make a run file of an earlier format (3 or 4) a file of this one, with all that it holds."""
    from genagents_env.record import canonical_hash
    from genagents_env.record import upgrade as convert

    done = convert(run_file, out)
    for note in done.notes:
        say(note)
    say(f"{done.path} is of this version's format now; its hash is {canonical_hash(done.path)}")


def _print_parts(found: "Verification") -> None:
    said = "whole" if found.whole else "DAMAGED"
    say(f"{found.path}: {said}, {found.status or 'of unknown status'}")
    for part in found.parts:
        say(f"  {part.name:<13}{part.rows:>10,}  {part.damage or 'ok'}", indent=27)
