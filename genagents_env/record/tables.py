"""The tables of a run file."""

from genagents_env.record.table import CHECKSUM, SUMS, RecordTable, TypedColumn, make_sql

_TEXT = TypedColumn("TEXT NOT NULL", "typeof({0}) = 'text'")
_TEXT_OR_NULL = TypedColumn("TEXT", "({0} IS NULL OR typeof({0}) = 'text')")
_COUNT = TypedColumn(
    "INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} BETWEEN 0 AND 1000000000000"
)
_TICK = TypedColumn("INTEGER NOT NULL", "typeof({0}) = 'integer' AND {0} BETWEEN -1 AND 1000000000")
_SECONDS = TypedColumn("REAL NOT NULL", "typeof({0}) = 'real' AND {0} BETWEEN -1e12 AND 1e12")
_BLOB = TypedColumn("BLOB NOT NULL", "typeof({0}) = 'blob'")
_ID = TypedColumn("INTEGER PRIMARY KEY", "{0} BETWEEN 0 AND 1000000000000")

# A tick's events have the ids first_event .. first_event + events - 1, so no index on tick is
# needed. The checksum of a tick is a SHA-256 that also covers the tick before it.
TICKS = {
    **{"tick": _ID, "positions": _BLOB, "first_event": _COUNT, "events": _COUNT},
    **{"checksum": CHECKSUM},
}
EVENTS = {"id": _ID, "tick": _TICK, "kind": _TEXT, "agent": _TEXT_OR_NULL, "data": _TEXT}
META = RecordTable("meta", {"key": _TEXT, "value": _TEXT}, ("key",))
POLICY_ERRORS = RecordTable(
    "policy_errors", {"tick": _TICK, "agent": _TEXT, "policy": _TEXT, "kind": _TEXT, "text": _TEXT}
)
NOTES = RecordTable(
    "notes",
    {
        **{"tick": _TICK, "call_tick": _TICK, "agent": _TEXT, "purpose": _TEXT},
        **{"number": _COUNT, "kind": _TEXT, "text": _TEXT},
    },
)
CALLS = RecordTable(
    "calls",
    {
        **{"agent": _TEXT, "tick": _TICK, "purpose": _TEXT, "number": _COUNT},
        **{"prompt_hash": _TEXT, "messages": _BLOB, "outcome": _TEXT, "reply": _TEXT},
        **{"prompt_tokens": _COUNT, "completion_tokens": _COUNT, "attempts": _COUNT},
        **{"reasks": _COUNT, "truncated": _COUNT, "fault": _TEXT_OR_NULL},
        **{"latency_seconds": _SECONDS, "started_at": _SECONDS, "model": _TEXT},
        **{"reasoning_tokens": _COUNT, "unsaid_prompt_tokens": _COUNT},
        **{"unsaid_completion_tokens": _COUNT},
    },
    ("agent", "tick", "purpose", "number"),
)
# For each faculty the prompt by which the others are compressed.
DICTIONARIES = RecordTable("dictionaries", {"faculty": _TEXT, "body": _BLOB}, ("faculty",))
CHECKPOINTS = RecordTable("checkpoints", {"tick": _TICK, "body": _BLOB}, ("tick",))
EMBEDDINGS = RecordTable(
    "embeddings", {"model": _TEXT, "text": _TEXT, "vector": _BLOB}, ("model", "text")
)
INTERVIEWS = RecordTable(
    "interviews",
    {
        **{"tick": _TICK, "agent": _TEXT, "question": _TEXT, "answer": _TEXT},
        **{"evidence": _TEXT, "repeat": _COUNT},
    },
    ("tick", "agent", "question", "repeat"),
)
REMEMBERED = RecordTable(
    "remembered",
    {"tick": _TICK, "agent": _TEXT, "fact": _TEXT, "text": _TEXT, "events": _TEXT},
    ("tick", "agent", "fact", "text"),
)
JUDGEMENTS = RecordTable(
    "judgements",
    {
        **{"judge": _TEXT, "check_id": _TEXT, "tick": _TICK, "agent": _TEXT, "question": _TEXT},
        **{"repeat": _COUNT, "verdict": _TEXT_OR_NULL, "reply": _TEXT},
        **{"prompt_tokens": _COUNT, "completion_tokens": _COUNT},
    },
    ("judge", "check_id", "tick", "agent", "question", "repeat"),
)
# Outside the canonical hash, and missing in files of earlier versions: what everybody attempted
# in a tick, and what the endpoint said of itself with an answer.
ACTIONS = RecordTable("actions", {"tick": _TICK, "body": _TEXT}, ("tick",), optional=True)
RESPONSES = RecordTable(
    "responses",
    {
        **{"agent": _TEXT, "tick": _TICK, "purpose": _TEXT, "number": _COUNT},
        **{"model": _TEXT, "fingerprint": _TEXT},
        **{"cached_tokens": _COUNT, "cache_write_tokens": _COUNT},
    },
    ("agent", "tick", "purpose", "number"),
    optional=True,
)
OPTIONAL = (ACTIONS, RESPONSES)
SUMMED = (
    *(META, POLICY_ERRORS, NOTES, CALLS, DICTIONARIES, CHECKPOINTS, EMBEDDINGS),
    *(INTERVIEWS, REMEMBERED, JUDGEMENTS, *OPTIONAL),
)
COLUMNS = {
    **{"ticks": TICKS, "events": EVENTS, "sums": SUMS},
    **{table.name: table.all_columns for table in SUMMED},
}
STATEMENTS = (
    make_sql("ticks", TICKS),
    make_sql("events", EVENTS),
    make_sql("sums", SUMS, ("name",)),
    *(table.sql for table in SUMMED),
)
