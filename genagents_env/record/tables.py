"""The tables of a run file."""

from collections.abc import Mapping

from genagents_env.record.table import CHECKSUM, SUMS, RecordTable, TypedColumn, make_sql

_TYPES = {
    "text": TypedColumn("TEXT NOT NULL", "typeof({0}) = 'text'"),
    "text?": TypedColumn("TEXT", "({0} IS NULL OR typeof({0}) = 'text')"),
    "count": TypedColumn(
        "INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} BETWEEN 0 AND 1000000000000"
    ),
    "tick": TypedColumn(
        "INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} BETWEEN -1 AND 1000000000"
    ),
    "seconds": TypedColumn("REAL NOT NULL", "typeof({0}) = 'real' AND {0} BETWEEN -1e12 AND 1e12"),
    "blob": TypedColumn("BLOB NOT NULL", "typeof({0}) = 'blob'"),
    "id": TypedColumn("INTEGER PRIMARY KEY", "{0} BETWEEN 0 AND 1000000000000"),
    "checksum": CHECKSUM,
}


def _parse(columns: str) -> Mapping[str, TypedColumn]:
    """Return columns by name, from text such as `tick id, agent text`."""
    words = (column.split() for column in columns.split(", "))
    return {name: _TYPES[kind] for name, kind in words}


# A tick's events have the ids first_event .. first_event + events - 1, so no index on tick is
# needed. The checksum of a tick is a SHA-256 that also covers the tick before it.
TICKS = _parse("tick id, positions blob, first_event count, events count, checksum checksum")
EVENTS = _parse("id id, tick tick, kind text, agent text?, data text")
META = RecordTable("meta", _parse("key text, value text"), ("key",))
POLICY_ERRORS = RecordTable(
    "policy_errors", _parse("tick tick, agent text, policy text, kind text, text text")
)
NOTES = RecordTable(
    "notes",
    _parse(
        "tick tick, call_tick tick, agent text, purpose text, number count, kind text, text text"
    ),
)
_CALL = "agent text, tick tick, purpose text, number count"
_CALL_KEY = ("agent", "tick", "purpose", "number")
CALLS = RecordTable(
    "calls",
    _parse(
        f"{_CALL}, prompt_hash text, messages blob, outcome text, reply text, "
        "prompt_tokens count, completion_tokens count, attempts count, reasks count, "
        "truncated count, fault text?, latency_seconds seconds, started_at seconds, model text, "
        "reasoning_tokens count, unsaid_prompt_tokens count, unsaid_completion_tokens count"
    ),
    _CALL_KEY,
)
# For each faculty the prompt by which its other prompts are compressed.
DICTIONARIES = RecordTable("dictionaries", _parse("faculty text, body blob"), ("faculty",))
CHECKPOINTS = RecordTable("checkpoints", _parse("tick tick, body blob"), ("tick",))
EMBEDDINGS = RecordTable(
    "embeddings", _parse("model text, text text, vector blob"), ("model", "text")
)
INTERVIEWS = RecordTable(
    "interviews",
    _parse("tick tick, agent text, question text, answer text, evidence text, repeat count"),
    ("tick", "agent", "question", "repeat"),
)
REMEMBERED = RecordTable(
    "remembered",
    _parse("tick tick, agent text, fact text, text text, events text"),
    ("tick", "agent", "fact", "text"),
)
JUDGEMENTS = RecordTable(
    "judgements",
    _parse(
        "judge text, check_id text, tick tick, agent text, question text, repeat count, "
        "verdict text?, reply text, prompt_tokens count, completion_tokens count"
    ),
    ("judge", "check_id", "tick", "agent", "question", "repeat"),
)
# Outside the canonical hash, and missing in files of earlier versions: what everybody attempted
# in a tick, and what the endpoint reported of itself with an answer.
ACTIONS = RecordTable("actions", _parse("tick tick, body text"), ("tick",), optional=True)
RESPONSES = RecordTable(
    "responses",
    _parse(f"{_CALL}, model text, fingerprint text, cached_tokens count, cache_write_tokens count"),
    _CALL_KEY,
    optional=True,
)
OPTIONAL = (ACTIONS, RESPONSES)
SUMMED = (
    META,
    POLICY_ERRORS,
    NOTES,
    CALLS,
    DICTIONARIES,
    CHECKPOINTS,
    EMBEDDINGS,
    INTERVIEWS,
    REMEMBERED,
    JUDGEMENTS,
    *OPTIONAL,
)
COLUMNS = {
    "ticks": TICKS,
    "events": EVENTS,
    "sums": SUMS,
    **{table.name: table.all_columns for table in SUMMED},
}
STATEMENTS = (
    make_sql("ticks", TICKS),
    make_sql("events", EVENTS),
    make_sql("sums", SUMS, ("name",)),
    *(table.sql for table in SUMMED),
)
