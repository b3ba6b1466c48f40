"""Ties: what others are to the agent, kept from one talk to the next and renewed by its memo.

Source: Park et al. 2023, section 4.3.2, which summarises the relationship for a conversation; the
public code does so before every utterance. Here it is asked for once, and again where something
that matters was learned of the other since.
"""

from collections.abc import Sequence
from typing import ClassVar

from genagents_env.cognition.here_and_now import describe_here_and_now, format_moment
from genagents_env.cognition.prompts import shorten_name
from genagents_env.cognition.query import Moment, PreparedQuery, QueryData, QueryReply
from genagents_env.cognition.replies import Sentence
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.memory.stream import Memory

from .commitments import format_commitments, list_ahead
from .mind import Dialogue, SmallvilleMind, Tie
from .retrieve import recall

_MATTERS = 6.0  # importance from which a memory of somebody changes what they are to the agent
_LATEST = 100  # memories looked at for that
_CHATS = 64  # conversations looked at for the latest with somebody
DEFAULT = "somebody one knows"


class RelationshipReply(ReplyModel):
    """What the agent thinks of somebody."""

    wire_name: ClassVar[str] = "Relationship"
    wire_description: ClassVar[str] = "What one makes of somebody."

    relationship: Sentence


def list_unknown(mind: SmallvilleMind, dialogue: Dialogue) -> list[str]:
    """Return of which of the others the agent has to think what they are to it."""
    return [name for name in dialogue.others if not _is_settled(mind, name, dialogue.begun)]


def find_latest_talk(mind: SmallvilleMind, other: str, now: int) -> Memory | None:
    """Return the memory of the latest talk with somebody, if there was one."""
    chats = (mind.stream[id_] for id_ in mind.stream.recent(_CHATS, kinds=["chat"], now=now))
    return next((m for m in chats if other in " ".join(m.about[2:]).split(" and ")), None)


def format_tie(mind: SmallvilleMind, other: str, now: int) -> list[JSONValue]:
    """Return what somebody is to the agent, and the latest talk with them, as lines."""
    name, lines = shorten_name(other), list[JSONValue]()
    tie, talk = mind.ties.get(other), find_latest_talk(mind, other, now)
    text = tie.text if tie is not None and tie.text else mind.profile.relationships.get(other, "")
    if text:
        lines.append([f"about {name}", text])
    if talk is not None:
        when = format_moment(mind.services.to_time(talk.created))
        lines.append([f"latest talk with {name}", when, talk.text])
    first = other.split()[0] if other.split() else other
    ahead = list_ahead(mind.commitments, mind.services.to_time(now))
    promised = [one for one in ahead if first in one.with_whom]
    return [*lines, *format_commitments(promised)]


def format_ties(mind: SmallvilleMind, others: Sequence[str], now: int) -> list[JSONValue]:
    """Return the lines of `format_tie` for several people; what is promised to them all once."""
    lines: list[JSONValue] = []
    for name in others:
        lines += [line for line in format_tie(mind, name, now) if line not in lines]
    return lines


def list_texts(mind: SmallvilleMind, other: str, now: int) -> list[str]:
    """Return the memories that `format_tie` shows already, in their words."""
    talk, about = find_latest_talk(mind, other, now), mind.profile.relationships.get(other)
    seed = [f"{mind.name} knows {other}: {about}"] if about else []
    return [*seed, *([talk.text] if talk is not None else [])]


async def prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    """Ask what somebody is to the agent, unless the conversation is over."""
    dialogue, other = mind.dialogue, str(data["other"])
    if dialogue is None or dialogue.begun != data["begun"]:
        return None
    memories = await recall(
        mind,
        [f"{mind.name}'s relationship with {other}"],
        moment.now,
        without=list_texts(mind, other, moment.now),
    )
    shown = mind.services.prompts.fill(
        "converse_relate",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            Section("tie", format_tie(mind, other, moment.now)),
        ],
        memories=memories,
        other=shorten_name(other),
    )
    return PreparedQuery(shown.messages, data, cuts=shown.cuts)


def apply(mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply) -> None:
    """Take what the reply makes of somebody; without one it is asked again in the next talk."""
    text = "" if reply.fallback else reply.value.relationship
    mind.ties[str(data["other"])] = Tie(text, moment.now)


def _is_settled(mind: SmallvilleMind, other: str, begun: int) -> bool:
    tie = mind.ties.get(other)
    if tie is None:
        return False
    if tie.made >= begun:
        return True  # in this very talk
    return bool(tie.text) and not tie.stale and not _has_news(mind, other, tie.made)


def _has_news(mind: SmallvilleMind, other: str, since: int) -> bool:
    """Return whether something that matters was learned of somebody since, beside talks."""
    now = mind.tick * mind.services.seconds_per_tick
    latest = mind.stream.recent(_LATEST, kinds=["event", "thought"], now=now)
    recent = (mind.stream[id_] for id_ in latest)
    return any(m.created > since and m.importance >= _MATTERS and other in m.text for m in recent)
