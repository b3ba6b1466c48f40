"""A policy that fails idles its own agents; its run is degraded, says so, and strictly it stops."""

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from genagents_env import town_v0
from genagents_env.actions import Action, Idle, Move
from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.policy import Infos, Observations, Policy
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import (
    PolicyGroups,
    PolicySpec,
    Progress,
    RunResult,
    RunSpec,
    resume,
    rollout,
    run,
)
from genagents_env.run.play import play
from genagents_env.scenario import load_scenario
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.world.events import Event
from tests.run.towns import Value, make_options, make_spec

ADA, BEN = "Ada Brook", "Ben Carver"
TIRED = """
from genagents_env.actions import Idle
from genagents_env.policy import Answer, Policy


class Tired(Policy):
    name = "tired"
    remembers = True

    def reset(self, profiles, seed, context):
        self.ticks = 0

    def act(self, observations, infos):
        self.ticks += 1
        if self.ticks >= 5:
            raise ValueError("\\x1b[31mout of ideas\\ud800")
        return {agent: Idle("thinking") for agent in observations}

    def interview(self, agent, questions, repeat=0):
        return [Answer("Nothing.") for _ in questions]

    def state(self):
        return {"ticks": self.ticks}

    def load_state(self, state):
        self.ticks = state["ticks"]
"""
FIXED = TIRED.replace("self.ticks >= 5", "self.ticks >= 500")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return the file of a policy that raises from tick 5 on."""
    path = tmp_path / "mine.py"
    path.write_text(TIRED)
    return path


def live(mine: Path, **changes: Value) -> RunResult:
    town = make_spec(ticks=15, policy=PolicySpec(str(mine)))
    return run(town, mine.with_name("run.sqlite"), make_options(**changes))


def test_decisions_are_those_of_people_in_town(mine: Path) -> None:
    tiny = load_scenario("tiny")
    ada, ben = tiny.people
    away = tiny.model_copy(update={"people": (ada, ben.model_copy(update={"present": False}))})
    spec = RunSpec(TownConfig(away, hours=15 / 360), policy=PolicySpec(str(mine)))
    run(spec, mine.with_name("run.sqlite"), make_options())
    with RunReader(mine.with_name("run.sqlite")) as record:
        found = record.find_degradation()
    assert (found.decisions, found.failures[0].count) == (15, 11)


def test_a_run_in_which_a_policy_raises_from_tick_five_is_degraded(mine: Path) -> None:
    moments: list[Progress] = []
    result = live(mine, watch=moments.append)
    errors_at = {moment.tick: (moment.policy_errors, moment.policy_error) for moment in moments}
    assert errors_at[4] == (0, "")
    assert errors_at[5] == (2, f"policy tired failed for {ADA} at tick 5: ValueError: out of ideas")
    assert errors_at[15][0] == 22
    assert (result.status, result.exit_code) == ("finished", 4)
    (failure,) = result.degradation.failures
    assert (failure.policy, failure.count, failure.agents) == ("tired", 22, (ADA, BEN))
    assert (failure.tick, failure.agent) == (5, ADA)
    with RunReader(result.path) as record:
        assert run_as_json(record)["degraded"] is True
        lines = list(describe_run(record))
    assert (
        "DEGRADED: policy tired failed in 22 of 30 decisions (Ada Brook, Ben Carver idled); first "
        "at tick 5, Ada Brook: ValueError: out of ideas" in lines
    )


def test_a_strict_run_stops_at_the_first_error_and_goes_on_once_it_is_corrected_or_accepted(
    mine: Path,
) -> None:
    result = live(mine, strict=True, checkpoint_every=2)
    path, accepted = result.path, result.path.with_name("accepted.sqlite")
    assert (result.status, result.exit_code, result.tick) == ("failed", 4, 4)
    assert f"policy tired failed for {ADA} at tick 5: ValueError: out of ideas" in result.message
    assert f"genagents resume {path} --trust {mine}" in result.message
    with RunReader(path) as record:
        assert (record.status, record.policy_fault_count()) == ("failed", 0)
    accepted.write_bytes(path.read_bytes())
    assert resume(accepted, make_options()).exit_code == 4
    mine.write_text(FIXED)
    assert resume(path, make_options(strict=True, policies=(str(mine),))).exit_code == 0
    for code, resumed in ((TIRED, accepted), (FIXED, path)):
        mine.write_text(code)
        whole = mine.with_name("whole.sqlite")
        run(make_spec(ticks=15, policy=PolicySpec(str(mine))), whole, make_options(), force=True)
        assert canonical_hash(resumed) == canonical_hash(whole)


def test_a_strict_run_stops_at_an_answer_that_is_no_action_or_no_answer(mine: Path) -> None:
    mine.write_text(FIXED.replace('Idle("thinking") for', '"nonsense" for'))
    result = live(mine, strict=True)
    assert (result.status, result.tick) == ("failed", 0)
    assert "at tick 1: str is not an action" in result.message
    result.path.unlink()
    mine.write_text(FIXED.replace('[Answer("Nothing.") for _ in questions]', "[]"))
    result = live(mine, strict=True)
    assert (result.status, result.tick) == ("failed", 0)
    assert "answers to an interview" in result.message


class Walker(Policy):
    name = "walker"

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        return {a: Move(infos[a]["percept"].known[-1]) for a in observations}


class Raises(Policy):
    name = "raises"

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        raise RuntimeError("no \x1b[31midea")


async def leave(policy: Policy, observations: Observations, infos: Infos) -> None:
    sys.exit(3)


def hang(policy: Policy, observations: Observations, infos: Infos) -> None:
    threading.Event().wait(60)


async def sleep(policy: Policy, observations: Observations, infos: Infos) -> None:
    await asyncio.sleep(3600)


def empty(policy: Policy, observations: Value, infos: Value) -> dict[str, Action]:
    agents = list(observations)
    observations.clear()
    infos.clear()
    return dict.fromkeys(agents, Idle())


def make_bad(name: str, **methods: object) -> Policy:
    bad: Policy = type("Bad", (Policy,), {"name": name, **methods})()
    return bad


NONSENSE = {ADA: object(), BEN: Move("everywhere"), "Nobody": Idle(), 7: None}
HANGING = ("hangs", "hangs_async")
EMPTIES = make_bad("empties", act=empty)


def bens_events(
    bad: Policy, cycles: int = 6, deadline: float = 60.0
) -> tuple[list[Event], list[str]]:
    """Return what Ben did beside Ada, whom `bad` decides for, and the kinds of its faults."""
    env = town_v0.parallel_env("tiny", max_cycles=cycles, percepts=True)
    observations, infos = env.reset(seed=1)
    cast = PolicyGroups({ADA: bad, BEN: Walker()}, deadline=deadline)
    cast.reset(env.profiles(), 1, env.context())
    done = asyncio.run(play(env, cast, observations, infos, keep_events=True))
    cast.close()
    events = [e._replace(id=0) for e in done.events if e.agent == BEN]
    assert all(fault.agent == ADA for fault in done.faults)
    return events, sorted({fault.kind for fault in done.faults})


@pytest.mark.parametrize(
    ("bad", "kinds"),
    [
        (Raises(), ["raised"]),
        (make_bad("exits", act_async=leave), ["raised"]),
        (make_bad("hangs", act=hang), ["hung"]),
        (make_bad("hangs_async", act_async=sleep), ["hung"]),
        (make_bad("coroutine", act=lambda bad, *given: bad.act_async(*given)), ["nonsense"]),
        (make_bad("nonsense", act=lambda bad, *given: NONSENSE), ["nonsense"]),
        (make_bad("beyond", act=lambda bad, *given: {ADA: 99_999}), ["nonsense"]),
        (make_bad("untold", act=lambda bad, *given: {ADA: {"type": "fly"}}), ["nonsense"]),
        (EMPTIES, []),
    ],
    ids=lambda value: value.name if isinstance(value, Policy) else "",
)
def test_a_faulty_policy_idles_its_own_agents_only(bad: Policy, kinds: list[str]) -> None:
    # Of one that hangs every tick is waited for, long enough for Ben on a busy machine.
    cycles, deadline = (3, 2.0) if bad.name in HANGING else (6, 60.0)
    events, found = bens_events(bad, cycles, deadline)
    assert found == kinds
    assert events == bens_events(EMPTIES, cycles)[0]
    assert events


def test_a_policy_may_end_the_run_with_our_own_errors() -> None:
    async def end(policy: Policy, observations: Observations, infos: Infos) -> None:
        raise ExceptionGroup("several", [ValueError(), PolicyError("the end")])

    with pytest.raises(PolicyError, match="the end"):
        bens_events(make_bad("ends", act_async=end))


class BadState(Walker):
    name = "bad_state"

    def __init__(self, state: object) -> None:
        self.now = state

    def state(self) -> Any:
        if self.now is None:
            raise ValueError("lost")
        return self.now


@pytest.mark.parametrize("state", [None, {"a": {1, 2}}, {"a": float("nan")}])
def test_a_state_that_cannot_be_had_names_its_policy(state: object) -> None:
    groups = PolicyGroups({ADA: BadState(state), BEN: Walker()})
    with pytest.raises(PolicyError, match="policy bad_state cannot return its state"):
        groups.state(check=True)


def test_a_rollout_raises_what_a_policy_raises_unless_it_is_isolated() -> None:
    env = town_v0.parallel_env("tiny", max_cycles=20)
    assert rollout(env, {ADA: "idle", BEN: Walker()}, max_ticks=3).ticks == 3
    with pytest.raises(RuntimeError, match="idea"):
        rollout(env, Raises())
    with pytest.raises(ConfigError, match=f"no policy for {BEN}"):
        rollout(env, {ADA: "idle"})
    assert len(rollout(env, Raises(), isolate=True, max_ticks=2).faults) == 4


NOTING = """
from genagents_env.llm.calls import CallKey
from genagents_env.policy import MindNote, Policy
class Noting(Policy):
    name = "noting"
    def act(self, observations, infos):
        return {{}}
    def take_notes(self):
        {notes}
"""


@pytest.mark.parametrize(
    ("notes", "why"),
    [
        ("raise ValueError('oh')", r"ValueError: oh"),
        ("return 7", "TypeError"),
        ("return ['a boat']", "AttributeError"),
        ("return [MindNote(CallKey('Ada Brook', 0, '', 0), 'wonder', '')]", "no kind of note"),
        ("return [MindNote(CallKey('Ada Brook', 0, '', 0), 'cut', '[]')]", "no count of lines"),
    ],
)
def test_notes_that_cannot_be_kept_end_the_run_with_the_name_of_their_policy(
    tmp_path: Path, notes: str, why: str
) -> None:
    (tmp_path / "noting.py").write_text(NOTING.format(notes=notes))
    policy = PolicySpec(str(tmp_path / "noting.py"))
    with pytest.raises(PolicyError, match=f"policy noting cannot return its notes .*{why}"):
        run(make_spec(ticks=3, policy=policy), tmp_path / "run.sqlite", make_options())
