"""`genagents hash` and `show`: looking at a run file, also while it grows."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.completion import complete_person
from genagents_env.cli.options import AsJson, RunFile
from genagents_env.cli.screen import print_cuts, print_degradation, say

if TYPE_CHECKING:
    from genagents_env.record import RunReader


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("hash")(hash_run)
    app.command()(show)


def hash_run(run_file: RunFile, as_json: AsJson = False) -> None:
    """Print the canonical hash: equal for equal runs, however often they were stopped."""
    from genagents_env.record import RunReader, canonical_hash

    found = canonical_hash(run_file)
    if not as_json:
        say(found)
        return
    with RunReader(run_file) as record:
        told = {"run": str(run_file), "hash": found, "status": record.status}
        typer.echo(json.dumps({**told, "last_tick": record.last_tick}, indent=2))


def show(
    run_file: RunFile,
    agent: Annotated[
        str | None,
        typer.Option(help="Only what this person did or heard.", autocompletion=complete_person),
    ] = None,
    first: Annotated[str | None, typer.Option("--from", help="Town time: 08:30.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Town time: 09:00.")] = None,
    story: Annotated[
        bool,
        typer.Option("--story", help="By scenes: talks, what people did, who heard what first."),
    ] = False,
    dialogue: Annotated[
        bool, typer.Option("--dialogue", help="As --story, but only what was said.")
    ] = False,
    fact: Annotated[
        str | None, typer.Option(help="As --story, but only scenes in which this fact is told.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="As JSON Lines: events, or with --story scenes.")
    ] = False,
) -> None:
    """Print what happened, to read: who went where, did what, said what to whom."""
    from genagents_env.cli.scene_output import SceneChoice, print_events, print_scenes, print_story
    from genagents_env.evaluate import RunData, format_transcript
    from genagents_env.name_search import find_person, find_word
    from genagents_env.record import RunReader

    with RunReader(run_file) as record:
        who = None if agent is None else find_person(agent, record.meta.names)
        begin = 0 if first is None else parse_tick(record, first)
        end = None if last is None else parse_tick(record, last)
        if story or dialogue or fact is not None:
            facts = (one.id for one in record.meta.scenario.facts)
            wanted = None if fact is None else find_word(fact, facts, "fact")
            choice = SceneChoice(begin, end, who, wanted, dialogue)
            (print_scenes if as_json else print_story)(RunData(record), choice)
        elif as_json:
            print_events(record, begin, end, who)
        else:
            for line in format_transcript(record.events(begin, end), record.time, who):
                say(line, indent=10)
        print_degradation(record.find_degradation())
        print_cuts(record.find_prompt_cuts())


def parse_tick(record: "RunReader", text: str) -> int:
    """Return the tick of a town time: a clock time is one of the run's first day."""
    from genagents_env.record.town_times import parse_time

    return record.tick_at(parse_time(record, text))
