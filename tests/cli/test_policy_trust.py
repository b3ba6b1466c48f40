"""Whose code a run file runs: nobody's, until the user says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import RunOptions, interview, resume
from tests.cli.conftest import Run

CANARY = """
import pathlib

pathlib.Path("imported").touch()
"""
POLICY = """
from genagents_env.actions import Idle
from genagents_env.policy import Answer, Policy


class Mine(Policy):
    name = "mine"
    remembers = True

    def act(self, observations, infos):
        return {agent: Idle() for agent in observations}

    def interview(self, agent, questions, repeat=0):
        return [Answer("Nothing.") for _ in questions]
"""
CHANGED = f"{CANARY}\n{POLICY}\n# changed"
RUN = ("run", "tiny", "--hours", "0.02", "--policy", "mine.py:Mine", "-q", "--interviews", "0")
RESUME = ("resume", "run.sqlite", "--hours", "0.02", "-q")
ASK = ("interview", "run.sqlite", "--question", "Any news?", "-q")


@pytest.fixture
def stranger(genagents: Run) -> Run:
    """Return the command line beside somebody's run file and the policy that it names."""
    Path("mine.py").write_text(CANARY + POLICY)
    assert genagents(*RUN)[0] == 0
    Path("imported").unlink()
    return genagents


@pytest.mark.parametrize("command", [RESUME, ASK, (*ASK, "--agent", "Ada Brook")])
def test_a_strangers_run_file_runs_no_code_without_a_word_and_none_that_has_changed(
    stranger: Run, command: tuple[str, ...]
) -> None:
    before, trusted = canonical_hash("run.sqlite"), Path("mine.py").read_text()
    with RunReader("run.sqlite") as record:
        then = f"then {str(record.meta.origins['mine.py:Mine'].sha256)[:12]}, now "
    for code, words, said in (
        (trusted, (), "--trust unchanged"),
        (trusted, ("--trust", "other.py:Other"), "no such policy; it has mine.py:Mine"),
        (CHANGED, ("--trust", "unchanged"), then),
    ):
        Path("mine.py").write_text(code)
        ended, _, err = stranger(*command, *words)
        assert (ended, Path("imported").exists()) == (2, False)
        assert said in err
        assert "mine.py:Mine" in err
        assert canonical_hash("run.sqlite") == before
    Path("mine.py").write_text(trusted)
    for word in ("unchanged", "mine.py:Mine"):
        assert stranger(*command, "--trust", word)[::2] == (0, "")
        Path("imported").unlink()


def test_a_changed_policy_named_again_goes_on_and_the_run_file_says_so(stranger: Run) -> None:
    Path("mine.py").write_text(CHANGED)
    with RunReader("run.sqlite") as record:
        last, first = record.last_tick, record.meta.origins["mine.py:Mine"]
    assert stranger(*RESUME, "--trust", "mine.py:Mine")[0] == 0
    with RunReader("run.sqlite") as record:
        (change,) = record.policy_changes
        now = record.meta.origins["mine.py:Mine"]
    assert (change.policy, change.before, change.now) == ("mine.py:Mine", str(first), str(now))
    assert change.tick in (last - 1, last)
    assert first != now
    code, _, err = stranger(*RESUME, "--trust", "unchanged")
    assert (code, err) == (0, "")


def test_a_policy_that_moved_is_named_where_it_is(stranger: Run) -> None:
    Path("away").mkdir()
    Path("mine.py").rename("away/mine.py")
    code, _, err = stranger(*RESUME, "--trust", "unchanged")
    assert code == 2
    assert "no policy file 'mine.py'; if it was moved, --trust FOLDER/mine.py:Mine says" in err
    assert stranger(*RESUME, "--trust", "away/mine.py:Mine")[0] == 0
    with RunReader("run.sqlite") as record:
        assert {spec["name"] for spec in record.meta.policies.values()} == {"mine.py:Mine"}
        assert record.policy_changes == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda options: resume("run.sqlite", options, hours=0.02),
        lambda options: interview("run.sqlite", ["Ada Brook"], ["News?"], options=options),
    ],
    ids=["resume", "interview"],
)
def test_the_library_asks_for_the_same_word(
    stranger: Run, call: Callable[[RunOptions], object]
) -> None:
    with pytest.raises(Exception, match="--trust unchanged"):
        call(RunOptions())
    assert not Path("imported").exists()
    call(RunOptions(trust_policies=True))
    call(RunOptions(policies=("mine.py:Mine",)))


def test_bytecode_beside_a_policy_is_never_run_in_its_place(stranger: Run) -> None:
    import importlib.util
    import py_compile

    trusted = Path("mine.py").read_text()
    Path("mine.py").write_text(trusted.replace("imported", "from_pyc"))
    cached = importlib.util.cache_from_source("mine.py")
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile("mine.py", cached, invalidation_mode=unchecked)
    Path("mine.py").write_text(trusted)
    assert stranger(*RESUME, "--trust", "unchanged")[0] == 0
    assert Path("imported").exists()
    assert not Path("from_pyc").exists()


def test_a_stopped_run_says_how_to_go_on_with_its_policy(stranger: Run) -> None:
    code, _, err = stranger(*RUN, "--out", "second.sqlite", "--limit", "seconds=0")
    assert (code, "genagents resume second.sqlite --trust unchanged" in err) == (3, True)
