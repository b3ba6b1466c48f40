"""Answers of interviews with the events that each rests on, as lines one can read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from genagents_env.record import RunReader
from genagents_env.show.transcript import format_transcript
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.text import clean
from genagents_env.world.events import Event

_LIMIT = 200  # characters of a name and a kind of event


@dataclass(frozen=True, slots=True)
class EvidenceEvent:
    """An event that an answer names: its id and what happened, with the day and the time.

    `known`: whether it is in the record and had happened when the answer was given.
    """

    event: int
    line: str
    known: bool = True


@dataclass(frozen=True, slots=True)
class RestedAnswer:
    """An answer with what it rests on, and what models judged of it.

    Attributes:
        tick: of the interview.
        agent: who answered.
        question: in words.
        repeat: of which interview from the same state of mind, from 0.
        text: the answer.
        evidence: in the order in which the answer names it.
        verdicts: such as `suspect: Ben (arbiter)`.
        condition: under which it was given in an interview held later, and by whom; empty of
            those that the record holds.
        fallback: nobody gave it: the model's reply was of no use.
    """

    tick: int
    agent: str
    question: str
    repeat: int
    text: str
    evidence: tuple[EvidenceEvent, ...]
    verdicts: tuple[str, ...] = ()
    condition: str = ""
    fallback: bool = False


@once_per_run
def find_rested_answers(data: RunData) -> tuple[RestedAnswer, ...]:
    """Return every answer in the record of a run, in its order."""
    verdicts: dict[tuple[int, str, str, int], list[str]] = {}
    for row in data.judgements:
        key = row.tick, row.agent, row.question, row.repeat
        verdicts.setdefault(key, []).append(f"{row.check}: {row.verdict or '?'} ({row.judge})")
    return tuple(
        RestedAnswer(
            *(one.tick, one.agent, one.question, one.repeat, one.answer),
            tuple(find_evidence_lines(data.reader, one.evidence, one.tick)),
            tuple(verdicts.get((one.tick, one.agent, one.question, one.repeat), ())),
        )
        for one in data.interviews
    )


def find_evidence_lines(
    reader: RunReader, ids: Iterable[int], tick: int
) -> Iterator[EvidenceEvent]:
    """Yield the events that an answer given at `tick` names, in its order."""
    for id_ in ids:
        event = reader.event(id_)
        if event is None:
            yield EvidenceEvent(id_, f"event {id_}, which is not in the record", known=False)
        else:
            yield EvidenceEvent(id_, _format_event(reader, event), event.tick <= tick)


def _format_event(reader: RunReader, event: Event) -> str:
    time = reader.time(event.tick)
    who = clean(f"{event.agent or 'the town'}: {event.kind}", _LIMIT)
    untold = f"{time:%H:%M:%S}  {who}"
    *_, line = "", untold, *format_transcript([event], reader.time)
    return f"{time:%a} {line}"
