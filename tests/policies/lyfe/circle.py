"""A hall with a few people in it who have nothing to do but talk, and the record of their talk."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.rng import draw_index
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event
from tests.policies.harness import NAMES as NAMES
from tests.policies.harness import fields_of, write_people, write_town
from tests.policies.percepts import Value

SECONDS = 5  # of a tick
HALL = """
name = "circle"
title = "A circle of people"
description = "A few people in one room."
town = "Circle"
start = 2023-04-04T11:00:00
hours = 0.25
seconds_per_tick = 5

[rules]
hearing_radius = 8
overhear = true
phone = false

[rules.conversation]
max_members = 10
max_exchanges = 1000
turn_taking = "one_speaker"
cooldown_seconds = 0
idle_seconds = 60

[[sectors]]
name = "Hall"
common = true

[[sectors.arenas]]
name = "room"
size = [4, 4]
"""
Words = Callable[[CompletionRequest], str]


def circle(folder: Path, size: int) -> Scenario:
    """Return a hall with the first `size` of `NAMES` in it."""
    return write_town(folder, HALL + write_people(size, "Hall/room"))


def make_talk_rule(words: Words) -> Rule:
    """Return a rule that talks wherever it may and says `words`; else it waits.

    What it sums up is alike every time, and never the same.
    """

    def rule(request: CompletionRequest) -> str:
        fields = fields_of(request)
        if "option" in fields:
            return json.dumps(_choice(request))
        told = words(request) if fields == ["say"] else _alike(request)
        return json.dumps({name: told for name in fields})

    return rule


def _alike(request: CompletionRequest) -> str:
    words = vary_words(request).lower().rstrip(".").split()
    return " ".join(f"All of us talk in the hall, mostly of {word}." for word in words[:2])


def _choice(request: CompletionRequest) -> dict[str, str]:
    schema: Value = request.schema
    options = schema["properties"]["option"]
    allowed = options.get("enum") or [options["const"]]
    target = schema["properties"]["target"]
    near = (target.get("enum") or [target["const"]])[0]
    option = "talk" if "talk" in allowed else "wait"
    return {"option": option, "target": near, "subgoal": "keep company"}


def vary_words(request: CompletionRequest) -> str:
    """Return words unlike all others, of one to three sentences' length."""
    draws = (draw_index(request.seed, len(SYLLABLES), "word", k) for k in range(36))
    chosen = [SYLLABLES[k] for k in draws]
    words = ["".join(chosen[k : k + 3]) for k in range(0, len(chosen), 3)]
    return " ".join(words[: 2 + draw_index(request.seed, 11, "length")]).capitalize() + "."


SYLLABLES = tuple(a + b for a in "bdfgklmnprstvz" for b in "aeiou")


def run_circle(
    folder: Path, size: int, words: Words, ticks: int = 72, seed: int = 3, **config: Value
) -> Path:
    """Return the file of a run of so many ticks in the hall, without interviews."""
    path = folder / f"{size}-{seed}.sqlite"
    spec = RunSpec(
        TownConfig(circle(folder, size), hours=ticks * SECONDS / 3600),
        seed,
        policy=PolicySpec("lyfe", config),
    )
    engine = RunOptions(
        endpoint=ScriptedEndpoint(make_talk_rule(words)), embedder="hashed", interviews=False
    )
    assert run(spec, path, engine).status == "finished"
    return path


def events(path: Path) -> list[Event]:
    """Return everything that happened."""
    with RunReader(path) as record:
        assert record.policy_fault_count() == 0
        return list(record.events())


def sayings(happened: Sequence[Event]) -> list[Event]:
    """Return the utterances, in order."""
    return [event for event in happened if event.kind == "say"]


def stints(happened: Sequence[Event]) -> Iterator[tuple[str, int, int | None]]:
    """Yield (who, from, until) of each membership in a conversation; until is None if it lasts."""
    joined: dict[str, int] = {}
    for event in happened:
        who = event.agent or ""
        if event.kind == "converse":
            joined[who] = event.tick
        elif event.kind == "leave":
            yield who, joined.pop(who), event.tick
    yield from ((who, since, None) for who, since in joined.items())
