"""What was found by asking: interviews, memories of facts, and what judges made of answers."""

import json
import sqlite3
from collections.abc import Iterator, Sequence

from genagents_env.record.rows import InterviewRow, JudgementRow, RememberedRow, encode

_INTERVIEWS = "SELECT tick, agent, question, answer, evidence, repeat FROM interviews ORDER BY {}"
_JUDGEMENT = """judge, check_id, tick, agent, question, repeat, verdict, reply, prompt_tokens,
    completion_tokens"""


def put_interviews(connection: sqlite3.Connection, rows: Sequence[InterviewRow]) -> None:
    """Write answers; one that is there already is replaced."""
    connection.executemany(
        "INSERT OR REPLACE INTO interviews VALUES (?, ?, ?, ?, ?, ?)",
        [(r.tick, r.agent, r.question, r.answer, encode(list(r.evidence)), r.repeat) for r in rows],
    )


def put_remembered(connection: sqlite3.Connection, rows: Sequence[RememberedRow]) -> None:
    """Write memories of facts; one that is there already is replaced."""
    connection.executemany(
        "INSERT OR REPLACE INTO remembered VALUES (?, ?, ?, ?, ?)",
        [(r.tick, r.agent, r.fact, r.text, encode(list(r.events))) for r in rows],
    )


def put_judgement(connection: sqlite3.Connection, row: JudgementRow) -> None:
    """Write a verdict; an earlier one of the same judge on the same answer is replaced."""
    connection.execute(
        f"INSERT OR REPLACE INTO judgements ({_JUDGEMENT}) "  # noqa: S608 (constant text)
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(row.judge, row.check, row.tick, row.agent, row.question, row.repeat),
            *(row.verdict, row.reply, row.prompt_tokens, row.completion_tokens),
        ),
    )


def read_interviews(connection: sqlite3.Connection) -> list[InterviewRow]:
    """Return every answer, ordered by tick, then as they were written."""
    return [
        InterviewRow(tick, agent, question, answer, tuple(json.loads(evidence)), number)
        for tick, agent, question, answer, evidence, number in connection.execute(
            _INTERVIEWS.format("tick, rowid")
        )
    ]


def read_remembered(connection: sqlite3.Connection) -> list[RememberedRow]:
    """Return every memory of a fact, ordered by tick, then as they were written."""
    query = "SELECT tick, agent, fact, text, events FROM remembered ORDER BY tick, rowid"
    return [
        RememberedRow(tick, agent, fact, text, tuple(json.loads(events)))
        for tick, agent, fact, text, events in connection.execute(query)
    ]


def read_judgements(connection: sqlite3.Connection) -> list[JudgementRow]:
    """Return every verdict, ordered by judge, check, tick, repeat, agent and question."""
    order = "judge, check_id, tick, repeat, agent, question"
    query = f"SELECT {_JUDGEMENT} FROM judgements ORDER BY {order}"  # noqa: S608
    return [JudgementRow(*row) for row in connection.execute(query)]


def format_canonical_lines(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a line of the canonical hash for each answer and each memory, sorted.

    That of a first interview goes without its number.
    """
    query = _INTERVIEWS.format("tick, agent, question, repeat")
    for *answer, number in connection.execute(query):
        yield encode([*answer, number] if number else answer)
    query = "SELECT tick, agent, fact, text, events FROM remembered ORDER BY 1, 2, 3, 4"
    for row in connection.execute(query):
        yield f"remembered {encode(list(row))}"
