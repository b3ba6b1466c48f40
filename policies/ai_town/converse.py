"""Converse: the next words of a talk, and in a group who speaks next and who walks away.

In a talk of two whoever invited speaks first, then they take turns; after a long silence the other
speaks all the same. While one is seen thinking of words the other holds back, until the lock
expires. In the code both may say good-bye in the same moment; here whose turn it is does.

Words are those of a beginning, of going on, or of good-bye, each with a prompt of its own. In a
group the model is first asked whether one walks away, then for words, then who is to speak.
Source: AI Town, agent/conversation.ts (January 2026), conversation.ts (September 2023).
"""

from collections.abc import Sequence
from typing import Literal

from genagents_env.cognition.names import cut_reply
from genagents_env.cognition.prompts import shorten_name
from genagents_env.cognition.query import (
    Moment,
    Prepared,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
    handle,
)
from genagents_env.cognition.replies import Speech, narrow, one_of
from genagents_env.llm.schemas import ReplyModel

from . import groups
from .mind import AiTownMind, Handlers, TalkState
from .prompt import ask_about_talk, find_latest_talk, list_shown
from .retrieve import TimedMemory, recall

Due = Literal["", "start", "continue", "leave"]
_KINDS = ("start", "continue", "leave")
WALK_AWAY, NEXT = "converse.walk_away", "converse.next"
_MAX_TOKENS, _FEW_TOKENS = 300, 60  # code: 300


class MessageReply(ReplyModel):
    """What one says next."""

    wire_name = "Message"

    say: Speech


class WalkAwayReply(ReplyModel):
    """Whether one walks away."""

    wire_name = "WalkAway"

    leave: bool


class NextSpeakerReply(ReplyModel):
    """Who is to speak next."""

    wire_name = "NextSpeaker"

    who: str


def make_queries(mind: AiTownMind, moment: Moment) -> Sequence[Query]:
    """Ask for words where it is time for them."""
    talk, percept = mind.talk, moment.percept
    if talk is None or mind.is_busy("converse") or percept.me.asleep:
        return ()
    town = percept.conversation
    if town is not None and not town.may_speak:
        return ()
    if mind.config.meet == "collision":
        return _make_group_queries(mind, talk, moment)
    due = find_due(mind, talk, moment)
    return (Query(f"converse.{due}", identify(talk)),) if due else ()


def _make_group_queries(mind: AiTownMind, talk: TalkState, moment: Moment) -> Sequence[Query]:
    if talk.unsaid or talk.leaving or not groups.is_mine(mind, talk):
        return ()
    if groups.is_over(mind, talk, moment.now):
        return ()
    if moment.now - talk.passed < mind.config.awkward_seconds:
        return ()
    if not talk.lines:
        return (Query("converse.start", identify(talk)),)
    if moment.now - talk.lines[-1].at < mind.config.message_seconds:
        return ()
    return (Query(WALK_AWAY, identify(talk)),)


# When it is time for words.


def find_due(mind: AiTownMind, talk: TalkState, moment: Moment) -> Due:
    """Find the kind of words that are due now; empty for none."""
    locked = talk.typing >= 0 and moment.now - talk.typing < mind.config.typing_seconds
    if talk.stage != "talking" or talk.unsaid or talk.leaving or locked:
        return ""
    if moment.now - talk.passed < mind.config.awkward_seconds:
        return ""
    if not _is_my_turn(mind, talk, moment.now):
        return ""
    if is_over(mind, talk, moment.now):
        return "leave"
    return "continue" if talk.lines else "start"


def is_over(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    """Return True if the talk has lasted for long enough."""
    lasted = now - talk.started > mind.config.talk_seconds
    return lasted or len(talk.lines) > mind.config.max_messages


def _is_my_turn(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    awkward = mind.config.awkward_seconds
    if not talk.lines:
        return talk.mine or now - talk.started >= awkward
    last = talk.lines[-1]
    if last.speaker == mind.name:
        return now - last.at >= awkward
    return now - last.at >= mind.config.message_seconds


# What to say.


def identify(talk: TalkState) -> QueryData:
    """Return the data by which a reply is matched to the talk it was asked for."""
    return {"begun": talk.begun, "other": talk.other, "lines": len(talk.lines)}


def _find_talk(mind: AiTownMind, data: QueryData) -> TalkState | None:
    """Return the talk that a reply is meant for; None where it is over."""
    talk = mind.talk
    if talk is None or (talk.begun, talk.other) != (data["begun"], data["other"]):
        return None
    return talk


def _is_late(mind: AiTownMind, talk: TalkState, data: QueryData) -> bool:
    """Return True if somebody spoke while the agent was thinking of words."""
    return len(talk.lines) != data["lines"] and mind.config.late_words == "drop"


async def _prepare_message(
    mind: AiTownMind, data: QueryData, moment: Moment, kind: str
) -> Prepared:
    talk = mind.talk
    if talk is None:
        return None
    memories: list[TimedMemory] = []
    if kind != "leave":  # good-bye needs no memories (code)
        about = shorten_name(talk.other)
        starts = f"{mind.name} is talking to {about}"
        query = starts if kind == "start" else f"What do you think about {about}?"
        shown = list_shown(mind, talk.others)
        memories = await recall(mind, query, moment.now, shown=shown)
    return ask_about_talk(
        mind,
        f"converse_{kind}",
        data,
        moment,
        talk,
        memories,
        met=any(find_latest_talk(mind, name) is not None for name in talk.others),
        closing=_is_closing(mind, talk, moment.now),
        answers=bool(talk.lines) and talk.lines[-1].speaker != mind.name,
    )


def _is_closing(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    """Return True if the others have only good-bye to say to these words, or nothing at all."""
    ticks = 1 + mind.config.latency("converse")
    answered = now + ticks * mind.services.seconds_per_tick
    if mind.config.meet == "collision":
        return answered - talk.started >= mind.config.talk_seconds
    full = len(talk.lines) >= mind.config.max_messages
    return full or answered - talk.started > mind.config.talk_seconds


async def _apply_message(
    mind: AiTownMind, moment: Moment, reply: QueryReply, kind: str
) -> Sequence[Query]:
    talk = _find_talk(mind, reply.data)
    if talk is None or _is_late(mind, talk, reply.data):
        return ()
    talk.unsaid = cut_reply(reply.value.say, mind.name, talk.others)
    talk.leaving = kind == "leave"
    if not talk.unsaid:
        talk.passed = moment.now
        return ()
    if mind.config.meet == "invite":
        return ()
    names = sorted(talk.others)
    talk.gaze = names[0] if names else ""
    return (Query(NEXT, reply.data),) if len(names) > 1 else ()


async def _prepare_walk_away(mind: AiTownMind, data: QueryData, moment: Moment) -> Prepared:
    if mind.talk is None:
        return None
    return ask_about_talk(mind, "converse_walk_away", data, moment, mind.talk)


async def _apply_walk_away(mind: AiTownMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    talk = _find_talk(mind, reply.data)
    if talk is None or _is_late(mind, talk, reply.data):
        return ()
    talk.leaving = reply.value.leave
    return () if talk.leaving else (Query("converse.continue", reply.data),)


async def _prepare_next(mind: AiTownMind, data: QueryData, moment: Moment) -> Prepared:
    talk = _find_talk(mind, data)
    if talk is None or not talk.unsaid:
        return None
    names = sorted(talk.others)
    data = {**data, "names": names, "drawn": groups.draw_next(mind, talk)}
    said = talk.unsaid
    return ask_about_talk(mind, "converse_next", data, moment, talk, names=names, unsaid=said)


async def _apply_next(mind: AiTownMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    talk = _find_talk(mind, reply.data)
    if talk is not None:
        talk.gaze = reply.value.who
    return ()


def _make_message_handler(kind: str) -> QueryHandler[AiTownMind]:
    return handle(
        lambda mind, data, moment: _prepare_message(mind, data, moment, kind),
        lambda mind, moment, reply: _apply_message(mind, moment, reply, kind),
        MessageReply(say=""),
        _MAX_TOKENS,
    )


HANDLERS: Handlers = {
    **{f"converse.{kind}": _make_message_handler(kind) for kind in _KINDS},
    WALK_AWAY: handle(
        _prepare_walk_away, _apply_walk_away, WalkAwayReply(leave=False), _FEW_TOKENS
    ),
    NEXT: handle(
        _prepare_next,
        _apply_next,
        lambda data: NextSpeakerReply(who=data["drawn"]),
        _FEW_TOKENS,
        lambda data: narrow(NextSpeakerReply, who=one_of(tuple(data["names"]))),
    ),
}
