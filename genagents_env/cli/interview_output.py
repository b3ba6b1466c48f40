"""Answers of interviews, for the terminal and as JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from genagents_env.record import RunReader
from genagents_env.show.evidence import find_evidence_lines
from genagents_env.study.judge.kept_answers import KeptAnswer, WordedAnswer, read_answers

DEFAULT = "(nobody said this: the model gave no usable reply)"


def describe_answers(
    record: RunReader, path: Path, tick: int, given: Mapping[str, Sequence[WordedAnswer]]
) -> dict[str, Any]:
    """Return the answers as JSON values, each with the events it rests on."""
    return {
        "run": str(path),
        "tick": tick,
        "time": record.time(tick).isoformat(),
        "agents": {
            name: [
                {
                    "question": answer.question,
                    "repeat": answer.repeat,
                    "answer": answer.text,
                    "fallback": answer.fallback,
                    "evidence": [
                        {"event": event.event, "line": event.line}
                        for event in find_evidence_lines(record, answer.evidence, tick)
                    ],
                }
                for answer in answers
            ]
            for name, answers in given.items()
        },
    }


def format_answers(described: dict[str, Any], time: datetime, repeats: int) -> Iterator[str]:
    """Yield what `describe_answers` returned, person by person."""
    for name, answers in described["agents"].items():
        yield f"{name}, {time:%A %H:%M}"
        repeat = -1
        for answer in answers:
            if repeats > 1 and answer["repeat"] > repeat:
                repeat = answer["repeat"]
                yield f"  Interview {repeat + 1} of {repeats}"
            yield f"    Q: {answer['question']}"
            yield f"    A: {answer['answer']}"
            if answer["fallback"]:
                yield f"        {DEFAULT}"
            yield from (f"        {event['line']}" for event in answer["evidence"])


def list_stored(record: RunReader, kept: Iterable[KeptAnswer]) -> list[dict[str, Any]]:
    """Return all answers of a run: those in its record, and those kept beside it; as JSON."""
    stored = [
        {
            "question": row.question,
            "time": record.time(row.tick).isoformat(),
            "agent": row.agent,
            "condition": "run",
            "by": record.meta.model,
            "repeat": row.repeat,
            "answer": row.answer,
            "evidence": list(row.evidence),
        }
        for row in record.interviews()
    ]
    beside = [
        {
            "question": row.said.question,
            "time": row.time,
            "agent": row.said.agent,
            "condition": row.said.condition,
            "by": row.by,
            "repeat": row.said.repeat,
            "answer": row.said.text,
            "evidence": list(row.evidence),
            "fallback": row.fallback,
            "interviewer": row.interviewer,
        }
        for row in kept
    ]
    return stored + beside


def format_stored(stored: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the answers by question: when, who, under which condition, what."""
    by_question: dict[str, list[dict[str, Any]]] = {}
    for row in stored:
        by_question.setdefault(row["question"], []).append(row)
    for question, rows in by_question.items():
        yield f"Q: {question}"
        for row in sorted(rows, key=lambda row: row["time"]):
            time = f"{datetime.fromisoformat(row['time']):%a %d %b %H:%M}"
            condition = "" if row["condition"] == "run" else f" [{row['condition']}, {row['by']}]"
            asker = f", asked by {row['interviewer']}" if row.get("interviewer") else ""
            yield f"    {time}  {row['agent']}{condition}{asker}: {row['answer']}"
            if row.get("fallback"):
                yield f"        {DEFAULT}"


def describe_kept(file: Path) -> Iterator[str]:
    """Yield what a file of kept answers holds by condition, and what can be made of it."""
    rows: dict[tuple[str, str, str], list[KeptAnswer]] = {}
    for kept in read_answers(file):
        rows.setdefault((kept.time, kept.said.condition, kept.by), []).append(kept)
    for (time, condition, by), answers in rows.items():
        people = len({kept.said.agent for kept in answers})
        questions = len({(kept.said.agent, kept.said.question) for kept in answers})
        missing = sum(kept.fallback for kept in answers)
        defaults = f", {missing:,} of them defaults" if missing else ""
        yield (
            f"{time[:16].replace('T', ' ')}  {condition} ({by}): {people:,} people, "
            f"{questions:,} questions, {len(answers):,} answers{defaults}"
        )
    yield f"Rankings: genagents judge {file} --pairwise; by people: add --sheet FILE"
