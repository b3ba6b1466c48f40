"""The stored model calls: rows of a table, with the prompts compressed.

Prompts of one faculty are much alike. So the first one that is stored is kept as the dictionary by
which the others are compressed: a fifth of what they take without.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from pathlib import Path

from genagents_env.llm.calls import CallKey, Message
from genagents_env.record.connection import RunConnection
from genagents_env.record.guard import damage_error, guard_reading
from genagents_env.record.inflate import inflate
from genagents_env.record.rows import CallRow, ResponseRow
from genagents_env.record.table import Value
from genagents_env.record.tables import CALLS, DICTIONARIES, RESPONSES

_PROMPT_LIMIT = 2**26  # bytes; the longest prompts of today are of some hundred thousand
_REACH = 2**15  # bytes back that zlib looks
_MESSAGES = list(CALLS.columns).index("messages")


def put_call(connection: RunConnection, row: CallRow) -> None:
    """Write a call, in a transaction of the caller's; one that is there already is replaced."""
    prompt = row.messages.encode()
    faculty = _find_faculty(row.purpose)
    with guard_reading(connection.path):
        found = DICTIONARIES.find(connection.path, connection, "faculty = ?", faculty)
        dictionary = _inflate_all(found).get(faculty)
    if dictionary is None:
        dictionary = prompt[-_REACH:]
        DICTIONARIES.put(connection, [(faculty, zlib.compress(dictionary))])
    packer = zlib.compressobj(zdict=dictionary)
    values: list[Value] = [getattr(row, name) for name in CALLS.columns]
    values[_MESSAGES] = packer.compress(prompt) + packer.flush()
    CALLS.put(connection, [values])


def put_response(connection: RunConnection, row: ResponseRow) -> None:
    """Write what an endpoint said of itself with a call, in the transaction of the call."""
    RESPONSES.put(connection, [astuple(row)])


def read_responses(path: Path, connection: RunConnection) -> Iterator[ResponseRow]:
    """Yield what endpoints said of themselves, ordered as `read_calls`; none of an older file.

    Raises:
        RecordError: a row has changed; at the end, where one is missing or was added.
    """
    for values in RESPONSES.read(path, connection, ", ".join(RESPONSES.key)):
        yield ResponseRow(*values)


def find_responses(
    path: Path, connection: RunConnection, where: str, *values: Value
) -> list[ResponseRow]:
    """Return what endpoints said of themselves with some calls; none of an older file."""
    return [ResponseRow(*row) for row in RESPONSES.find(path, connection, where, *values)]


def add_cached(calls: Iterable[CallRow], responses: Iterable[ResponseRow]) -> Iterator[CallRow]:
    """Yield `calls`, each with the tokens that its endpoint read from its cache and wrote to it."""
    counts = {
        (row.agent, row.tick, row.purpose, row.number): (row.cached_tokens, row.cache_write_tokens)
        for row in responses
        if row.cached_tokens or row.cache_write_tokens
    }
    for call in calls:
        found = counts.get((call.agent, call.tick, call.purpose, call.number))
        yield (
            call
            if found is None
            else replace(call, cached_tokens=found[0], cache_write_tokens=found[1])
        )


def drop_calls(connection: RunConnection, where: str, *values: Value) -> int:
    """Delete calls with what was said of them, in a transaction; return how many calls."""
    gone = CALLS.delete(connection, where, *values)
    if gone:
        key = ", ".join(RESPONSES.key)
        left = f"({key}) NOT IN (SELECT {key} FROM calls)"  # noqa: S608 (constant text)
        RESPONSES.delete(connection, left)
    return gone


def parse_messages(path: Path, row: CallRow) -> list[Message]:
    """Return the prompt of a call.

    Raises:
        RecordError: it is no list of messages with a role and a text each.
    """
    try:
        messages = [Message(one["role"], one["content"]) for one in json.loads(row.messages)]
    except (TypeError, ValueError, KeyError, RecursionError):
        messages = None
    if messages is None or not all(isinstance(one.content, str) for one in messages):
        call = CallKey(row.agent, row.tick, row.purpose, row.number)
        raise damage_error(path, f"the prompt of {call} is no list of messages of text")
    return messages


def find_call(
    path: Path, connection: RunConnection, agent: str, tick: int, purpose: str, number: int
) -> CallRow | None:
    """Return a call, or None; raise RecordError where it has changed."""
    where = "agent = ? AND tick = ? AND purpose = ? AND number = ?"
    found = CALLS.find(path, connection, where, agent, tick, purpose, number)
    if not found:
        return None
    faculty = _find_faculty(purpose)
    dictionaries = DICTIONARIES.find(path, connection, "faculty = ?", faculty)
    return _unpack(path, found[0], _inflate_all(dictionaries))


def find_calls(
    path: Path, connection: RunConnection, first: int, last: int, agent: str | None = None
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
    rows = [row for a in agents for row in CALLS.find(path, connection, where, a, first, last)]
    dictionaries = _inflate_all(DICTIONARIES.find(path, connection, "1"))
    found = [_unpack(path, row, dictionaries) for row in rows]
    return sorted(found, key=lambda row: (row.tick, row.agent, row.purpose, row.number))


def read_calls(path: Path, connection: RunConnection) -> Iterator[CallRow]:
    """Yield every call, ordered by agent, tick, purpose and number.

    Raises:
        RecordError: one has changed; at the end, where one is missing or was added.
    """
    dictionaries = _inflate_all(DICTIONARIES.read(path, connection))
    for values in CALLS.read(path, connection, ", ".join(CALLS.key)):
        yield _unpack(path, values, dictionaries)


def _unpack(path: Path, values: Sequence[Value], dictionaries: dict[str, bytes]) -> CallRow:
    facts = dict(zip(CALLS.columns, values, strict=True))
    packed, faculty = facts.pop("messages"), _find_faculty(facts["purpose"])
    if faculty not in dictionaries:
        raise damage_error(path, f"the dictionary of the prompts of {faculty!r} is missing")
    messages = inflate(packed, _PROMPT_LIMIT, dictionaries[faculty]).decode()
    return CallRow(messages=messages, **facts)


def _inflate_all(rows: Iterable[Sequence[Value]]) -> dict[str, bytes]:
    return {faculty: inflate(body, _REACH) for faculty, body in rows}


def _find_faculty(purpose: str) -> str:
    return purpose.partition(".")[0]
