"""What was perceived is rebuilt by the town alone: no mind, no stored call, no vector is needed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, run
from genagents_env.show.view import percepts
from genagents_env.show.view.percepts import Percepts, PerceptText
from tests.record.test_optional_tables import drop
from tests.run.towns import WITNESS, make_options, make_spec
from tests.show.view.test_mind import play

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
    with RunReader(path) as reader:
        yield Percepts(), reader


def ask(
    found: Percepts, reader: RunReader, agent: int, tick: int, revision: int = 0
) -> PerceptText:
    answer = found.find(reader, agent, tick, revision)
    while answer.pending:
        answer = found.find(reader, agent, tick, revision)
    return answer


def test_a_percept_is_what_the_prompt_of_that_moment_was_made_of(direct_run: Path) -> None:
    with look(direct_run) as (found, reader):
        rows = reader.list_calls(0, 100)
        for row in rows:
            answer = ask(found, reader, reader.meta.names.index(row.agent), row.tick)
            assert answer.note == ""
            prompt = json.loads(row.messages)[-1]["content"]
            assert answer.text.splitlines()[1] in prompt
    assert len(rows) > 10


def test_a_late_moment_is_pending_at_first(direct_run: Path) -> None:
    with look(direct_run) as (found, reader), patch.object(percepts, "_PATIENCE", 0.0):
        answer = found.find(reader, 0, 140, 0)
        assert answer.pending
        assert "The town is stepped again to rebuild it, and is at Tuesday 11:" in answer.note


def test_neither_calls_nor_vectors_nor_code_of_a_policy_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(make_spec("tiny", 20, policy=PolicySpec(WITNESS)), path, make_options())
    with (
        look(path) as (found, reader),
        patch("genagents_env.record.cassette.SqliteCassette.get", side_effect=AssertionError),
        patch("genagents_env.record.cassette.SqliteEmbeddings.get", side_effect=AssertionError),
        patch("genagents_env.run.policies.load_policy", side_effect=AssertionError),
    ):
        assert "You are Ada Brook" in ask(found, reader, 0, 10).text


def test_an_older_run_says_in_a_sentence_that_it_holds_no_actions(direct_run: Path) -> None:
    older = direct_run.with_name("older.sqlite")
    older.write_bytes(direct_run.read_bytes())
    drop(older, "actions", "responses")
    with look(older) as (found, reader):
        answer = ask(found, reader, 0, EARLY)
    assert answer.text == ""
    assert answer.note == (
        "What was perceived cannot be rebuilt: the actions at 11:00:05 are not in it; a "
        "version that did not store them has recorded it."
    )


def test_a_run_that_came_out_otherwise_is_rebuilt_anew(direct_run: Path) -> None:
    with look(direct_run) as (found, reader):
        first = ask(found, reader, 0, EARLY)
        assert ask(found, reader, 0, EARLY, revision=1) == first
