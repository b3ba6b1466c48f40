"""A file that lacks the tables of actions and of what endpoints said is a whole one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import (
    ResponseRow,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
    verify,
)
from genagents_env.record.calls import put_response
from genagents_env.record.connection import Transaction
from tests.record.lived import call, live


def drop(path: Path, *tables: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for name in tables:
            connection.execute(f"DROP TABLE {name}")
            connection.execute("DELETE FROM sums WHERE name = ?", (name,))
        connection.commit()


@pytest.mark.parametrize("tables", [("actions", "responses"), ("responses",)])
def test_an_older_file_is_read_verified_and_resumed(
    path: Path, meta: RunMeta, tables: tuple[str, ...]
) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 6)
        writer.cassette.put(*call(0))
    before = canonical_hash(path)
    drop(path, *tables)
    with RunReader(path) as run:
        assert (list(run.read_responses()), list(run.actions())) == ([], [])
    assert verify(path).whole
    assert canonical_hash(path) == before
    with RunWriter.open(path) as writer:
        writer.rewind()
        live(writer, 6)
        say(writer, ResponseRow("Ada", 0, "decide", 0, "m-2026", "fp", 4))
    assert verify(path).whole
    assert canonical_hash(path) == before
    with RunReader(path) as run:
        assert list(run.read_responses()) == [ResponseRow("Ada", 0, "decide", 0, "m-2026", "fp", 4)]


@pytest.mark.parametrize("table", ["notes", "calls", "dictionaries", "actions"])
def test_no_other_table_may_be_missing_nor_an_optional_one_of_another_make(
    path: Path, meta: RunMeta, table: str
) -> None:
    RunWriter.create(path, meta).close()
    drop(path, table)
    if table == "actions":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE actions (tick, body)")
    with pytest.raises(RecordError, match=f"{table}.*is (missing|not as it was made)"):
        RunReader(path)


def test_reports_of_an_endpoint_are_dropped_with_their_call(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        for tick, outcome in ((0, "reply"), (1, "fallback")):
            writer.cassette.put(*call(tick, outcome=outcome))
            say(writer, ResponseRow("Ada", tick, "decide", 0, "m"))
        writer.withdraw_outage(1)
    with RunReader(path) as run:
        assert [row.tick for row in run.read_responses()] == [0]


def say(writer: RunWriter, row: ResponseRow) -> None:
    with Transaction(writer._connection):
        put_response(writer._connection, row)
