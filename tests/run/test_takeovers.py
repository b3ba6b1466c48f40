"""Another policy takes over some people where a run is forked."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunSpec, fork, interview, resume, run
from genagents_env.show.summary import describe_run
from genagents_env.show.view.mind import read_mind
from tests.run.towns import Killed, stop_at
from tests.scripted import neighbour

ISABELLA, MARIA, KLAUS = PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller")
LAST, TICK = 60, 40


def make_options(**changes: object) -> RunOptions:
    endpoint = ScriptedEndpoint(neighbour)
    own = {"embedder": "hashed", "checkpoint_every": 25, "interviews": False, **changes}
    return RunOptions(endpoint=endpoint, **own)  # type: ignore[arg-type]


def make_run(path: Path, policy: str, policy_for: Mapping[str, str] | None = None) -> Path:
    town = TownConfig(
        "valentines_party", start="10:00", hours=LAST / 360, people=PEOPLE, place="Hobbs Cafe"
    )
    spec = RunSpec(town, policy=PolicySpec(policy), policy_for=policy_for or {})
    assert run(spec, path, make_options()).status == "finished"
    return path


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("parent") / "run.sqlite", "smallville")


def list_chain(path: Path, ticks: range) -> list[bytes | None]:
    with RunReader(path) as record:
        return [record.find_checksum(tick) for tick in ticks]


@pytest.mark.parametrize("policy", ["reactive", "smallville"])
def test_both_runs_are_the_same_until_the_other_policy_takes_over(
    parent: Path, tmp_path: Path, policy: str
) -> None:
    config = {"reflection": False} if policy == "smallville" else {}
    chosen = {"klaus": PolicySpec(policy, config)}
    result = fork(parent, tmp_path / "fork.sqlite", TICK, (), make_options(), policy_for=chosen)
    assert result.status == "finished"
    assert list_chain(parent, range(TICK + 1)) == list_chain(result.path, range(TICK + 1))
    with RunReader(result.path) as record:
        assert record.meta.policies[KLAUS]["name"] == policy
        assert record.meta.find_policy(KLAUS, TICK) == "smallville"
        assert record.meta.find_policy(KLAUS, TICK + 1) == policy
        assert record.policy_fault_count() == 0
        told = f"Takeover: {KLAUS} by smallville until 10:06:40, then by {policy}"
        assert told in describe_run(record)
    carried = policy == "smallville"
    assert (result.note == "") is carried
    assert carried or f"{KLAUS} begins with nothing" in result.note


def test_a_mind_that_takes_over_remembers_what_the_one_before_did_and_can_be_asked(
    parent: Path, tmp_path: Path
) -> None:
    chosen = {KLAUS: PolicySpec("smallville", {"reflection": False})}
    path = fork(parent, tmp_path / "fork.sqlite", TICK, (), make_options(), policy_for=chosen).path
    with RunReader(parent) as before, RunReader(path) as after:
        old = {memory.text for memory in read_mind(before, KLAUS).content.memories}
        new = {memory.text for memory in read_mind(after, KLAUS).content.memories}
        (takeover,) = after.meta.takeovers
        assert takeover.past is not None
        assert {memory.text for memory in takeover.past.memories} <= new
        assert len(old & new) > 5
        assert read_mind(after, MARIA).content.memories
    answers = interview(path, [KLAUS, MARIA], ["Where are you?"], options=make_options())
    assert all(answers[agent][0][1].text for agent in (KLAUS, MARIA))
    with pytest.raises(ConfigError, match="took over at 10:06:40"):
        interview(path, [MARIA], ["Where are you?"], TICK - 1, make_options())


def test_a_killed_takeover_resumes_to_the_same_record(parent: Path, tmp_path: Path) -> None:
    chosen = {KLAUS: PolicySpec("reactive"), MARIA: PolicySpec("reactive")}
    whole = fork(parent, tmp_path / "whole.sqlite", TICK, (), make_options(), policy_for=chosen)
    for kill_at in (TICK, LAST - 5):
        path = tmp_path / f"{kill_at}.sqlite"
        how = make_options(on_phase=stop_at(kill_at + 1))
        with pytest.raises(Killed):
            fork(parent, path, TICK, (), how, policy_for=chosen)
        assert resume(path, make_options()).status == "finished"
        assert canonical_hash(path) == canonical_hash(whole.path)


def test_a_fork_of_a_takeover_is_the_same_and_may_be_taken_over_again(
    parent: Path, tmp_path: Path
) -> None:
    options = make_options()
    chosen = {KLAUS: PolicySpec("reactive")}
    first = fork(parent, tmp_path / "first.sqlite", TICK, (), options, policy_for=chosen)
    same = fork(first.path, tmp_path / "same.sqlite", TICK + 8, (), options)
    assert canonical_hash(same.path) == canonical_hash(first.path)
    before = fork(first.path, tmp_path / "before.sqlite", TICK - 4, (), options)
    assert canonical_hash(before.path) == canonical_hash(parent)
    both = {KLAUS: PolicySpec("idle"), MARIA: PolicySpec("reactive")}
    again = fork(first.path, tmp_path / "again.sqlite", TICK + 8, (), options, policy_for=both)
    with RunReader(before.path) as former, RunReader(again.path) as record:
        assert former.meta.takeovers == ()
        own = [record.meta.find_policy(KLAUS, tick) for tick in (TICK, TICK + 8, LAST)]
        assert own == ["smallville", "reactive", "idle"]
        assert record.policy_fault_count() == 0
    back = fork(again.path, tmp_path / "back.sqlite", TICK + 12, (), options)
    assert canonical_hash(back.path) == canonical_hash(again.path)


@pytest.mark.parametrize(
    ("agent", "policy", "error"),
    [
        ("Nobody", PolicySpec("idle"), ConfigError),
        (KLAUS, PolicySpec("no_such"), PolicyError),
        (KLAUS, PolicySpec("solution"), PolicyError),
        (KLAUS, PolicySpec("idle", {"speed": 3}), PolicyError),
    ],
)
def test_what_cannot_take_over_is_refused_and_writes_nothing(
    parent: Path, tmp_path: Path, agent: str, policy: PolicySpec, error: type[Exception]
) -> None:
    path = tmp_path / "fork.sqlite"
    with pytest.raises(error, match=r"Nobody|no_such|solution|speed"):
        fork(parent, path, TICK, (), make_options(), policy_for={agent: policy})
    assert list(tmp_path.iterdir()) == []


def test_a_policy_that_others_have_from_the_start_takes_over_alone(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run.sqlite", "scripted", {"Klaus": "idle"})
    chosen = {KLAUS: PolicySpec("scripted")}
    result = fork(path, tmp_path / "fork.sqlite", TICK, (), make_options(), policy_for=chosen)
    assert result.status == "finished"
    with RunReader(result.path) as record:
        assert record.policy_fault_count() == 0
        assert [since for _, since in record.meta.list_groups()] == [-1, TICK]


STILL = """
from genagents_env.actions import Idle
from genagents_env.policy import Policy

class Still(Policy):
    name = "still"

    def act(self, observations, infos):
        return {agent: Idle() for agent in observations}
"""


def test_who_took_over_by_path_is_trusted_by_name_and_not_run_once_its_file_has_changed(
    tmp_path: Path,
) -> None:
    parent, file = make_run(tmp_path / "run.sqlite", "scripted"), tmp_path / "still.py"
    file.write_text(STILL)
    still = f"{file}:Still"
    chosen = {KLAUS: PolicySpec(still)}
    path = fork(parent, tmp_path / "a.sqlite", TICK, (), make_options(), policy_for=chosen).path
    named, idle = make_options(policies=(still,)), {KLAUS: PolicySpec("idle")}
    second = fork(path, tmp_path / "b.sqlite", TICK + 8, (), named, policy_for=idle)
    with RunReader(second.path) as record:
        assert [one.name for one in record.meta.takeovers] == ["scripted", still]
    unchanged = make_options(trust_policies=True)
    assert resume(path, unchanged, hours=1 / 360).status == "finished"
    file.write_text(STILL + "\nraise SystemExit('it was run')\n")
    with pytest.raises(PolicyError, match="has changed since"):
        resume(path, unchanged, hours=1 / 360)
