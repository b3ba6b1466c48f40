"""Prints a run as a story: its scenes, those that were asked for, to a terminal or as JSON."""

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rich.console import Console
from rich.text import Text

from genagents_env.cli.fact_tree import draw_tree
from genagents_env.cli.scene_text import StoryText
from genagents_env.cli.wrapped_text import Names
from genagents_env.evaluate import RunData, Scene, find_scenes
from genagents_env.evaluate.measures.diffusion import trace_run_facts
from genagents_env.evaluate.transcript import concerns
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON

_WIDEST = 100  # lines longer than this are hard to read
_NARROWEST = 60
_WORDS = ("say", "news", "whisper")


@dataclass(frozen=True, slots=True)
class SceneChoice:
    """Which scenes are asked for.

    Attributes:
        first: those that are not over before this tick.
        last: those that begin up to this tick; None for all.
        agent: those in which this person takes part or hears something.
        fact: those in which this fact is told, heard or thought to be.
        dialogue: talks, and what is said to the town, alone.
    """

    first: int = 0
    last: int | None = None
    agent: str | None = None
    fact: str | None = None
    dialogue: bool = False

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
        return self.agent is None or self.agent in (
            *scene.people,
            *(line.agent for line in scene.lines),
        )

    def _cut(self, scene: Scene) -> Scene:
        """Return a scene with the lines asked for: of nights and gatherings one's own."""
        lines, people = scene.lines, scene.people
        if self.agent is not None and scene.kind in ("sleep", "gathering"):
            people, lines = (self.agent,), tuple(one for one in lines if one.agent == self.agent)
        if self.dialogue:
            lines = tuple(one for one in lines if one.kind in (*_WORDS, "learn"))
        if scene.kind in ("talk", "activity"):
            last = self.last
            lines = tuple(
                one
                for one in lines
                if self.first <= one.tick and (last is None or one.tick <= last)
            )
        return replace(scene, people=people, lines=lines)


def print_story(data: RunData, choice: SceneChoice) -> None:
    """Print scenes to read: wrapped, in colour on a terminal, and at the end who heard what."""
    size = shutil.get_terminal_size((80, 24)).columns
    width = max(_NARROWEST, min(size, _WIDEST))
    console = Console(
        file=sys.stdout, width=width, highlight=False, markup=False, emoji=False, soft_wrap=True
    )
    text, scenes = StoryText(data, width), choice.select(find_scenes(data))
    _print(console, text.open())
    _print(console, text.tell(scenes))
    until = data.last_tick if choice.last is None else choice.last
    for spread in trace_run_facts(data):
        if choice.fact in (None, spread.fact):
            _print(console, draw_tree(spread, Names(data.names), data.reader.time, until, width))


def print_scenes(data: RunData, choice: SceneChoice) -> None:
    """Print scenes as JSON Lines, each with the town time of its ends."""
    for scene in choice.select(find_scenes(data)):
        ends = [data.reader.time(tick).isoformat() for tick in (scene.first, scene.last)]
        _print_json({"from": ends[0], "to": ends[1], **scene.as_json()})


def print_events(record: RunReader, first: int, last: int | None, agent: str | None) -> None:
    """Print events as JSON Lines, each with the town time; of one person those that concern it."""
    for event in record.events(first, last):
        if agent is None or concerns(event, agent):
            time = record.time(event.tick).isoformat()
            told = {"id": event.id, "tick": event.tick, "time": time, "kind": event.kind}
            _print_json({**told, "agent": event.agent, "data": event.data})


def _print_json(told: Mapping[str, JSON]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")


def _print(console: Console, lines: Iterable[Text]) -> None:
    for line in lines:
        console.print(line)
