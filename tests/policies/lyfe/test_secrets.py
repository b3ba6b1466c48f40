"""Nobody is told what others keep to themselves: not by a prompt, not before it was said aloud.

What each person is, wants and remembers has a mark of its own; whoever reads one in a prompt is
that person, or has heard it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policy import Profile
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.run.policies import find_policy_class
from genagents_env.scenario import Scenario, load_scenario
from tests.policies.percepts import Value
from tests.scripted import neighbour

MARK = re.compile(r"zq\d[a-z]+\d+")
MURDERER, OFFICER = "Francesco Bianchi", "Lizhi Chen"


def mark_secrets(scenario: Scenario) -> Scenario:
    """Return the scenario with a mark in all that is private; it begins with whose it is."""

    def mark(at: int, kind: str, texts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(
            f"{text.rstrip('.')}, zq{at}{kind}{k}." if isinstance(text, str) else text
            for k, text in enumerate(texts)
        )

    people = []
    for at, one in enumerate(scenario.people):
        ties = (
            tie.model_copy(update={"about": f"{tie.about}, zq{at}tie{k}"})
            for k, tie in enumerate(one.relationships)
        )
        changes: dict[str, Value] = {
            "goal": f"{one.goal} It is for zq{at}goal0.",
            "persona": f"{one.persona}; {one.name} likes zq{at}persona0",
            "memories": mark(at, "memory", one.memories),
            "recent_memories": mark(at, "recent", one.recent_memories),
            "relationships": tuple(ties),
        }
        people.append(one.model_copy(update=changes))
    return scenario.model_copy(update={"people": tuple(people)})


def find_leaks(folder: Path, minutes: float, place: str | None = None) -> set[tuple[str, str]]:
    """Let all nine live so long, interviewed at both ends; return who read which marks unheard."""
    scenario = mark_secrets(load_scenario("murder_mystery", "9", place))
    own = {one.name: f"zq{at}" for at, one in enumerate(scenario.people)}
    town = TownConfig(scenario, hours=minutes / 60)
    spec = RunSpec(town, 2, policy=PolicySpec("lyfe"), repeats=1)
    engine = RunOptions(endpoint=ScriptedEndpoint(neighbour), embedder="hashed")
    assert run(spec, folder / "run.sqlite", engine).status == "finished"
    heard: dict[tuple[str, str], int] = {}
    with RunReader(folder / "run.sqlite") as record:
        assert record.policy_fault_count() == 0
        for event in record.events():
            for mark in MARK.findall(event.data["text"]) if event.kind == "say" else ():
                for name in event.data["heard_by"]:
                    heard.setdefault((name, mark), event.tick)
        read = {
            (call.agent, mark, call.tick)
            for call, messages in record.prompts()
            for mark in MARK.findall("".join(message.content for message in messages))
        }
    assert heard
    for name, begins in own.items():
        assert {mark for who, mark, _ in read if who == name and mark.startswith(begins)}
    return {
        (name, mark)
        for name, mark, tick in read
        if not mark.startswith(own[name]) and heard.get((name, mark), tick + 1) > tick
    }


def test_in_one_room_nobody_is_told_what_others_keep_to_themselves(tmp_path: Path) -> None:
    assert find_leaks(tmp_path, 3, "Sakuramachi Hotel/lobby") == set()


@pytest.mark.slow
def test_in_the_whole_mystery_nobody_is_told_what_others_keep_to_themselves(
    tmp_path: Path,
) -> None:
    assert find_leaks(tmp_path, 15) == set()


def test_a_mind_that_knows_too_much_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lyfe: Any = find_policy_class("lyfe")
    begin = lyfe.reset

    def leaking(self: Any, profiles: Mapping[str, Profile], *given: Any) -> None:
        theirs = next(text for text in profiles[MURDERER].memories if "zq" in text)
        officer = profiles[OFFICER]
        knowing = replace(officer, memories=(*officer.memories, theirs))
        begin(self, {**profiles, OFFICER: knowing}, *given)

    monkeypatch.setattr(lyfe, "reset", leaking)
    assert {name for name, _ in find_leaks(tmp_path, 1, "Sakuramachi Hotel/lobby")} == {OFFICER}
