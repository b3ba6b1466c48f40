import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import (
    FaultRow,
    InterviewRow,
    JudgementRow,
    NoteRow,
    RememberedRow,
    ResponseRow,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
    verify,
)
from genagents_env.record.calls import put_response
from genagents_env.record.connection import Transaction
from genagents_env.record.tables import ACTIONS
from tests.record.lived import call, live


@pytest.fixture
def run_file(path: Path, meta: RunMeta) -> Path:
    """Return a run of twelve ticks with rows in every table."""
    with RunWriter.create(path, meta) as writer:
        for tick in range(12):
            writer.cassette.put(*call(tick))
        live(writer, 12)
        writer.embeddings.put("m", {"text": b"vector"})
        for tick in (11, 12):
            writer.commit_interviews(
                [InterviewRow(tick, "Ada", "q", "a", (1,))],
                [FaultRow(tick, "Ada", "idle", "raised", "ValueError")],
                [RememberedRow(tick, "Ada", "fact", "text", (2,))],
                [NoteRow(tick, tick, "Ada", "interview", 0, "wish", "a boat")],
            )
            verdict = JudgementRow("judge", "check", tick, "Ada", "q", 0, "yes", "yes", 7, 1)
            writer.commit_judgement(verdict)
        with Transaction(writer._connection):
            put_response(writer._connection, ResponseRow("Ada", 1, "decide", 0, "m-2026", "fp", 4))
            ACTIONS.put(writer._connection, [(tick, "{}") for tick in range(1, 13)])
    return path


def _execute(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    with connection:
        for sql in statements:
            connection.execute(sql)
    connection.close()


OPENED = (canonical_hash, RunReader, RunWriter.open)
DAMAGED = r"run\.sqlite is damaged"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("CREATE VIEW v AS SELECT 1", "the view 'v' is in no run file"),
        ("CREATE TABLE more (x)", "the table 'more' is in no run file"),
        ("CREATE INDEX i ON events (tick)", "the index 'i' is in no run file"),
        ("CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM ticks; END", "the trigger 't'"),
        ("ALTER TABLE calls ADD COLUMN x", "the table 'calls' is not as it was made"),
        ("DROP TABLE interviews", "the index 'sqlite_autoindex_interviews_1' is missing"),
        ("VIEW judgements", "the view 'judgements' is not as it was made"),
        ("UPDATE calls SET prompt_tokens = 'many'", DAMAGED),
        ("UPDATE calls SET tick = 1e300 WHERE tick = 3", DAMAGED),
        ("UPDATE calls SET reply = x'00'", DAMAGED),
        ("UPDATE checkpoints SET body = 7", DAMAGED),
        ("UPDATE ticks SET positions = 'here'", DAMAGED),
        ("UPDATE ticks SET events = -1", DAMAGED),
        ("UPDATE meta SET value = 3.5", DAMAGED),
        ("UPDATE sums SET sum = 'x'", DAMAGED),
        ("PRAGMA user_version = 99", "newer version.*format 99.*upgrade"),
        ("PRAGMA user_version = 2", "earlier.*format 2"),
    ],
)
def test_a_strangers_schema_values_and_versions_are_refused_as_the_file_is_opened(
    run_file: Path, sql: str, said: str
) -> None:
    if sql.startswith("VIEW"):
        evil = "CREATE VIEW judgements AS SELECT load_extension('evil')"
        _execute(run_file, "DROP TABLE judgements", evil)
    else:
        _execute(run_file, sql)
    before = run_file.read_bytes()
    for attempt in OPENED:
        with pytest.raises(RecordError, match=said):
            attempt(run_file)
    assert run_file.read_bytes() == before or said == DAMAGED  # a writer has begun a log


def test_changed_rows_are_in_no_transcript_no_sum_and_no_answer(run_file: Path) -> None:
    _execute(run_file, "UPDATE events SET agent = 'Bob' WHERE id = 3")
    _execute(run_file, "UPDATE calls SET reply = '{\"a\":2}' WHERE tick = 4")
    with RunReader(run_file) as run:
        reads: tuple[Callable[[], object], ...] = (
            *(run.sum_calls, run.sum_faculties, run.count_askers),
            *(lambda: list(run.events()), lambda: list(run.ticks())),
        )
        for read in reads:
            with pytest.raises(RecordError, match=DAMAGED):
                read()
    with RunWriter.open(run_file) as writer:
        assert writer.cassette.get(call(3)[0]) is not None
        with pytest.raises(RecordError, match="damaged"):
            writer.cassette.get(call(4)[0])
        with pytest.raises(RecordError, match="calls has changed"):
            writer.rewind()


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"dear diary\n" * 1000, 40, 5000, None]
)
def test_what_is_no_run_file_or_torn_is_named_left_alone_and_replaced_if_it_was_one(
    run_file: Path, meta: RunMeta, content: bytes | int | None
) -> None:
    torn = run_file.read_bytes()[:content] if isinstance(content, int) else content
    run_file.unlink()
    _execute(run_file, "CREATE TABLE t (x)") if torn is None else run_file.write_bytes(torn)
    before = run_file.read_bytes()
    for attempt in OPENED:
        with pytest.raises(RecordError, match=r"run\.sqlite"):
            attempt(run_file)
    assert run_file.read_bytes() == before
    if isinstance(content, int):
        RunWriter.create(run_file, meta, force=True).close()


def test_a_missing_file_or_folder_is_named_and_not_made(tmp_path: Path, meta: RunMeta) -> None:
    path = tmp_path / "no.sqlite"
    for attempt in OPENED:
        with pytest.raises(RecordError, match=r"no run file .*no\.sqlite"):
            attempt(path)
    with pytest.raises(RecordError, match="no folder"):
        RunWriter.create(tmp_path / "nowhere" / "run.sqlite", meta)
    assert list(tmp_path.iterdir()) == []


TAMPERING = [
    "UPDATE {} SET agent = 'Bob'",
    "UPDATE {} SET tick = tick + 9",
    "DELETE FROM {}",
    "DELETE FROM {} WHERE rowid = 1",
    "CREATE TEMP TABLE t AS SELECT * FROM {0}; UPDATE t SET agent = 'Bob'; "
    "INSERT INTO {0} SELECT * FROM t",
]


@pytest.mark.parametrize("sql", TAMPERING)
@pytest.mark.parametrize(
    "table", ["interviews", "remembered", "judgements", "policy_errors", "notes"]
)
def test_changed_answers_are_noticed(run_file: Path, table: str, sql: str) -> None:
    connection = sqlite3.connect(run_file)
    connection.executescript(sql.format(table))
    connection.close()
    with RunReader(run_file) as run:
        reads = (run.interviews, run.memories, run.judgements, run.policy_faults, run.notes)
        with pytest.raises(RecordError, match=rf"{DAMAGED}.*{table}"):
            assert [read() for read in reads]


def test_verify_counts_the_rows_of_a_whole_file_and_reads_no_foreign_table(run_file: Path) -> None:
    found = verify(run_file)
    rows = {part.name: part.rows for part in found.parts}
    assert (found.whole, found.status) == (True, "running")
    expected = {"ticks": 13, "events": 26, "calls": 12, "interviews": 2, "embeddings": 1}
    assert expected.items() <= rows.items()
    _execute(run_file, "CREATE VIEW v AS SELECT 1")
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
    _execute(run_file, sql)
    found = verify(run_file)
    damage = {one.name: one.damage for one in found.parts if one.damage}
    assert not found.whole
    assert said in str(damage.pop(part))
    assert set(damage) <= {"dictionaries", "ticks", "checkpoints"}


def test_a_damaged_checkpoint_is_passed_over_for_the_one_before(run_file: Path) -> None:
    _execute(run_file, "UPDATE checkpoints SET body = substr(body, 1, 20) WHERE tick = 10")
    with RunWriter.open(run_file) as writer:
        state = writer.rewind()
        assert state is not None
        assert state.tick == 5
        live(writer, 12)


def test_every_flipped_bit_of_a_checkpoint_is_noticed(run_file: Path, meta: RunMeta) -> None:
    connection = sqlite3.connect(run_file)
    ((body,),) = connection.execute("SELECT body FROM checkpoints WHERE tick = 10").fetchall()
    connection.execute("DELETE FROM checkpoints WHERE tick < 10")
    for bit in range(0, 8 * len(body), 37):
        flipped = bytearray(body)
        flipped[bit // 8] ^= 1 << bit % 8
        connection.execute("UPDATE checkpoints SET body = ?", (bytes(flipped),))
        connection.commit()
        with RunWriter.open(run_file) as writer, pytest.raises(RecordError):
            writer.rewind()
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        'UPDATE events SET data = \'{"doing":"steals"}\' WHERE id = 3',
        "UPDATE events SET agent = NULL WHERE id = 3",
        "DELETE FROM events WHERE id = 4",
        "DELETE FROM ticks WHERE tick = 2",
        "UPDATE ticks SET positions = zeroblob(8) WHERE tick = 2",
        "UPDATE meta SET value = '8' WHERE key = 'seed'",
        "DELETE FROM ticks WHERE tick >= 11",
        "DELETE FROM calls WHERE tick >= 11",
    ],
)
def test_a_changed_record_is_neither_hashed_nor_resumed(run_file: Path, sql: str) -> None:
    with RunWriter.open(run_file) as writer:
        writer.set_status("finished")
    _execute(run_file, sql, "DELETE FROM events WHERE tick NOT IN (SELECT tick FROM ticks)")
    missing = ".* missing" if ">= 11" in sql else ""
    with pytest.raises(RecordError, match=DAMAGED + missing):
        canonical_hash(run_file)
    if not missing:  # else it goes on from the checkpoint before
        with pytest.raises(RecordError, match=DAMAGED), RunWriter.open(run_file) as w:
            w.rewind()
