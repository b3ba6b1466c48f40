"""A checkpoint that somebody made up: a resume and an interview say what is wrong with it."""

import json
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from genagents_env.errors import ConfigError, PolicyError, RecordError
from genagents_env.record import RunReader, verify
from genagents_env.run import PolicySpec, interview, resume, run
from tests.campaigns.forger import connect, sign
from tests.run.test_degraded import FIXED
from tests.run.towns import make_options, make_spec

Saved: TypeAlias = Any  # JSON


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'self.ticks = state["ticks"]',
            "raise AttributeError('no such thing')",
            r"run\.sqlite, tick 1[45]: policy tired cannot load its .*no such thing",
        ),
        (
            "self.ticks = 0",
            "raise KeyError('no such word')",
            "policy tired cannot begin an episode .KeyError: 'no such word'.; correct its reset",
        ),
    ],
)
def test_a_policy_that_fails_to_begin_or_to_take_its_state_over_is_named_not_the_file(
    lived: Path, old: str, new: str, said: str
) -> None:
    mine = lived.with_name("mine.py")
    mine.write_text(mine.read_text().replace(old, new))
    options = make_options(policies=(str(mine),))
    with pytest.raises(PolicyError, match=said):
        resume(lived, options, hours=0.01)
    with pytest.raises(PolicyError, match=said):
        interview(lived, ["Ada Brook"], ["Any news?"], options=options)
    with RunReader(lived) as record:
        assert record.status == "failed"


@pytest.fixture
def lived(tmp_path: Path) -> Path:
    path = tmp_path / "run.sqlite"
    mine = tmp_path / "mine.py"
    mine.write_text(FIXED)
    town = make_spec(ticks=15, policy=PolicySpec(str(mine)))
    assert run(town, path, make_options(checkpoint_every=5)).exit_code == 0
    return path


def forge(path: Path, change: Callable[[Saved], Saved]) -> None:
    """Change the state of every checkpoint, and sign it as a forger can."""
    with closing(connect(path)) as connection:
        for tick, body in connection.execute("SELECT tick, body FROM checkpoints").fetchall():
            forged = zlib.compress(json.dumps(change(json.loads(zlib.decompress(body)))).encode())
            connection.execute("UPDATE checkpoints SET body = ? WHERE tick = ?", (forged, tick))
        sign(connection)


def put(*keys: str, value: Saved) -> Callable[[Saved], Saved]:
    def change(state: Saved) -> Saved:
        part = state
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = value
        return state

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("env", "world", "tile", value=[10**9, 0]), "state at tick 1[45] .*town: tile is not"),
        (put("env", "world", "told", value=[[0, 5, 0]]), "state at tick 1[45] .*town: told is not"),
        (put("env", "world", "tick", value=3), "state at tick 1[45] .*it is of tick 3"),
        (put("env", "episode", value=7), "state at tick 1[45] .*no saved state"),
        (put("policies", value=[]), "state at tick 1[45] .*0 policy states for 1"),
        (put("policies", value="x"), "damaged or not a run file"),
        (put("chain", value=None), "damaged or not a run file"),
        (lambda _: ["chain"], "damaged or not a run file"),
        (lambda _: "chain", "damaged or not a run file"),
    ],
)
def test_a_forged_state_ends_a_resume_and_an_interview_in_a_sentence_that_names_the_file(
    lived: Path, change: Callable[[Saved], Saved], said: str
) -> None:
    forge(lived, change)
    verify(lived)
    with pytest.raises(RecordError, match=rf"run\.sqlite.*{said}"):
        resume(lived, make_options(), hours=0.01)
    with pytest.raises(RecordError, match=rf"run\.sqlite.*{said}"):
        interview(lived, ["Ada Brook"], ["Any news?"], options=make_options())


def test_a_run_without_hours_in_its_head_has_those_of_its_scenario(lived: Path) -> None:
    with closing(connect(lived)) as connection:
        connection.execute("UPDATE meta SET value = '{}' WHERE key = 'arguments'")
        sign(connection)
    with pytest.raises(ConfigError, match="before its hours were over"):
        resume(lived, make_options(), hours=0.01)
