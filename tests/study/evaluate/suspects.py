"""A small mystery with checks, its interviews and judgements made by hand, and run files of it."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np

from genagents_env.record import (
    InterviewRow,
    JudgementRow,
    RememberedRow,
    RunMeta,
    RunReader,
    RunWriter,
)
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.questions import When
from genagents_env.scenario.schema import (
    AnswerCheck,
    Fact,
    PlaceCheck,
    Question,
    Success,
    Value,
    ValueCheck,
)
from genagents_env.study.evaluate.checks import RULE, Verdict
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event

TINY = load_scenario("tiny")
NAMES = ("Ada", "Ben", "Cy")
LAST = 60
WHO, PAIN = "Who was it?", "How is Marta?"

SUSPECT = ValueCheck(
    kind="value",
    id="suspect",
    question="who",
    ask="Whom does the answer suspect?",
    values=(
        Value(value="Franco", patterns=(r"\bfranco\b",)),
        Value(value="Zoe", patterns=(r"\bzoe\b", r"\bthe florist\b")),
    ),
    otherwise="nobody",
    several="first",
)
ILL = AnswerCheck(
    kind="answer",
    id="ill",
    question="pain",
    ask="Does the answer say that she is in pain?",
    yes=(r"\bpain\b", r"\bhurts\b"),
    no=(r"\bdon't know\b",),
)
STUDY = PlaceCheck(kind="place", id="study", place="Cottage/study")
TESTIMONY = Fact(
    id="testimony",
    statement="Franco ran away with a knife.",
    known_by=("Ada",),
    patterns=(r"\bfranco\b.*\bknife\b",),
)


def mystery(*success: Success, **changes: object) -> Scenario:
    """Return a town with a value check, an answer check and a place check."""
    questions = (
        Question(id="who", text=WHO, when="both"),
        Question(id="pain", text=PAIN, when="after"),
    )
    given = {
        "questions": questions,
        "checks": (SUSPECT, ILL, STUDY),
        "success": success,
        "facts": (TESTIMONY,),
        "gatherings": (),
        "interview_repeats": 3,
        **changes,
    }
    return TINY.model_copy(update=given)


def make_answers(
    agent: str, *answers: str, question: str = WHO, tick: int = LAST
) -> tuple[InterviewRow, ...]:
    """Return one agent's answers to a question, repeat by repeat."""
    return tuple(
        InterviewRow(tick, agent, question, answer, (), repeat)
        for repeat, answer in enumerate(answers)
    )


def make_judgements(
    agent: str,
    *verdicts: str | None,
    check: str = "suspect",
    question: str = WHO,
    tick: int = LAST,
    judge: str = "wise",
) -> tuple[JudgementRow, ...]:
    """Return a model's verdicts on one agent's answers, repeat by repeat."""
    return tuple(
        JudgementRow(judge, check, tick, agent, question, repeat, verdict, "{}", 9, 3)
        for repeat, verdict in enumerate(verdicts)
    )


def make_verdicts(
    check: str, agent: str, *values: str | None, when: When = "after", by: str = RULE
) -> list[Verdict]:
    """Return verdicts, repeat by repeat."""
    return [Verdict(check, agent, when, k, by, value) for k, value in enumerate(values)]


_SHOWN = {"tile": [0, 0], "doing": "", "emoji": "", "asleep": False}


def at(id_: int, tick: int, kind: str, who: str, place: str) -> Event:
    return Event(id_, tick, kind, who, {**_SHOWN, "place": place})


def say(id_: int, who: str, to: Sequence[str], text: str = "hello", **data: object) -> Event:
    rest: dict[str, object] = {"to": to[0] if to else None, "heard_by": list(to)}
    rest["addressed"] = list(to)
    rest |= {"phone": False, "conversation": None, "facts": []}
    return Event(id_, id_, "say", who, {**rest, "text": text, **data})


def learn(id_: int, who: str, fact: str, cause: int, source: str | None = None) -> Event:
    return Event(id_, id_, "learn", who, {"fact": fact, "cause": cause, "source": source})


def news(id_: int, heard_by: Sequence[str], text: str) -> Event:
    return Event(id_, id_, "news", None, {"text": text, "place": None, "heard_by": list(heard_by)})


def make_data(
    scenario: Scenario,
    interviews: Iterable[InterviewRow] = (),
    judgements: Iterable[JudgementRow] = (),
    last: int = LAST,
    names: Sequence[str] = NAMES,
    events: Iterable[Event] = (),
    memories: Sequence[RememberedRow] = (),
) -> RunData:
    """Return the data of a run in which only this happened, without a file of it."""
    given = SimpleNamespace(meta=_make_meta(scenario, names), memories=lambda: memories)
    reader = cast("RunReader", given)
    given.time, given.tick_at = partial(RunReader.time, reader), partial(RunReader.tick_at, reader)
    data = RunData(reader)
    vars(data).update(last_tick=last, events=tuple(events))
    vars(data).update(interviews=tuple(interviews), judgements=tuple(judgements))
    return data


def _make_meta(scenario: Scenario, names: Sequence[str]) -> RunMeta:
    return RunMeta(
        scenario=scenario,
        arguments={"hours": 1.0, "start": None},
        policies={name: {"name": "idle", "config": {}} for name in names},
        seed=7,
        names=tuple(names),
        start=scenario.start.isoformat(),
        seconds_per_tick=scenario.seconds_per_tick,
        versions={"genagents-env": "0"},
    )


def write(
    path: Path,
    scenario: Scenario,
    events: Iterable[Event] = (),
    interviews: Sequence[InterviewRow] = (),
    judgements: Sequence[JudgementRow] = (),
    remembered: Sequence[RememberedRow] = (),
    last: int = LAST,
    names: Sequence[str] = NAMES,
) -> Path:
    """Write a run file of `names` with these rows; ids of events count from 0 without gaps."""
    events = list(events)
    with RunWriter.create(path, _make_meta(scenario, names)) as writer:
        for tick in range(last + 1):
            now = [event for event in events if event.tick == tick]
            writer.commit_tick(tick, np.zeros((len(names), 2), dtype=int), now)
            writer.commit_interviews(
                [row for row in interviews if row.tick == tick],
                (),
                [row for row in remembered if row.tick == tick],
            )
        for row in judgements:
            writer.commit_judgement(row)
        writer.set_status("finished")
    return path
