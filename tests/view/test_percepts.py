"""What was perceived is rebuilt by a replay, in a thread, and never from what is not recorded."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.view import percept_replay, percepts
from genagents_env.view.percepts import Percepts, PerceptText
from tests.run.towns import WITNESS, make_options, make_spec
from tests.view.test_mind import play

EARLY, LATE = 30, 177


@pytest.fixture(scope="module")
def direct_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose prompts are the percepts in words, with checkpoints near its end."""
    path = tmp_path_factory.mktemp("percepts") / "run.sqlite"
    play(path, "direct", longest_minutes=1)
    with RunReader(path) as reader:
        assert EARLY < min(reader.checkpoints()) < LATE
    return path


@contextmanager
def look(path: Path) -> Iterator[tuple[Percepts, RunReader]]:
    with closing(Percepts(path)) as found, RunReader(path) as reader:
        yield found, reader


def ask(
    found: Percepts, reader: RunReader, agent: int, tick: int, revision: int = 0
) -> PerceptText:
    """Ask until there is an answer."""
    answer = found.find(reader, agent, tick, revision)
    for _ in range(100):
        if not answer.pending:
            break
        answer = found.find(reader, agent, tick, revision)
    return answer


def find_quiet_tick(reader: RunReader) -> int:
    """Return a tick after which the first agent neither did anything nor was asked."""
    name = reader.meta.names[0]
    busy = {row.tick for row in reader.list_calls(0, EARLY, name)}
    busy |= {event.tick - 1 for event in reader.events(0, EARLY + 1) if event.agent == name}
    return next(tick for tick in range(1, EARLY) if tick not in busy)


def test_a_percept_is_what_the_prompt_of_that_moment_was_made_of(direct_run: Path) -> None:
    with look(direct_run) as (found, reader):
        rows = reader.list_calls(0, 100)
        for row in rows:
            answer = ask(found, reader, reader.meta.names.index(row.agent), row.tick)
            assert answer.note == ""
            prompt = json.loads(row.messages)[-1]["content"]
            assert answer.text.splitlines()[1] in prompt
    assert len(rows) > 10


def test_what_was_rebuilt_is_kept_and_the_replay_goes_on_from_there(direct_run: Path) -> None:
    with look(direct_run) as (found, reader):
        late = ask(found, reader, 0, LATE)  # from a checkpoint
        early = ask(found, reader, 0, EARLY)  # from the start
        with patch.object(percepts, "PerceptReplay") as begun:
            assert ask(found, reader, 0, EARLY) == early
            assert ask(found, reader, 0, EARLY + 5).text
            passed = ask(found, reader, 0, find_quiet_tick(reader))
        begun.assert_not_called()
    assert (passed.text, passed.pending) == ("", False)
    assert "before something was done" in passed.note
    assert late.text.startswith("Tuesday 4 April 2023, 11:14:45")
    assert early.text.startswith("Tuesday 4 April 2023, 11:02:30")


def test_one_who_asks_of_a_long_replay_is_told_to_ask_again(direct_run: Path) -> None:
    with look(direct_run) as (found, reader), patch.object(percepts, "_PATIENCE", 0.0):
        answer = found.find(reader, 0, 140, 0)
        assert answer.pending
        assert "The run is lived again" in answer.note


def test_a_replay_rests_as_soon_as_nobody_waits_for_it(direct_run: Path) -> None:
    with look(direct_run) as (found, reader):
        with (
            patch.object(percept_replay, "_WAITING", 0.0),
            patch.object(percepts, "_PATIENCE", 0.3),
        ):
            answer = found.find(reader, 0, EARLY, 0)
        assert answer.pending
        assert "is at Tuesday 11:00" in answer.note
        assert ask(found, reader, 0, EARLY).text


def test_a_run_that_came_out_otherwise_is_rebuilt_anew(direct_run: Path) -> None:
    with look(direct_run) as (found, reader):
        first = ask(found, reader, 0, EARLY)
        assert ask(found, reader, 0, EARLY, revision=1) == first


def test_a_run_whose_calls_are_gone_says_so(tmp_path: Path) -> None:
    path = play(tmp_path / "run.sqlite", "direct", ticks=20)
    with look(path) as (found, reader):
        with patch("genagents_env.run.overlay.OverlayCassette.get", return_value=None):
            answer = ask(found, reader, 0, 10)
        assert "cannot be rebuilt" in answer.note
        assert str(path) not in answer.note
        assert ask(found, reader, 0, 10) == answer  # nobody tries again and again


def test_code_of_a_policy_given_by_path_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(make_spec("tiny", 20, policy=PolicySpec(WITNESS)), path, make_options())
    with look(path) as (found, reader):
        assert "its code is not run" in ask(found, reader, 0, 10).note


def test_a_run_without_a_model_is_rebuilt_as_well(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(RunSpec(TownConfig("tiny"), policy=PolicySpec("scripted")), path, RunOptions())
    with look(path) as (found, reader):
        assert "You are Ada Brook" in ask(found, reader, 0, 0).text
