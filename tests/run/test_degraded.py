"""A run in which a policy failed is degraded: it says so, and strictly it stops there."""

from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, Progress, RunResult, resume, run
from genagents_env.show.summary import describe_run, run_as_json
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
