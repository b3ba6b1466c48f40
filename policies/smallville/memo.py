"""Memo: what stays of a conversation: a memory, promises, another plan, what the other is to one.

Source: Park et al. 2023, section 4.3.2. The public code asks for the memo and for the planning
thought by two calls; here both are one, rated by the same. What others are to the agent is asked
for before the first talk with them, kept, renewed by the memo, and asked for again where something
that matters was learned of them since; the public code summarises it before every utterance.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from genagents_env.cognition.prompts import (
    SPOKEN,
    Section,
    describe_here_and_now,
    shorten_name,
    shorten_names,
)
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Importance, Phrase, Sentence, Speech, keep_first
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.memory.stream import Memory

from .agenda import (
    add_commitment,
    format_commitments,
    list_ahead,
    rank_last,
)
from .dates import read_clock, read_date
from .dialogue import list_company
from .mind import Commitment, Dialogue, DialogueLine, SmallvilleMind, Tie
from .retrieve import recall
from .summary import describe_briefly

_MOST = 4  # commitments of one conversation
_ALONE = ("nobody", "no one", "alone")  # with whom one does what one promised to do oneself
_MATTERS = 6.0  # importance from which a memory of somebody changes what they are to the agent
_LATEST = 100  # memories looked at for that
_CHATS = 64  # conversations looked at for the latest with somebody


class Arrangement(ReplyModel):
    """Something agreed: when, what, where, with whom."""

    day: Phrase | Literal[""]
    time: Phrase | Literal[""]
    what: Phrase
    where: Phrase | Literal[""]
    with_whom: Phrase | Literal[""]


class Memo(ReplyModel):
    """What stays. `plan`: what one now means to do, empty for nothing."""

    remember: Annotated[Speech, Field(min_length=1)]
    plan: Sentence | Literal[""]
    commitments: Annotated[list[Arrangement], keep_first(_MOST), Field(max_length=_MOST)]
    relationship: Sentence | Literal[""]
    importance: Importance
    changes_plan: bool


class RelationshipReply(ReplyModel):
    """What one makes of somebody."""

    wire_name = "Relationship"

    relationship: Sentence


def make_data(mind: SmallvilleMind, dialogue: Dialogue) -> QueryData:
    """Make the data of the query about a conversation that is over."""
    return {
        "others": list_company(mind, dialogue),
        "before": [[line.speaker, line.text, line.event] for line in dialogue.before],
        "lines": [[line.speaker, line.text, line.event] for line in dialogue.lines],
        "place": dialogue.place,
    }


def format_transcript(
    mind: SmallvilleMind, before: Sequence[DialogueLine], lines: Sequence[DialogueLine]
) -> list[JSONValue]:
    """Format what was said as lines for the fence of a prompt.

    `before`: what was said in the agent's hearing before it came.
    """
    heard: list[JSONValue] = [
        [shorten_name(line.speaker), "said before you came", line.text] for line in before
    ]
    return heard + [
        ["you" if line.speaker == mind.name else shorten_name(line.speaker), "said", line.text]
        for line in lines
    ]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for what stays of a conversation, which the prompt shows whole."""
    before, lines = ([DialogueLine(*line) for line in data[name]] for name in ("before", "lines"))
    tie = format_ties(mind, data["others"], moment.now)
    return mind.ask(
        "converse_memo",
        data,
        [
            *describe_briefly(mind, moment, tie),
            *rank_last([Section("tie", tie)]),
            Section("talk", format_transcript(mind, before, lines), SPOKEN, "last"),
        ],
        others=shorten_names(data["others"]),
        several=len(data["others"]) > 1,
    )


async def _apply(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Remember the conversation, what the agent means to do because of it, and what it promised."""
    memo, fallback = reply.value, reply.fallback
    importance = mind.config.unrated_importance if fallback else float(memo.importance)
    mind.attention.importance += importance
    known = _list_due_today(mind, moment)
    promised = _take_promises(mind, reply.data, moment, memo.commitments)
    due = [begin for begin in _list_due_today(mind, moment) if begin not in known]
    _renew_ties(mind, reply.data["others"], memo.relationship, moment.now)
    if mind.config.observation:
        chat = _remember(mind, moment, reply, importance)
        for text in dict.fromkeys([memo.plan, *promised]):
            if text:
                text = f"For planning: {text}"
                mind.add_thought(text, moment.now, importance, (chat,), reply.call)
    why = memo.plan or "; ".join(promised)
    if why and (memo.changes_plan or due):  # a promise for today is a change
        return [Query("plan.revise", {"start": moment.now, "why": why})]
    return ()


def _list_due_today(mind: SmallvilleMind, moment: Moment) -> list[datetime]:
    """Return the hours, still to come today, for which something is promised."""
    now = moment.percept.time
    begins = (promise.begin for promise in mind.commitments if promise.time)
    return [begin for begin in begins if begin > now and begin.date() == now.date()]


def _take_promises(
    mind: SmallvilleMind, data: QueryData, moment: Moment, agreed: Sequence[Arrangement]
) -> list[str]:
    """Add to the agent's commitments what has a day; return all that was agreed, in words."""
    texts: list[str] = []
    for each in agreed:
        day = read_date(each.day or "today", moment.percept.time.date())
        if day is None:
            mind.note_wish(f"a promise on {each.day!r}, which is no day: {each.what}")
            texts.append(f"{each.what} ({each.day})")
            continue
        clock, people = read_clock(each.time), each.with_whom or " and ".join(data["others"])
        people = "" if people.casefold() in _ALONE else people
        if each.time and not clock:
            mind.note_wish(f"a promise at {each.time!r}, which is no time: {each.what}")
        promise = Commitment(day.isoformat(), clock, each.what, each.where, people)
        add_commitment(mind.commitments, promise)
        at = f" at {clock}" if clock else ""
        texts.append(f"{day:%A} {day.day} {day:%B}{at}: {each.what}")
    return texts


def _renew_ties(mind: SmallvilleMind, others: Sequence[str], text: str, now: int) -> None:
    """Take what the one other is to the agent now; of several it is thought over next time."""
    if len(others) == 1:
        if text:
            mind.ties[others[0]] = Tie(text, now)
        return
    for name in others:
        if name in mind.ties:
            mind.ties[name].stale = True


def _remember(mind: SmallvilleMind, moment: Moment, reply: QueryReply, importance: float) -> int:
    """Add the conversation to the stream, resting on what was heard in it; return its id."""
    data = reply.data
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


# What others are to the agent.


def format_ties(mind: SmallvilleMind, others: Sequence[str], now: int) -> list[JSONValue]:
    """Return the lines of `format_tie` for several people; what is promised to them all once."""
    lines: list[JSONValue] = []
    for name in others:
        lines += [line for line in format_tie(mind, name, now) if line not in lines]
    return lines


def format_tie(mind: SmallvilleMind, other: str, now: int) -> list[JSONValue]:
    """Format what somebody is to the agent, the latest talk with them, and promises, as lines."""
    name, lines = shorten_name(other), list[JSONValue]()
    tie, talk = mind.ties.get(other), find_latest_talk(mind, other, now)
    text = tie.text if tie is not None and tie.text else mind.profile.relationships.get(other, "")
    if text:
        lines.append([f"about {name}", text])
    if talk is not None:
        when = mind.services.format_moment(talk.created)
        lines.append([f"latest talk with {name}", when, talk.text])
    first = other.split()[0]
    ahead = list_ahead(mind.commitments, mind.services.to_time(now))
    return lines + format_commitments([promise for promise in ahead if first in promise.with_whom])


def list_tie_memories(mind: SmallvilleMind, other: str, now: int) -> list[str]:
    """Return the memories that `format_tie` shows already, in their words."""
    talk, about = find_latest_talk(mind, other, now), mind.profile.relationships.get(other)
    seed = [f"{mind.name} knows {other}: {about}"] if about else []
    return [*seed, *([talk.text] if talk is not None else [])]


def find_latest_talk(mind: SmallvilleMind, other: str, now: int) -> Memory | None:
    """Return the memory of the latest talk with somebody, if there was one."""
    chats = mind.stream.select(mind.stream.recent(_CHATS, kinds=["chat"], now=now))
    return next((m for m in chats if other in " ".join(m.about[2:]).split(" and ")), None)


def list_unknown(mind: SmallvilleMind, dialogue: Dialogue) -> list[str]:
    """List the others whose relationship to the agent is to be asked for."""
    unknown: list[str] = []
    for name in dialogue.others:
        tie = mind.ties.get(name)
        if tie is not None and tie.made >= dialogue.begun:
            continue  # in this very talk
        if tie is None or not tie.text or tie.stale or _has_news(mind, name, tie.made):
            unknown.append(name)
    return unknown


def _has_news(mind: SmallvilleMind, other: str, since: int) -> bool:
    """Return True if something that matters was learned of somebody since, beside talks."""
    now = mind.tick * mind.services.seconds_per_tick
    latest = mind.stream.recent(_LATEST, kinds=["event", "thought"], now=now)
    return any(
        m.created > since and m.importance >= _MATTERS and other in m.text
        for m in mind.stream.select(latest)
    )


async def prepare_relation(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask what somebody is to the agent, unless the conversation is over."""
    dialogue, other = mind.dialogue, str(data["other"])
    if dialogue is None or dialogue.begun != data["begun"]:
        return None
    queries = [f"{mind.name}'s relationship with {other}"]
    shown = list_tie_memories(mind, other, moment.now)
    memories = await recall(mind, queries, moment.now, without=shown)
    tie = Section("tie", format_tie(mind, other, moment.now))
    sections = [*describe_here_and_now(moment.percept), tie]
    return mind.ask("converse_relate", data, sections, memories, other=shorten_name(other))


HANDLER = handle(
    _prepare,
    _apply,
    Memo(
        remember="a talk",
        plan="",
        commitments=[],
        relationship="",
        importance=1,
        changes_plan=False,
    ),
    900,
)
