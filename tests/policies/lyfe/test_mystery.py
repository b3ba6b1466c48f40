"""The mystery is solved when it can be, by those who pass on what a witness says, and only then."""

from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, run
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


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_with_a_witness_who_tells_it_is_solved_and_not_before(tmp_path: Path, seed: int) -> None:
    path = run_mystery(tmp_path, seed=seed)
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
    path = run_mystery(tmp_path, hours=1 / 6, policy_for={WITNESS: "idle"})
    assert not find_outcomes(path)["after"].majority
    flow = trace_news(path)
    assert flow.receivers == ()
    assert [one.agent for one in flow.agents if one.stored or one.retrieved] in ([], [WITNESS])
