"""Answers of interviews, for the terminal and as JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from genagents_env.errors import FileError
from genagents_env.record import RunReader
from genagents_env.show.evidence import RestedAnswer, find_evidence_lines, find_rested_answers
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.judge.kept_answers import (
    KeptAnswer,
    WordedAnswer,
    find_kept_file,
    read_answers,
    read_own_answers,
)

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


def find_answers(data: RunData) -> tuple[tuple[RestedAnswer, ...], str]:
    """Return the answers in the record, then those kept beside the run, and a caution.

    Answers of another run, or of this one before it went on, are left out; the caution says so,
    and is empty otherwise.
    """
    recorded = find_rested_answers(data)
    try:
        path = find_kept_file(data.path)
        own, others = read_own_answers(path, data.path)
    except FileError as error:
        return recorded, f"Answers kept beside a run are left out: {error}"
    caution = (
        f"{path}: {others} of {len(own) + others} answers are left out; they are of another run, "
        "or of this one before it went on."
    )
    later = (_rest_answer(data.reader, one) for one in own)
    return (*recorded, *later), caution if others else ""


def _rest_answer(reader: RunReader, one: KeptAnswer) -> RestedAnswer:
    asker = f", asked by {one.interviewer}" if one.interviewer else ""
    return RestedAnswer(
        *(one.tick, one.said.agent, one.said.question, one.said.repeat, one.said.text),
        tuple(find_evidence_lines(reader, one.evidence, one.tick)),
        condition=f"condition {one.said.condition}, given by {one.by}{asker}",
        fallback=one.fallback,
    )


def format_stored(data: RunData, answers: Iterable[RestedAnswer]) -> Iterator[str]:
    """Yield the answers by question: when, who, under which condition, what it rests on."""
    by_question: dict[str, list[RestedAnswer]] = {}
    for one in answers:
        by_question.setdefault(one.question, []).append(one)
    for question, given in by_question.items():
        yield f"Q: {question}"
        for one in sorted(given, key=lambda one: one.tick):
            condition = f" [{one.condition}]" if one.condition else ""
            time = f"{data.reader.time(one.tick):%a %d %b %H:%M}"
            yield f"    {time}  {one.agent}{condition}: {one.text}"
            if one.fallback:
                yield f"        {DEFAULT}"
            if one.verdicts:
                yield f"        judged: {'; '.join(one.verdicts)}"
            yield from (f"        {event.line}" for event in one.evidence)


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
