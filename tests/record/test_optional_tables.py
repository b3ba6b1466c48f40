"""Tables that a file may lack, what is read of single ones, and their export."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.policy import FacultySwitch
from genagents_env.record import (
    FacultyUse,
    InterviewRow,
    JudgementRow,
    RememberedRow,
    ResponseRow,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
    export,
    verify,
)
from genagents_env.record.calls import put_response
from genagents_env.record.connection import Transaction
from genagents_env.record.faculty_use import SWITCHES, PolicySwitches, encode_switches
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


ADA, BEN = "Ada Brook", "Ben Carver"
POLICIES = (
    PolicySwitches(
        "one",
        (ADA,),
        (FacultySwitch("deciding", "decide", True), FacultySwitch("reflection", "reflect", True)),
    ),
    PolicySwitches("other", (BEN,), (FacultySwitch("deciding", "decide", False),)),
)


def test_calls_are_counted_for_the_agents_of_each_policy(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.note(SWITCHES, encode_switches(POLICIES))
        live(writer, 1)
        writer.cassette.put(*call(0, ADA))
        writer.cassette.put(*call(1, ADA, "fallback"))
        writer.cassette.put(*call(1, BEN, "fallback"))
    with RunReader(path) as run:
        ada, reflection, ben = run.list_faculty_uses()
    assert ada == FacultyUse("one", "deciding", "decide", True, 2, 1)
    assert reflection == FacultyUse("one", "reflection", "reflect", True, 0, 0)
    assert ben == FacultyUse("other", "deciding", "decide", False, 1, 1)
    assert [one.ran for one in (ada, reflection, ben)] == [True, False, False]


@pytest.mark.parametrize(
    "note",
    [
        "7",
        '[{"policy": "p"}]',
        '[{"policy": "p", "agents": ["a"], "switches": [["x"]]}]',
        '[{"policy": "p", "agents": [1], "switches": []}]',
        '[{"policy": "p", "agents": ["a"], "switches": [["x", "x", 1]]}]',
    ],
)
def test_a_forged_note_is_damage(path: Path, meta: RunMeta, note: str) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 0)
        writer.note(SWITCHES, note)
    with RunReader(path) as run, pytest.raises(RecordError, match=r"run\.sqlite is damaged"):
        run.list_faculty_uses()


def test_export_is_one_json_object_a_line(path: Path, tmp_path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.cassette.put(*call(0))
        live(writer, 2)
        memory = RememberedRow(2, "Ada Brook", "tea", "Tea is on.", (1, 3))
        writer.commit_interviews(
            [InterviewRow(2, "Ada Brook", "News?", "No.", (1,), 2)], remembered=[memory]
        )
        writer.commit_judgement(
            JudgementRow("m", "says_so", 2, "Ada Brook", "News?", 2, None, "hm", 10, 1)
        )
    with RunReader(path) as run:
        files = export(run, tmp_path / "out")
        again = export(run, tmp_path / "out")
    assert files == again
    rows = {file.name: [json.loads(line) for line in file.open()] for file in files}
    names = (
        *("actions", "calls", "events", "interviews", "judgements"),
        *("notes", "remembered", "responses", "ticks"),
    )
    assert sorted(rows) == [f"{name}.jsonl" for name in names]
    assert rows["interviews.jsonl"] == [
        {"agent": "Ada Brook", "answer": "No.", "evidence": [1], "question": "News?", "repeat": 2}
        | {"tick": 2}
    ]
    assert rows["remembered.jsonl"] == [
        {"agent": "Ada Brook", "events": [1, 3], "fact": "tea", "text": "Tea is on.", "tick": 2}
    ]
    (judged,) = rows["judgements.jsonl"]
    assert (judged["judge"], judged["check"], judged["verdict"]) == ("m", "says_so", None)
    assert rows["events.jsonl"][3]["data"] == {"doing": "é 1"}
    assert rows["calls.jsonl"][0]["reply"] == '{"a":1}'
    assert rows["ticks.jsonl"][2] == {
        "tick": 2,
        "time": "2023-02-13T08:00:20",
        "positions": {name: [2, 2] for name in meta.names},
    }
    assert not list((tmp_path / "out").glob("*.part"))
