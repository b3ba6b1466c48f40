"""The mystery: who solves it and when, and that nobody is told what others keep to themselves."""

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
from genagents_env.study.evaluate.measures.flow import Flow, compute_flows
from genagents_env.study.evaluate.measures.success import SuccessOutcome, compute_outcomes
from tests.policies.percepts import Value
from tests.run.towns import compose_spec
from tests.scripted import neighbour

WITNESS, MURDERER, OFFICER = "Dmitri Ivanov", "Francesco Bianchi", "Lizhi Chen"


def run_mystery(folder: Path, **changes: Value) -> Path:
    """Return the file of a run of all nine, interviewed at both ends, of a quarter of an hour."""
    path = folder / "run.sqlite"
    given: dict[str, Value] = {"hours": 0.25, "seed": 2, "people": "9", **changes}
    spec = compose_spec("murder_mystery", policy=PolicySpec("lyfe"), **given)
    engine = RunOptions(endpoint=ScriptedEndpoint(neighbour), embedder="hashed")
    assert run(spec, path, engine).status == "finished"
    return path


def find_outcomes(path: Path) -> dict[str, SuccessOutcome]:
    """Return by end of the run whether the officer names the murderer, by rule."""
    with RunReader(path) as record:
        assert record.policy_fault_count() == 0
        found = [
            one for one in compute_outcomes(record) if one.success == "solved" and one.by == "rule"
        ]
    return {one.when: one for one in found}


def trace_news(path: Path) -> Flow:
    """Return how what the witness saw went from one to the other."""
    with RunReader(path) as record:
        (flow,) = (flow for flow in compute_flows(record) if flow.fact == "testimony")
    return flow


def check_causes(path: Path) -> None:
    """Check that whoever heard of it did so from somebody who knew, while they knew."""
    with RunReader(path) as record:
        knew = {WITNESS: -1}
        for event in record.events():
            if event.kind == "learn" and event.data["fact"] == "testimony":
                assert knew[event.data["source"]] < event.tick
                assert event.agent not in knew
                knew[event.agent or ""] = event.tick
    told = {one.agent: one.received for one in trace_news(path).receivers}
    assert told == {name: tick for name, tick in knew.items() if name != WITNESS}


def test_with_a_witness_who_tells_it_is_solved_and_not_before(tmp_path: Path) -> None:
    path = run_mystery(tmp_path, seed=1)
    ends = find_outcomes(path)
    assert (ends["before"].majority, ends["after"].majority) == (False, True)
    assert ends["after"].repeats == (True, True, True)
    flow = trace_news(path)
    assert len(flow.receivers) >= 6
    assert MURDERER not in {one.agent for one in flow.keepers}  # who keeps nothing said against him
    assert (flow.p_store or 0) > 0.5
    assert (flow.p_retrieve or 0) > 0.5
    check_causes(path)


def test_from_a_silent_witness_nobody_hears_and_it_is_not_solved(tmp_path: Path) -> None:
    path = run_mystery(tmp_path, hours=1 / 12, policy_for={WITNESS: "idle"})
    assert not find_outcomes(path)["after"].majority
    flow = trace_news(path)
    assert flow.receivers == ()
    assert [one.agent for one in flow.agents if one.stored or one.retrieved] in ([], [WITNESS])


MARK = re.compile(r"zq\d[a-z]+\d+")


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
    assert find_leaks(tmp_path, 2, "Sakuramachi Hotel/lobby") == set()


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
