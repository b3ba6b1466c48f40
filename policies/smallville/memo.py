"""Memo: what stays of a conversation once it is over: a memory, promises, a change of plan.

Source: Park et al. 2023, section 4.3.2 and its public code, which asks for the memo and for the
planning thought by two calls; here both are one, rated by the same. It also renews what the other
is to the agent (`ties`), and what was agreed becomes a list of commitments with dates.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.prompts import shorten_name, shorten_names
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Importance, Phrase, Sentence, Speech, keep_first
from genagents_env.cognition.sections import SPOKEN, Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .commitments import Commitment, add_commitment
from .dates import read_clock, read_date
from .dialogue import list_company
from .mind import Dialogue, DialogueLine, SmallvilleMind, Tie
from .summary import describe_self
from .ties import format_ties
from .upcoming import describe_upcoming, rank_last

_DAY = 86_400  # seconds
_MOST = 4  # commitments of one conversation
_ALONE = ("nobody", "no one", "alone")  # with whom one does what one promised to do oneself


class Arrangement(ReplyModel):
    """Something agreed, in the words it was said in."""

    wire_name: ClassVar[str] = "Arrangement"
    wire_description: ClassVar[str] = "Something agreed: when, what, where, with whom."

    day: Phrase | Literal[""]
    time: Phrase | Literal[""]
    what: Phrase
    where: Phrase | Literal[""]
    with_whom: Phrase | Literal[""]


class Memo(ReplyModel):
    """What stays. `plan`: what the agent now means to do, empty for nothing."""

    wire_name: ClassVar[str] = "Memo"
    wire_description: ClassVar[str] = (
        "What stays. `plan`: what one now means to do, empty for nothing."
    )

    remember: Annotated[Speech, Field(min_length=1)]
    plan: Sentence | Literal[""]
    commitments: Annotated[list[Arrangement], keep_first(_MOST), Field(max_length=_MOST)]
    relationship: Sentence | Literal[""]
    importance: Importance
    changes_plan: bool


def make_data(mind: SmallvilleMind, dialogue: Dialogue) -> QueryData:
    """Return who said what in a conversation that is over, as data of the query about it."""
    return {
        "others": list_company(mind, dialogue),
        "before": [[line.speaker, line.text, line.event] for line in dialogue.before],
        "lines": [[line.speaker, line.text, line.event] for line in dialogue.lines],
        "place": dialogue.place,
    }


def format_transcript(
    mind: SmallvilleMind, before: Sequence[DialogueLine], lines: Sequence[DialogueLine]
) -> list[JSONValue]:
    """Return what was said as lines for the fence of a prompt.

    `before`: what was said in the agent's hearing before it came.
    """
    heard: list[JSONValue] = [
        [shorten_name(line.speaker), "said before you came", line.text] for line in before
    ]
    return heard + [
        ["you" if line.speaker == mind.name else shorten_name(line.speaker), "said", line.text]
        for line in lines
    ]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    before, lines = (_read_lines(data[name]) for name in ("before", "lines"))
    tie = format_ties(mind, data["others"], moment.now)
    shown = mind.services.prompts.fill(
        "converse_memo",
        mind.profile,
        [
            *rank_last(describe_here_and_now(moment.percept), besides="now"),
            *rank_last(describe_self(mind), besides="status"),
            *rank_last(describe_upcoming(mind, moment, tie)),
            *rank_last([Section("tie", tie)]),
            Section("talk", format_transcript(mind, before, lines), SPOKEN, "last"),
        ],
        others=shorten_names(data["others"]),
        several=len(data["others"]) > 1,
    )
    return PreparedQuery(shown.messages, data, shown.cuts)


def _read_lines(parts: Sequence[Sequence[str | int]]) -> list[DialogueLine]:
    return [DialogueLine(str(who), str(text), int(event)) for who, text, event in parts]


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    """Remember the conversation, what the agent means to do because of it, and what it promised."""
    memo, fallback = reply.value, reply.fallback
    importance = mind.config.unrated_importance if fallback else float(memo.importance)
    mind.attention.importance += importance
    plan = "" if fallback else memo.plan
    known = _list_due_today(mind, moment)
    promised = [] if fallback else _take_promises(mind, data, moment, memo.commitments)
    due = [one for one in _list_due_today(mind, moment) if one not in known]
    _renew_ties(mind, data["others"], "" if fallback else memo.relationship, moment.now)
    if mind.config.observation:
        chat = _remember(mind, data, moment, reply, importance)
        for text in dict.fromkeys([plan, *promised]):
            if text:
                mind.stream.add(
                    "thought",
                    f"For planning: {text}",
                    created=moment.now,
                    importance=importance,
                    evidence=(chat,),
                    expires=moment.now + mind.config.thought_days * _DAY,
                    cause=reply.call,
                )
    why = plan or "; ".join(promised)
    if why and not fallback and (memo.changes_plan or due):  # a promise for today is a change
        return [Query("plan.revise", {"start": moment.now, "why": why})]
    return ()


def _list_due_today(mind: SmallvilleMind, moment: Moment) -> list[datetime]:
    """Return the hours, still to come today, for which something is promised."""
    now = moment.percept.time
    return [
        one.begin
        for one in mind.commitments
        if one.time and one.begin > now and one.begin.date() == now.date()
    ]


def _take_promises(
    mind: SmallvilleMind, data: QueryData, moment: Moment, agreed: Sequence[Arrangement]
) -> list[str]:
    """Add to the agent's commitments what has a day; return all that was agreed, in words."""
    told: list[str] = []
    for each in agreed:
        day = read_date(each.day or "today", moment.percept.time.date())
        if day is None:
            mind.note_wish(f"a promise on {each.day!r}, which is no day: {each.what}")
            told.append(f"{each.what} ({each.day})")
            continue
        clock, people = read_clock(each.time), each.with_whom or " and ".join(data["others"])
        people = "" if people.casefold() in _ALONE else people
        if each.time and not clock:
            mind.note_wish(f"a promise at {each.time!r}, which is no time: {each.what}")
        add_commitment(
            mind.commitments, Commitment(day.isoformat(), clock, each.what, each.where, people)
        )
        at = f" at {clock}" if clock else ""
        told.append(f"{day:%A} {day.day} {day:%B}{at}: {each.what}")
    return told


def _renew_ties(mind: SmallvilleMind, others: Sequence[str], text: str, now: int) -> None:
    """Take what the one other is to the agent now; of several it is thought over next time."""
    if len(others) == 1:
        if text:
            mind.ties[others[0]] = Tie(text, now)
        return
    for name in others:
        if name in mind.ties:
            mind.ties[name].stale = True


def _remember(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply, importance: float
) -> int:
    """Add the conversation to the stream, resting on what was heard in it; return its id."""
    lines = [*data["before"], *data["lines"]]
    spoke = dict.fromkeys(speaker for speaker, _, event in data["lines"] if event >= 0)
    others = " and ".join(spoke or data["others"])
    what = "" if reply.fallback else f": {reply.value.remember}"
    return mind.stream.add(
        "chat",
        f"Talked with {others}{what}",
        created=moment.now,
        importance=importance,
        events=[event for *_, event in lines if event >= 0],
        about=(mind.name, "talked with", others),
        place=data["place"],
        cause=reply.call,
    )


HANDLER = QueryHandler(
    prepare=_prepare,
    reply_model=lambda data: Memo,
    # Only `reply.fallback` is looked at.
    fallback=lambda data: Memo(
        remember="a talk",
        plan="",
        commitments=[],
        relationship="",
        importance=1,
        changes_plan=False,
    ),
    apply=_apply,
    max_tokens=lambda data: 900,
)
