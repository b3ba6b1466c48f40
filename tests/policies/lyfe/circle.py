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
from genagents_env.world.events import Event
from tests.policies.ai_town.square import square
from tests.policies.harness import NAMES as NAMES
from tests.policies.harness import fields_of
from tests.policies.percepts import Value

SECONDS = 5  # of a tick
Words = Callable[[CompletionRequest], str]


def make_talk_rule(words: Words) -> Rule:
    """Return a rule that talks wherever it may and says `words`; else it waits.

    What it sums up is alike every time, and never the same.
    """

    def rule(request: CompletionRequest) -> str:
        fields = fields_of(request)
        if "option" not in fields:
            about = vary_words(request).lower().rstrip(".").split()[:2]
            alike = " ".join(f"All of us talk in the hall, mostly of {word}." for word in about)
            told = words(request) if fields == ["say"] else alike
            return json.dumps({name: told for name in fields})
        parts: Value = request.schema["properties"] if request.schema else {}
        options, targets = (
            parts[name].get("enum") or [parts[name]["const"]] for name in ("option", "target")
        )
        option = "talk" if "talk" in options else "wait"
        return json.dumps({"option": option, "target": targets[0], "subgoal": "keep company"})

    return rule


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
    rules: dict[str, Value] = {"members": 10, "exchanges": 1000, "cooldown": 0, "idle": 60}
    scenario = square(folder, size, "Square/hall", seconds=SECONDS, **rules)
    spec = RunSpec(
        TownConfig(scenario, hours=ticks * SECONDS / 3600),
        seed,
        policy=PolicySpec("lyfe", config),
    )
    engine = RunOptions(
        endpoint=ScriptedEndpoint(make_talk_rule(words)), embedder="hashed", interviews=False
    )
    assert run(spec, path, engine).status == "finished"
    return path


def events(path: Path) -> list[Event]:
    with RunReader(path) as record:
        assert record.policy_fault_count() == 0
        return list(record.events())


def sayings(happened: Sequence[Event]) -> list[Event]:
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
