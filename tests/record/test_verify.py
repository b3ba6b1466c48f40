import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from genagents_env.record import (
    FaultRow,
    InterviewRow,
    JudgementRow,
    RememberedRow,
    ResponseRow,
    RunMeta,
    RunWriter,
    verify,
)
from genagents_env.record.calls import put_response
from genagents_env.record.connection import Transaction
from genagents_env.record.tables import ACTIONS
from tests.record.lived import call, live


@pytest.fixture
def run_file(path: Path, meta: RunMeta) -> Path:
    with RunWriter.create(path, meta) as writer:
        live(writer, 6)
        for tick in (1, 2):
            writer.cassette.put(*call(tick))
        writer.embeddings.put("m", {"text": b"vector"})
        writer.commit_interviews(
            [InterviewRow(6, "Ada", "q", "a", (1,))],
            [FaultRow(6, "Ada", "idle", "raised", "ValueError")],
            [RememberedRow(6, "Ada", "fact", "text", (2,))],
        )
        writer.commit_judgement(JudgementRow("j", "c", 6, "Ada", "q", 0, "yes", "yes", 7, 1))
        writer.set_status("finished")
        with Transaction(writer._connection):
            put_response(writer._connection, ResponseRow("Ada", 1, "decide", 0, "m-2026", "fp", 4))
            ACTIONS.put(writer._connection, [(tick, "{}") for tick in range(1, 7)])
    return path


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


def test_verify_counts_the_rows_of_a_whole_file_and_reads_no_foreign_table(run_file: Path) -> None:
    found = verify(run_file)
    rows = {part.name: part.rows for part in found.parts}
    assert (found.whole, found.status) == (True, "finished")
    expected = {"ticks": 7, "events": 14, "calls": 2, "interviews": 1, "embeddings": 1}
    assert expected.items() <= rows.items()
    change(run_file, "CREATE VIEW v AS SELECT 1")
    foreign = [(part.name, part.damage) for part in verify(run_file).parts]
    assert foreign == [("pages", "the view 'v' is in no run file")]


@pytest.mark.parametrize(
    ("sql", "part", "said"),
    [
        ("UPDATE calls SET reply = 'no' WHERE tick = 1", "calls", "a row of calls has changed"),
        ("UPDATE calls SET latency_seconds = 9", "calls", "a row of calls has changed"),
        ("DELETE FROM calls WHERE tick = 1", "calls", "rows of calls are missing"),
        ("DELETE FROM dictionaries", "calls", "rows of dictionaries are missing"),
        ("UPDATE events SET agent = 'Bob' WHERE id = 3", "ticks", "tick 1 does not match"),
        ("DELETE FROM ticks WHERE tick > 5", "ticks", "ticks are missing"),
        ("DELETE FROM interviews", "interviews", "rows of interviews are missing"),
        ("UPDATE remembered SET fact = 'x'", "remembered", "has changed"),
        ("UPDATE judgements SET verdict = 'no'", "judgements", "has changed"),
        ("DELETE FROM policy_errors", "policy_errors", "are missing or were added"),
        ("UPDATE checkpoints SET body = x'00'", "checkpoints", "has changed"),
        ("UPDATE actions SET body = '[]'", "actions", "a row of actions has changed"),
        ("DELETE FROM actions WHERE tick = 3", "actions", "rows of actions are missing"),
        ("DROP TABLE actions", "actions", "rows of actions are missing"),
        ("UPDATE responses SET model = 'x'", "responses", "a row of responses has changed"),
        ("UPDATE embeddings SET vector = x'00'", "embeddings", "has changed"),
        ("UPDATE meta SET value = '9' WHERE key = 'seed'", "meta", "key 'seed'"),
        ("UPDATE sums SET count = 9 WHERE name = 'judgements'", "judgements", "missing"),
    ],
)
def test_verify_names_the_damaged_table_alone(
    run_file: Path, sql: str, part: str, said: str
) -> None:
    change(run_file, sql)
    found = verify(run_file)
    damage = {one.name: one.damage for one in found.parts if one.damage}
    assert not found.whole
    assert said in str(damage.pop(part))
    assert set(damage) <= {"dictionaries", "ticks", "checkpoints"}
