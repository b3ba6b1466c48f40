"""Interviews, memories of facts, and the verdicts of judges on answers: rows of tables."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple

from genagents_env.record.connection import RunConnection
from genagents_env.record.rows import InterviewRow, JudgementRow, RememberedRow, encode
from genagents_env.record.tables import INTERVIEWS, JUDGEMENTS, REMEMBERED


def put_interviews(connection: RunConnection, rows: Sequence[InterviewRow]) -> None:
    """Write answers, in place of earlier ones."""
    INTERVIEWS.put(
        connection,
        [(r.tick, r.agent, r.question, r.answer, encode(list(r.evidence)), r.repeat) for r in rows],
    )


def put_remembered(connection: RunConnection, rows: Sequence[RememberedRow]) -> None:
    """Write memories of facts, in place of earlier ones."""
    REMEMBERED.put(
        connection, [(r.tick, r.agent, r.fact, r.text, encode(list(r.events))) for r in rows]
    )


def put_judgement(connection: RunConnection, row: JudgementRow) -> None:
    """Write a verdict, in place of an earlier one of the same judge on the same answer."""
    JUDGEMENTS.put(connection, [astuple(row)])


def read_interviews(connection: RunConnection) -> list[InterviewRow]:
    """Return every answer, ordered by tick, then as they were written."""
    return [
        InterviewRow(tick, agent, question, answer, _read_ids(evidence), number)
        for tick, agent, question, answer, evidence, number in INTERVIEWS.read(
            connection, "tick, rowid"
        )
    ]


def read_remembered(connection: RunConnection) -> list[RememberedRow]:
    """Return every memory of a fact, ordered by tick, then as they were written."""
    return [
        RememberedRow(tick, agent, fact, text, _read_ids(events))
        for tick, agent, fact, text, events in REMEMBERED.read(connection, "tick, rowid")
    ]


def read_judgements(connection: RunConnection) -> list[JudgementRow]:
    """Return every verdict, ordered by judge, check, tick, repeat, agent and question."""
    order = "judge, check_id, tick, repeat, agent, question"
    return [JudgementRow(*row) for row in JUDGEMENTS.read(connection, order)]


def format_canonical_lines(connection: RunConnection) -> Iterator[str]:
    """Yield a line of the canonical hash for each answer and each memory, sorted.

    Lines of a first interview have no number.
    """
    for *answer, number in INTERVIEWS.read(connection, "tick, agent, question, repeat"):
        yield encode([*answer, number] if number else answer)
    for row in REMEMBERED.read(connection, "tick, agent, fact, text"):
        yield f"remembered {encode(row)}"


def _read_ids(text: str) -> tuple[int, ...]:
    ids = json.loads(text)
    if not isinstance(ids, list) or any(type(id_) is not int for id_ in ids):
        raise ValueError(f"{text:.40} is not a list of ids")
    return tuple(ids)
