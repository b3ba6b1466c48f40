"""The stored model calls: rows of a table, with the prompts compressed.

Prompts of one faculty are much alike. So the first one stored is the dictionary by which the others
are compressed, which takes a fifth of the space.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from genagents_env.llm.calls import CallKey, Message
from genagents_env.llm.cassette import UNAVAILABLE
from genagents_env.record.compressed import inflate
from genagents_env.record.connection import RunConnection, damage_error, guard_reading
from genagents_env.record.rows import CallRow, ResponseRow
from genagents_env.record.tables import CALLS, DICTIONARIES, RESPONSES, Value

OF_CALL = "agent = ? AND tick = ? AND purpose = ? AND number = ?"
_PROMPT_LIMIT = 2**26  # bytes; the longest prompts of today are of some hundred thousand
_REACH = 2**15  # bytes back that zlib looks
_MESSAGES = list(CALLS.columns).index("messages")
# How the client marks calls without any answer, as against one that was no use.
_SILENT = f"(outcome = 'fallback' AND fault LIKE '{UNAVAILABLE}%')"
_LOST = f"({_SILENT} OR (outcome = 'fallback' AND fault LIKE 'refused:%'))"
# Of calls made together, those that were answered ended before the outage.
_ENDED = "(started_at + latency_seconds)"
_LATEST = (
    f"FROM calls WHERE {_LOST} AND {_ENDED} > "  # noqa: S608 (constant text)
    f"(SELECT coalesce(max({_ENDED}), 0) FROM calls WHERE NOT {_LOST})"
)


def put_call(connection: RunConnection, row: CallRow) -> None:
    """Write a call in place of an earlier one, within the caller's transaction."""
    prompt = row.messages.encode()
    faculty = _find_faculty(row.purpose)
    with guard_reading(connection.path):
        rows = DICTIONARIES.find(connection, "faculty = ?", faculty)
        dictionary = _inflate_all(rows).get(faculty)
    if dictionary is None:
        dictionary = prompt[-_REACH:]
        DICTIONARIES.put(connection, [(faculty, zlib.compress(dictionary))])
    packer = zlib.compressobj(zdict=dictionary)
    values: list[Value] = [getattr(row, name) for name in CALLS.columns]
    values[_MESSAGES] = packer.compress(prompt) + packer.flush()
    CALLS.put(connection, [values])


def put_response(connection: RunConnection, row: ResponseRow) -> None:
    """Write what an endpoint reported with a call, in the transaction of the call."""
    RESPONSES.put(connection, [astuple(row)])


def read_responses(connection: RunConnection) -> Iterator[ResponseRow]:
    """Yield the reports of endpoints, ordered as `read_calls`; nothing of an older file.

    Raises:
        RecordError: a row has changed; at the end, where one is missing or was added.
    """
    for values in RESPONSES.read(connection, ", ".join(RESPONSES.key)):
        yield ResponseRow(*values)


def find_responses(connection: RunConnection, where: str, *values: Value) -> list[ResponseRow]:
    """Return the reports of endpoints with some calls; nothing of an older file."""
    return [ResponseRow(*row) for row in RESPONSES.find(connection, where, *values)]


def add_cached(calls: Iterable[CallRow], responses: Iterable[ResponseRow]) -> Iterator[CallRow]:
    """Yield `calls`, each with the tokens that its endpoint read from its cache and wrote to it."""
    counts = {
        (row.agent, row.tick, row.purpose, row.number): (row.cached_tokens, row.cache_write_tokens)
        for row in responses
        if row.cached_tokens or row.cache_write_tokens
    }
    for call in calls:
        cached = counts.get((call.agent, call.tick, call.purpose, call.number))
        if cached is not None:
            call = replace(call, cached_tokens=cached[0], cache_write_tokens=cached[1])
        yield call


def drop_calls(connection: RunConnection, where: str, *values: Value) -> int:
    """Delete calls and the endpoints' reports of them, in a transaction; count the calls."""
    gone = CALLS.delete(connection, where, *values)
    if gone:
        key = ", ".join(RESPONSES.key)
        left = f"({key}) NOT IN (SELECT {key} FROM calls)"  # noqa: S608 (constant text)
        RESPONSES.delete(connection, left)
    return gone


def drop_answers_to_fallbacks(connection: RunConnection, first: int) -> None:
    """Delete the calls after a fallback of tick `first` or later: they may rest on it."""
    query = f"SELECT min({_ENDED}) FROM calls WHERE tick >= ? AND outcome = 'fallback'"  # noqa: S608
    (since,) = connection.execute(query, (first,)).fetchone()
    if since is not None:
        drop_calls(connection, f"tick >= ? AND {_ENDED} >= ?", first, since)


def parse_messages(path: Path, row: CallRow) -> list[Message]:
    """Return the prompt of a call.

    Raises:
        RecordError: it is not a list of messages with a role and a text each.
    """
    try:
        messages = [Message(m["role"], m["content"]) for m in json.loads(row.messages)]
    except (TypeError, ValueError, KeyError, RecursionError):
        messages = None
    if messages is None or not all(isinstance(m.content, str) for m in messages):
        call = CallKey(row.agent, row.tick, row.purpose, row.number)
        raise damage_error(path, f"the prompt of {call} is no list of messages of text")
    return messages


def find_call(connection: RunConnection, key: CallKey) -> CallRow | None:
    """Return a call, or None; raise RecordError where it has changed."""
    rows = CALLS.find(connection, OF_CALL, *astuple(key))
    if not rows:
        return None
    dictionaries = DICTIONARIES.find(connection, "faculty = ?", _find_faculty(key.purpose))
    return _unpack(connection, rows[0], _inflate_all(dictionaries))


def find_calls(
    connection: RunConnection, first: int, last: int, agent: str | None = None
) -> list[CallRow]:
    """Return an agent's or everybody's calls of these ticks.

    They are ordered by tick, agent, purpose and number.

    Raises:
        RecordError: one of them has changed.
    """
    agents = [agent]
    if agent is None:  # by way of the key, whose first column the agent is
        agents = [name for (name,) in connection.execute("SELECT DISTINCT agent FROM calls")]
    where = "agent = ? AND tick BETWEEN ? AND ?"
    rows = [row for a in agents for row in CALLS.find(connection, where, a, first, last)]
    dictionaries = _inflate_all(DICTIONARIES.find(connection, "1"))
    calls = [_unpack(connection, row, dictionaries) for row in rows]
    return sorted(calls, key=lambda row: (row.tick, row.agent, row.purpose, row.number))


def read_calls(connection: RunConnection) -> Iterator[CallRow]:
    """Yield every call, ordered by agent, tick, purpose and number.

    Raises:
        RecordError: one has changed; at the end, where one is missing or was added.
    """
    dictionaries = _inflate_all(DICTIONARIES.read(connection))
    for values in CALLS.read(connection, ", ".join(CALLS.key)):
        yield _unpack(connection, values, dictionaries)


def _unpack(
    connection: RunConnection, values: Sequence[Value], dictionaries: dict[str, bytes]
) -> CallRow:
    facts = dict(zip(CALLS.columns, values, strict=True))
    packed, faculty = facts.pop("messages"), _find_faculty(facts["purpose"])
    if faculty not in dictionaries:
        what = f"the dictionary of the prompts of {faculty!r} is missing"
        raise damage_error(connection.path, what)
    messages = inflate(packed, _PROMPT_LIMIT, dictionaries[faculty]).decode()
    return CallRow(messages=messages, **facts)


def _inflate_all(rows: Iterable[Sequence[Value]]) -> dict[str, bytes]:
    return {faculty: inflate(body, _REACH) for faculty, body in rows}


def _find_faculty(purpose: str) -> str:
    return purpose.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Outage:
    """The calls without an answer since the last answered one.

    Attributes:
        tick: of the first of them.
        calls: how many.
        fault: of the last to end.
        silent: how many got no answer, rather than a refusal of their prompt.
        total: whether no call of the run was ever answered.
    """

    tick: int
    calls: int
    fault: str
    silent: int
    total: bool

    def describe(self) -> str:
        """Describe the outage, and say what to do."""
        which = "of all its model calls" if self.total else "of the last model calls of the run"
        return (
            f"{self.calls} {which} got no answer, the last with: {self.fault}. "
            "Resume the run when the endpoint answers; for a slow one, with a longer "
            "--endpoint timeout=N and --endpoint deadline=N"
        )


def find_outage(connection: RunConnection) -> Outage | None:
    """Return the outage in which a run file ends; None where its last call was answered."""
    tick, calls, silent = connection.execute(
        f"SELECT min(tick), count(*), coalesce(sum({_SILENT}), 0) {_LATEST}"
    ).fetchone()
    if not calls:
        return None
    (fault,) = connection.execute(
        f"SELECT fault {_LATEST} ORDER BY {_ENDED} DESC LIMIT 1"
    ).fetchone()
    (answered,) = connection.execute(
        f"SELECT count(*) FROM calls WHERE NOT {_LOST}"  # noqa: S608
    ).fetchone()
    return Outage(int(tick), int(calls), str(fault), int(silent), not answered)
