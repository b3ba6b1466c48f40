"""What people answered, for the terminal and as JSON."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genagents_env.judge.kept_answers import KeptAnswer
    from genagents_env.record import RunReader
    from genagents_env.run.interviews import Transcript

DEFAULT = "(nobody said this: the model gave no usable reply)"


def format_answers(
    record: "RunReader", tick: int, told: "Transcript", repeats: int
) -> Iterator[str]:
    """Yield the answers person by person, each with what it rests on."""
    from genagents_env.evaluate.evidence import find_evidence_lines

    time = record.time(tick)
    for name, answers in told.items():
        yield f"{name}, {time:%A %H:%M}"
        each = len(answers) // repeats
        for number, (question, answer) in enumerate(answers):
            if repeats > 1 and number % each == 0:
                yield f"  Interview {number // each + 1} of {repeats}"
            yield f"    Q: {question}"
            yield f"    A: {answer.text}"
            if answer.fallback:
                yield f"        {DEFAULT}"
            rests_on = find_evidence_lines(record, answer.evidence, tick)
            yield from (f"        {one.line}" for one in rests_on)


def describe_answers(
    record: "RunReader", path: Path, tick: int, told: "Transcript", repeats: int
) -> dict[str, object]:
    """Return the answers as JSON."""
    from genagents_env.evaluate.evidence import find_evidence_lines

    return {
        "run": str(path),
        "tick": tick,
        "time": record.time(tick).isoformat(),
        "agents": {
            name: [
                {
                    "question": question,
                    "repeat": number // (len(answers) // repeats),
                    "answer": answer.text,
                    "fallback": answer.fallback,
                    "evidence": [
                        {"event": one.event, "line": one.line}
                        for one in find_evidence_lines(record, answer.evidence, tick)
                    ],
                }
                for number, (question, answer) in enumerate(answers)
            ]
            for name, answers in told.items()
        },
    }


def count_fallbacks(several: "Iterable[Transcript]") -> tuple[int, int]:
    """Return how many answers are none, and how many there are."""
    answers = [a for told in several for given in told.values() for _, a in given]
    return sum(answer.fallback for answer in answers), len(answers)


def list_stored(record: "RunReader", kept: "Iterable[KeptAnswer]") -> list[dict[str, object]]:
    """Return all answers of a run: those in its record, and those kept beside it; as JSON."""
    stored: list[dict[str, object]] = [
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
    beside: list[dict[str, object]] = [
        {
            "question": one.said.question,
            "time": one.time,
            "agent": one.said.agent,
            "condition": one.said.condition,
            "by": one.by,
            "repeat": one.said.repeat,
            "answer": one.said.text,
            "evidence": list(one.evidence),
            "fallback": one.fallback,
            "interviewer": one.interviewer,
        }
        for one in kept
    ]
    return stored + beside


def format_stored(stored: "Iterable[dict[str, object]]") -> Iterator[str]:
    """Yield the answers by question: when, who, under which condition, what."""
    by_question: dict[str, list[dict[str, object]]] = {}
    for row in stored:
        by_question.setdefault(str(row["question"]), []).append(row)
    for question, rows in by_question.items():
        yield f"Q: {question}"
        for row in sorted(rows, key=lambda one: str(one["time"])):
            time = f"{datetime.fromisoformat(str(row['time'])):%a %d %b %H:%M}"
            condition = "" if row["condition"] == "run" else f" [{row['condition']}, {row['by']}]"
            asker = f", asked by {row['interviewer']}" if row.get("interviewer") else ""
            yield f"    {time}  {row['agent']}{condition}{asker}: {row['answer']}"
            if row.get("fallback"):
                yield f"        {DEFAULT}"
