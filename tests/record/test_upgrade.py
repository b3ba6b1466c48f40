"""Files of formats 3 and 4 that earlier versions wrote: `data/*.xz`.

`finished`: murder_mystery, 3 people, smallville on scripted:gossip, 15 ticks, judged. Its scenario
has patterns that look around. `stopped`: tiny, reactive, by its budget of two calls.
"""

import lzma
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import RecordError
from genagents_env.record import RunReader, canonical_hash, upgrade, verify
from genagents_env.record.connection import connect
from genagents_env.record.tables import EMBEDDINGS, NOTES, OPTIONAL, POLICY_ERRORS, SUMMED
from genagents_env.record.transaction import Transaction
from genagents_env.record.upgrade import Upgrade
from genagents_env.run import PolicySpec, RunOptions, RunSpec, resume, run

DATA = Path(__file__).parent / "data"


EARLIER = pytest.mark.parametrize("version", [3, 4])


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return unpack("finished", tmp_path)


def unpack(name: str, folder: Path, version: int = 3) -> Path:
    """Return a copy of a file of an earlier format."""
    path = folder / f"{name}.sqlite"
    path.write_bytes(lzma.decompress((DATA / f"format{version}_{name}.sqlite.xz").read_bytes()))
    return path


@EARLIER
def test_a_file_of_an_earlier_format_is_refused_with_the_command_that_upgrades_it(
    tmp_path: Path, version: int
) -> None:
    old = unpack("finished", tmp_path, version)
    before = old.read_bytes()
    for attempt in (RunReader, canonical_hash, verify):
        with pytest.raises(RecordError, match=rf"format {version}.*`genagents upgrade {old}`"):
            attempt(old)
    assert old.read_bytes() == before


def test_an_upgraded_file_of_format_4_holds_every_row_of_the_old_one(tmp_path: Path) -> None:
    old = unpack("finished", tmp_path, 4)
    with connect(old, "rw") as connection, Transaction(old, connection):
        EMBEDDINGS.put(connection, [("m", "t", b"vector")])
        POLICY_ERRORS.put(connection, [(3, "Ada", "idle", kind, "why") for kind in "ba"])
        tables = {
            name: connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()  # noqa: S608
            for name in (
                "ticks",
                "events",
                *(table.name for table in SUMMED if table not in (NOTES, *OPTIONAL)),
            )
        }
        sums = connection.execute("SELECT * FROM sums ORDER BY name").fetchall()
    connection.close()
    assert upgrade(old) == Upgrade(old, ())
    assert verify(old).whole
    with closing(connect(old, "ro")) as connection:
        for name, rows in tables.items():
            found = connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()  # noqa: S608
            assert found == rows, name
        assert connection.execute("SELECT * FROM sums ORDER BY name").fetchall() == sums
    with RunReader(old) as reader:
        assert reader.notes() == []
    # Of this file as it is in the repository, by the version that wrote it.
    assert len(tables["calls"]) == 33
    again = unpack("finished", tmp_path, 4)
    upgrade(again)
    assert canonical_hash(again) == WRITTEN_HASH


def test_an_upgraded_file_of_format_3_holds_all_that_the_old_one_held(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute(
            "INSERT INTO embeddings VALUES (?, ?, ?, ?)",
            ("m", "t", b"vector", sha256(b"m\0t\0vector").digest()),
        )
        connection.execute("INSERT INTO policy_errors VALUES (3, 'Ada', 'idle', 'hung', 'why')")
        connection.commit()
        tables = {
            name: connection.execute(f"SELECT {columns} FROM {name} ORDER BY {columns}").fetchall()  # noqa: S608
            for name, columns in COLUMNS.items()
        }
    done = upgrade(old)
    assert done.path == old
    assert done.notes == ("the patterns of checks 'suspect' are those of today",)
    assert verify(old).whole
    with closing(sqlite3.connect(old)) as connection:
        for name, columns in COLUMNS.items():
            query = f"SELECT {columns} FROM {name} ORDER BY {columns}"  # noqa: S608 (constant text)
            assert connection.execute(query).fetchall() == tables[name], name
    with RunReader(old) as reader:
        assert reader.status == "finished"
        assert reader.embeddings.get("m", ["t"]) == {"t": b"vector"}
        assert all(call.messages.startswith('[{"content":') for call in reader.calls())
    assert [one.name for one in old.parent.iterdir()] == [old.name]


WRITTEN_HASH = "f23dcb3e36bfdb02a7ef761c008220f85fa630e808f7e04d36bc9cf759fe02e9"
COLUMNS = {
    "ticks": "tick, positions, first_event, events, checksum",
    "events": "id, tick, kind, agent, data",
    "calls": "agent, tick, purpose, number, prompt_hash, outcome, reply, latency_seconds, fault",
    "checkpoints": "tick, body",
    "interviews": "tick, agent, question, answer, evidence, repeat",
    "remembered": "tick, agent, fact, text, events",
    "judgements": "judge, check_id, tick, agent, question, repeat, verdict, reply, prompt_tokens",
    "policy_errors": "tick, agent, policy, kind, text",
}


@EARLIER
def test_an_upgraded_run_is_resumed_to_the_hash_of_one_that_was_never_stopped(
    tmp_path: Path, version: int
) -> None:
    stopped, whole = unpack("stopped", tmp_path, version), tmp_path / "whole.sqlite"
    upgrade(stopped)
    assert resume(stopped, RunOptions(model="scripted:gossip")).status == "finished"
    town = TownConfig("tiny", hours=0.05, start="08:00")
    spec = RunSpec(town, seed=1, policy=PolicySpec("reactive"))
    run(spec, whole, RunOptions(model="scripted:gossip"))
    assert canonical_hash(stopped) == canonical_hash(whole)


def test_an_old_file_stays_where_the_new_one_goes_elsewhere(old: Path, tmp_path: Path) -> None:
    before, new = old.read_bytes(), tmp_path / "new.sqlite"
    assert upgrade(old, new).path == new
    assert verify(new).whole
    assert old.read_bytes() == before
    with pytest.raises(RecordError, match=r"new\.sqlite exists"):
        upgrade(old, new)
    with pytest.raises(RecordError, match="already"):
        upgrade(new)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE meta SET value = '8' WHERE key = 'seed'",
        "DELETE FROM events WHERE id = 4",
        "UPDATE calls SET reply = 'no' WHERE tick = 0",
        "UPDATE checkpoints SET body = x'00'",
        "UPDATE interviews SET evidence = 'x'",
        "CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM ticks; END",
    ],
)
@EARLIER
def test_a_damaged_old_file_is_not_upgraded_and_stays_as_it_is(
    tmp_path: Path, sql: str, version: int
) -> None:
    old = unpack("finished", tmp_path, version)
    with closing(sqlite3.connect(old)) as connection:
        connection.execute(sql)
        connection.commit()
    before = old.read_bytes()
    with pytest.raises(RecordError, match=r"finished\.sqlite is damaged"):
        upgrade(old)
    assert old.read_bytes() == before
    assert [one.name for one in old.parent.iterdir()] == [old.name]
