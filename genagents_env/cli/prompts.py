"""`genagents prompts`: what the prompts of runs are made of, and what found no room in them."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.options import AsJson
from genagents_env.cli.screen import say


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(prompts)


def prompts(
    run_files: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="The run files; counted together.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show what prompts are made of: tokens, sections and memories by purpose, and what was cut.

    Tokens are those that the endpoint counted, beside the bound by which prompts are fitted. A
    section is named by the words that its lines begin with; `(system)` is the system message and
    `(words)` what stands around the data. Cut are prompts that had no room for all lines of a
    section: memories are no such section, they fill the room that is left. To give prompts more
    room: the option `prompt_tokens` of the policy.
    """
    from genagents_env.evaluate.prompt_shares import measure_prompts
    from genagents_env.record import RunReader
    from genagents_env.report.prompt_tables import make_prompt_tables

    with ExitStack() as stack:
        found = measure_prompts([stack.enter_context(RunReader(path)) for path in run_files])
    if as_json:
        told = {"runs": list(map(str, run_files)), "prompts": [one.as_json() for one in found]}
        typer.echo(json.dumps(told, indent=2))
        return
    if not found:
        say("no model was asked")
    for table in make_prompt_tables(found):
        for line in table.format_lines():
            say(line, indent=4)
