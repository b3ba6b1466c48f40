"""Policies that take over in a fork: trusted by their recorded content, and forked again."""

from pathlib import Path

import pytest

from genagents_env.errors import PolicyError
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, fork, resume, run
from tests.run.towns import compose_spec

POLICY = """
from genagents_env.actions import Idle
from genagents_env.policy import Policy

class Still(Policy):
    name = "still"

    def act(self, observations, infos):
        return {agent: Idle() for agent in observations}
"""
ADA, TICKS, AT = "Ada Brook", 12, 8


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    path = tmp_path / "parent.sqlite"
    spec = compose_spec("tiny", hours=TICKS / 360, policy=PolicySpec("scripted"))
    assert run(spec, path, RunOptions(interviews=False)).status == "finished"
    return path


@pytest.fixture
def still(tmp_path: Path) -> str:
    (tmp_path / "still.py").write_text(POLICY)
    return f"{tmp_path / 'still.py'}:Still"


def take_over(parent: Path, path: Path, policy: str, options: RunOptions | None = None) -> Path:
    result = fork(parent, path, AT, options=options, policy_for={ADA: PolicySpec(policy)})
    assert result.status == "finished"
    return result.path


def test_a_policy_that_took_over_is_not_run_once_its_file_has_changed(
    parent: Path, still: str, tmp_path: Path
) -> None:
    path = take_over(parent, tmp_path / "fork.sqlite", still)
    unchanged = RunOptions(interviews=False, trust_policies=True)
    assert resume(path, unchanged, hours=1 / 360).status == "finished"
    (tmp_path / "still.py").write_text(POLICY + "\nraise SystemExit('it was run')\n")
    with pytest.raises(PolicyError, match="has changed since"):
        resume(path, unchanged, hours=1 / 360)


def test_who_is_taken_over_is_trusted_by_name(parent: Path, still: str, tmp_path: Path) -> None:
    first = take_over(parent, tmp_path / "first.sqlite", still)
    named = RunOptions(interviews=False, policies=(still,))
    second = take_over(first, tmp_path / "second.sqlite", "idle", named)
    with RunReader(second) as record:
        assert [one.name for one in record.meta.takeovers] == ["scripted", still]


def test_a_fork_from_before_a_takeover_has_the_policy_of_then(parent: Path, tmp_path: Path) -> None:
    first = take_over(parent, tmp_path / "first.sqlite", "idle")
    again = fork(first, tmp_path / "again.sqlite", AT - 4, options=RunOptions(interviews=False))
    assert canonical_hash(again.path) == canonical_hash(parent)
    with RunReader(again.path) as record:
        assert record.meta.takeovers == ()
