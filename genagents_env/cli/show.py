"""`genagents show` and `prompts`: what happened in a run, and what its models were asked."""

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from genagents_env.cli.options import AsJson, RunFile
from genagents_env.cli.scene_text import StoryText
from genagents_env.cli.screen import find_width, print_json, say, say_lines, warn
from genagents_env.errors import ConfigError
from genagents_env.name_search import find_person, find_word
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.record.town_times import find_tick, parse_time
from genagents_env.show.story import Scene, find_scenes
from genagents_env.show.summary import describe_notices
from genagents_env.show.transcript import concerns, format_transcript
from genagents_env.study.evaluate import RunData
from genagents_env.study.evaluate.prompt_shares import measure_prompts
from genagents_env.study.report.study_tables import tabulate_prompts

_WIDEST = 100  # lines longer than this are hard to read
_NARROWEST = 60
_WORDS = ("say", "news", "whisper")
app = typer.Typer()


@app.command()
def show(
    run_file: RunFile,
    agent: Annotated[
        str | None,
        typer.Option(
            help="Only events that this person took part in or heard.",
        ),
    ] = None,
    first: Annotated[
        str | None, typer.Option("--from", help="Town time, such as 08:30; else the start.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", help="Town time, such as 09:00; else the end.")
    ] = None,
    story: Annotated[
        bool,
        typer.Option("--story", help="Print scenes: talks, activities, who heard a fact first."),
    ] = False,
    dialogue: Annotated[bool, typer.Option("--dialogue", help="As --story, talks only.")] = False,
    fact: Annotated[
        str | None, typer.Option(help="As --story, only scenes about this fact.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON Lines: events, or with --story scenes.")
    ] = False,
) -> None:
    """Print what happened in a run: who went where, did what, and said what to whom.

    Example: genagents show run.sqlite --story --agent klaus --from 09:00
    """
    with RunReader(run_file) as record:
        who = None if agent is None else find_person(agent, record.meta.names)
        begin = 0 if first is None else find_tick(record, first, "--from")
        end = None if last is None else record.tick_at(parse_time(record, last))
        if end is not None and end < begin:
            raise ConfigError(f"--to {last}: it is before --from {first or 'the start'}")
        if story or dialogue or fact is not None:
            facts = (known.id for known in record.meta.scenario.facts)
            wanted = None if fact is None else find_word(fact, facts, "fact")
            choice = _SceneChoice(begin, end, who, wanted, dialogue)
            (_print_scenes if as_json else _print_story)(RunData(record), choice)
        elif as_json:
            _print_events(record, begin, end, who)
        else:
            say_lines(format_transcript(record.events(begin, end), record.time, who), indent=10)
        for line in describe_notices(record):
            warn(line)


@app.command()
def prompts(
    run_files: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="The run files; counted together.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show the contents of prompts by purpose: tokens, sections, memories, and what was cut.

    Tokens are counted by the endpoint; beside them is the estimate by which prompts are cut. A
    section is named by the words its lines begin with; `(system)` is the system message, `(words)`
    the text around the data. A prompt is cut if it has no room for all lines of a section; memories
    fill the remaining room, and do not count as cut. The policy's option `prompt_tokens` gives
    prompts more room.
    """
    with ExitStack() as stack:
        shares = measure_prompts([stack.enter_context(RunReader(path)) for path in run_files])
    if as_json:
        rows = [share.as_json() for share in shares]
        print_json({"runs": list(map(str, run_files)), "prompts": rows})
        return
    if shares:
        say_lines(tabulate_prompts(shares).format_lines(find_width()))
    else:
        say("no model was asked")


@dataclass(frozen=True, slots=True)
class _SceneChoice:
    """The scenes to print.

    Attributes:
        first: those that are not over before this tick.
        last: those that begin up to this tick; None for all.
        agent: those in which this person takes part or hears something.
        fact: those in which this fact is told, heard or thought to be.
        dialogue: talks, and what is said to the town, alone.
    """

    first: int
    last: int | None
    agent: str | None
    fact: str | None
    dialogue: bool

    def select(self, scenes: Iterable[Scene]) -> list[Scene]:
        """Return the scenes asked for, without lines of another time."""
        cut = (self._cut(scene) for scene in scenes if self._wants(scene))
        return [scene for scene in cut if scene.lines]

    def _wants(self, scene: Scene) -> bool:
        if scene.last < self.first or (self.last is not None and scene.first > self.last):
            return False
        if self.dialogue and not any(line.kind in _WORDS for line in scene.lines):
            return False
        if self.fact is not None and not any(self.fact in line.facts for line in scene.lines):
            return False
        people = (*scene.people, *(line.agent for line in scene.lines))
        return self.agent is None or self.agent in people

    def _cut(self, scene: Scene) -> Scene:
        """Return a scene with the lines to print: of nights and gatherings the person's own."""
        lines, people = scene.lines, scene.people
        if self.agent is not None and scene.kind in ("sleep", "gathering"):
            people, lines = (self.agent,), tuple(x for x in lines if x.agent == self.agent)
        if self.dialogue:
            lines = tuple(line for line in lines if line.kind in (*_WORDS, "learn"))
        if scene.kind in ("talk", "activity"):
            last = scene.last if self.last is None else self.last
            lines = tuple(line for line in lines if self.first <= line.tick <= last)
        return replace(scene, people=people, lines=lines)


def _print_story(data: RunData, choice: _SceneChoice) -> None:
    """Print scenes to read: wrapped, in colour on a terminal."""
    size = shutil.get_terminal_size((80, 24)).columns
    width = max(_NARROWEST, min(size, _WIDEST))
    console = Console(
        file=sys.stdout, width=width, highlight=False, markup=False, emoji=False, soft_wrap=True
    )

    text = StoryText(data, width)
    for line in chain(text.open(), text.tell(choice.select(find_scenes(data)))):
        console.print(line)


def _print_scenes(data: RunData, choice: _SceneChoice) -> None:
    """Print scenes as JSON Lines, each with the town time of its ends."""
    for scene in choice.select(find_scenes(data)):
        ends = [data.reader.time(tick).isoformat() for tick in (scene.first, scene.last)]
        _print_line({"from": ends[0], "to": ends[1], **asdict(scene)})


def _print_events(record: RunReader, first: int, last: int | None, agent: str | None) -> None:
    """Print events as JSON Lines, each with the town time; of one person those that concern it."""
    for event in record.events(first, last):
        if agent is None or concerns(event, agent):
            time = record.time(event.tick).isoformat()
            head = {"id": event.id, "tick": event.tick, "time": time, "kind": event.kind}
            _print_line({**head, "agent": event.agent, "data": event.data})


def _print_line(data: Mapping[str, JSON]) -> None:
    sys.stdout.write(json.dumps(data) + "\n")
