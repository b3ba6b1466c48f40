"""Writes run files by hand, with known conversations, calls, answers and memories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.record import (
    InterviewRow,
    JudgementRow,
    RememberedRow,
    RunMeta,
    RunWriter,
)
from genagents_env.record.rows import JSON
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import Fact, Question, Success, Value, ValueCheck
from genagents_env.world.events import Event

ADA, BEN = "Ada Brook", "Ben Carver"
SECONDS = 10  # in a tick
ASKED = "Who took the cake?"
LYFE: Mapping[str, JSON] = {"name": "lyfe", "config": {"option_action": False}}

Happening = tuple[int, str, str | None, Mapping[str, JSON]]  # tick, kind, agent, data
Call = tuple[str, int, str, int, int]  # agent, tick, purpose, tokens read, tokens written
T = TypeVar("T")


def change(one: T, changes: Mapping[str, object]) -> T:
    """Return a dataclass with other values in some of its fields."""
    whole: Any = one
    changed: T = replace(whole, **changes)
    return changed


def scenario(**changes: object) -> Scenario:
    """Return the two people of `tiny` with a fact, a question, a check and two successes."""
    given = {
        "name": "cake",
        "questions": (Question(id="thief", text=ASKED, when="both"),),
        "facts": (
            Fact(id="crumbs", statement="Ben has crumbs.", known_by=(ADA,), patterns=("crumbs",)),
        ),
        "checks": (
            ValueCheck(
                kind="value",
                id="suspect",
                question="thief",
                ask="Whom does it name?",
                values=(
                    Value(value="Ada", patterns=("Ada",)),
                    Value(value="Ben", patterns=("Ben",)),
                ),
                otherwise="nobody",
            ),
        ),
        "success": (
            Success(id="solved", title="Ada names Ben", check="suspect", of=(ADA,), value="Ben"),
            Success(id="equal", title="All name one", check="suspect", over="equal"),
        ),
        "interview_repeats": 2,
    }
    return load_scenario("tiny").model_copy(update={**given, **changes})


def meta(policies: object = None, **changes: object) -> RunMeta:
    """Return the head of a run of Ada and Ben, both of one policy unless told otherwise."""
    head = RunMeta(
        scenario=scenario(),
        arguments={"hours": 1.0},
        policies=dict.fromkeys((ADA, BEN), LYFE),
        seed=1,
        names=(ADA, BEN),
        start="2023-02-13T08:00:00",
        seconds_per_tick=SECONDS,
        model="toy",
        price=("1", "2"),
    )
    return change(head, changes | ({"policies": policies} if policies else {}))


def start(agent: str, asleep: bool = False) -> Happening:
    """Return the event of being there from the beginning."""
    place = {"place": "Cottage/kitchen", "tile": [0, 0], "doing": "", "emoji": ""}
    return 0, "start", agent, {**place, "asleep": asleep}


def make_join(tick: int, agent: str, conversation: int = 0) -> Happening:
    return tick, "converse", agent, {"conversation": conversation, "members": [agent]}


def make_leave(tick: int, agent: str, conversation: int = 0, reason: str = "said_so") -> Happening:
    return tick, "leave", agent, {"conversation": conversation, "reason": reason}


def make_utterance(
    tick: int, agent: str, text: str = "Hello", conversation: int | None = 0
) -> Happening:
    other = BEN if agent == ADA else ADA
    heard = {"to": other, "heard_by": [other], "addressed": [other], "phone": False, "facts": []}
    return tick, "say", agent, {**heard, "text": text, "conversation": conversation}


def answers(tick: int, words: Mapping[str, Sequence[str]]) -> list[InterviewRow]:
    """Return what everyone answered, one text for each repeat."""
    return [
        InterviewRow(tick, agent, ASKED, text, (), repeat)
        for agent, texts in words.items()
        for repeat, text in enumerate(texts)
    ]


def plant(
    path: Path,
    last: int = 0,
    happenings: Iterable[Happening] = (),
    calls: Iterable[Call] = (),
    before: Mapping[str, Sequence[str]] | None = None,
    after: Mapping[str, Sequence[str]] | None = None,
    remembered: Sequence[RememberedRow] = (),
    judged: Sequence[JudgementRow] = (),
    status: str = "finished",
    **head: object,
) -> Path:
    """Write a run of ticks 0 to `last` in which just this happens, and return its path."""
    ordered = sorted((start(ADA), start(BEN), *happenings), key=lambda one: one[0])
    events = [Event(id_, *one) for id_, one in enumerate(ordered)]
    with RunWriter.create(path, meta(**head)) as writer:
        for tick in range(last + 1):
            own = [event for event in events if event.tick == tick]
            writer.commit_tick(tick, np.zeros((2, 2), dtype=np.int16), own)
            if tick == 0:
                writer.commit_interviews(answers(0, before or {}))
        if last:
            writer.commit_interviews(answers(last, after or {}), remembered=remembered)
        for number, (agent, tick, purpose, read, written) in enumerate(calls):
            key = CallKey(agent, tick, purpose, number)
            writer.cassette.put(key, RecordedReply("hash", "reply", "{}", read, written, 1, 0))
        for row in judged:
            writer.commit_judgement(row)
        writer.set_status(status)
    return path


def judgement(agent: str, tick: int, repeat: int, verdict: str | None) -> JudgementRow:
    """Return what the judge `arbiter` made of an answer, for 100 tokens and 10."""
    return JudgementRow("arbiter", "suspect", tick, agent, ASKED, repeat, verdict, "", 100, 10)


def cake(path: Path, **changes: object) -> Path:
    """Write a run of ten minutes with something for every table and figure.

    Ada knows of the crumbs and tells Ben; they talk for 60 s; both name Ben at the end, Ada by
    one interview out of two at the start.
    """
    given: dict[str, Any] = {
        "last": 60,
        "happenings": (
            make_join(2, ADA),
            make_join(2, BEN),
            make_utterance(2, ADA, "Ben has crumbs."),
            (2, "learn", BEN, {"fact": "crumbs", "cause": 4, "source": ADA}),
            make_utterance(4, BEN, "It was Ada."),
            make_leave(8, BEN),
            make_leave(8, ADA, reason="alone"),
        ),
        "calls": (
            (ADA, 1, "talk.speak", 100, 10),
            (ADA, 3, "talk.speak", 100, 10),
            (BEN, 3, "talk.speak", 100, 10),
            (BEN, 30, "controller.choose", 100, 10),
            (ADA, 60, "interview.answer", 500, 50),
        ),
        "before": {ADA: ("Ben.", "Who knows."), BEN: ("Ada?", "Ada!")},
        "after": {ADA: ("Ben.", "Ben, by the crumbs."), BEN: ("Ben, I own up.", "Ben.")},
        "remembered": (RememberedRow(60, BEN, "crumbs", "Ben has crumbs.", (4,)),),
        "judged": (judgement(ADA, 60, 0, "Ben"), judgement(ADA, 60, 1, "Ada")),
    }
    return plant(path, **(given | changes))
