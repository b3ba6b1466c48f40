"""Run files of format 3: their tables, and what becomes of what they hold."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from genagents_env.llm.budget import Spend
from genagents_env.llm.prices import FREE, unpack_price
from genagents_env.record.calls import put_call
from genagents_env.record.canonical import copy_ticks, verify_chain
from genagents_env.record.connection import RunConnection
from genagents_env.record.guard import damage_error
from genagents_env.record.old_scenario import modernize_scenario
from genagents_env.record.rows import CallRow, encode
from genagents_env.record.spending import SPENDING, modernize_spending
from genagents_env.record.table import RecordTable, Value
from genagents_env.record.tables import (
    CHECKPOINTS,
    EMBEDDINGS,
    INTERVIEWS,
    JUDGEMENTS,
    META,
    POLICY_ERRORS,
    REMEMBERED,
)

# As format 3 had them, to the letter.
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL)",
    """CREATE TABLE ticks (
    tick INTEGER PRIMARY KEY, positions BLOB NOT NULL, first_event INTEGER NOT NULL,
    events INTEGER NOT NULL, checksum BLOB NOT NULL)""",
    """CREATE TABLE events (
    id INTEGER PRIMARY KEY, tick INTEGER NOT NULL, kind TEXT NOT NULL, agent TEXT,
    data TEXT NOT NULL)""",
    """CREATE TABLE policy_errors (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, policy TEXT NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL)""",
    """CREATE TABLE calls (
    agent TEXT NOT NULL, tick INTEGER NOT NULL, purpose TEXT NOT NULL, number INTEGER NOT NULL,
    prompt_hash TEXT NOT NULL, messages TEXT NOT NULL, outcome TEXT NOT NULL, reply TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, attempts INTEGER NOT NULL,
    reasks INTEGER NOT NULL, truncated INTEGER NOT NULL, fault TEXT,
    latency_seconds REAL NOT NULL, started_at REAL NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (agent, tick, purpose, number)) WITHOUT ROWID""",
    "CREATE TABLE checkpoints (tick INTEGER PRIMARY KEY, body BLOB NOT NULL, checksum BLOB "
    "NOT NULL)",
    """CREATE TABLE measures (name TEXT NOT NULL, tick INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (name, tick))""",
    """CREATE TABLE embeddings (
    model TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (model, text))""",
    """CREATE TABLE interviews (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
    evidence TEXT NOT NULL, repeat INTEGER NOT NULL, """
    "PRIMARY KEY (tick, agent, question, repeat))",
    """CREATE TABLE remembered (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, fact TEXT NOT NULL, text TEXT NOT NULL,
    events TEXT NOT NULL, PRIMARY KEY (tick, agent, fact, text))""",
    """CREATE TABLE judgements (
    judge TEXT NOT NULL, check_id TEXT NOT NULL, tick INTEGER NOT NULL, agent TEXT NOT NULL,
    question TEXT NOT NULL, repeat INTEGER NOT NULL, verdict TEXT, reply TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    PRIMARY KEY (judge, check_id, tick, agent, question, repeat))""",
)
_END = 2**62  # later than every tick
_UNCHECKED = (POLICY_ERRORS, INTERVIEWS, REMEMBERED, JUDGEMENTS)
_WALL_CLOCK = ("latency_seconds", "started_at")
_CALLS = (
    *("agent", "tick", "purpose", "number", "prompt_hash", "messages", "outcome", "reply"),
    *("prompt_tokens", "completion_tokens", "attempts", "reasks", "truncated", "fault"),
    *_WALL_CLOCK,
)


def copy_run(path: Path, old: RunConnection, new: RunConnection) -> Sequence[str]:
    """Copy the run in `old`, whose file is `path`; return what had to be changed.

    Raises:
        RecordError: what a checksum covers has changed.
    """
    head = dict(_read_head(path, old))
    head["scenario"], changes = modernize_scenario(head["scenario"])
    head[SPENDING] = modernize_spending(head.get(SPENDING), _sum_calls(old, head["price"]))
    META.put(new, head.items())
    verify_chain(path, old, _END)
    copy_ticks(old, new)
    for call in _read_calls(path, old):
        put_call(new, call)
    CHECKPOINTS.put(new, _read_checkpoints(path, old))
    EMBEDDINGS.put(new, _read_embeddings(path, old))
    for table in _UNCHECKED:
        table.put(new, _read_unchecked(old, table))
    return changes


def _sum_calls(old: RunConnection, told: str) -> Spend:
    """Return what the stored calls cost at the price of the run."""
    query = "SELECT total(attempts), total(prompt_tokens), total(completion_tokens) FROM calls"
    calls, read, written = (int(count) for count in old.execute(query).fetchone())
    prices = json.loads(told)
    price = FREE if prices is None else unpack_price(prices)
    return Spend(calls, read + written, price.cost(read, written))


def _read_head(path: Path, old: RunConnection) -> Iterator[tuple[str, str]]:
    for key, value, checksum in old.execute("SELECT key, value, checksum FROM meta"):
        _compare(path, f"{key}\0{value}".encode(), checksum, f"meta {key!r}")
        yield key, value


def _read_calls(path: Path, old: RunConnection) -> Iterator[CallRow]:
    query = f"SELECT {', '.join(_CALLS)}, checksum FROM calls"  # noqa: S608 (constant text)
    for *values, checksum in old.execute(query):
        facts = dict(zip(_CALLS, values, strict=True))
        lasting = [value for name, value in facts.items() if name not in _WALL_CLOCK]
        what = f"the call of {facts['agent']!r} at tick {facts['tick']}"
        _compare(path, encode(lasting).encode(), checksum, what)
        yield CallRow(**facts)


def _read_checkpoints(path: Path, old: RunConnection) -> Iterator[Sequence[Value]]:
    for tick, body, checksum in old.execute("SELECT tick, body, checksum FROM checkpoints"):
        _compare(path, b"%d " % tick + body, checksum, f"the checkpoint of tick {tick}")
        yield tick, body


def _read_embeddings(path: Path, old: RunConnection) -> Iterator[Sequence[Value]]:
    query = "SELECT model, text, vector, checksum FROM embeddings"
    for model, text, vector, checksum in old.execute(query):
        facts = b"\0".join((model.encode(), text.encode(), vector))
        _compare(path, facts, checksum, f"an embedding of {model!r}")
        yield model, text, vector


def _read_unchecked(old: RunConnection, table: RecordTable) -> Iterator[Sequence[Value]]:
    columns = ", ".join(table.columns)
    yield from old.execute(f"SELECT {columns} FROM {table.name} ORDER BY rowid")  # noqa: S608


def _compare(path: Path, content: bytes, checksum: bytes, what: str) -> None:
    if sha256(content).digest() != checksum:
        raise damage_error(path, f"{what} has changed")
