"""React: whether what is noticed makes the agent do something else than was planned.

Of what is noticed at a moment one thing is considered: the first person it may speak to, else
the first object that changed. It goes on, speaks, waits, or does something else, which is then
grounded like any activity; after the last two the rest of the day is planned anew.
Source: Park et al. 2023, section 4.3.1. Where the public code cannot read a reply it talks; here
the agent goes on.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, cast

from pydantic import Field, create_model

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.prompts import shorten_name
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Phrase, one_of
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.rng import draw_index

from . import dialogue, ground
from .day import Piece, PlanBlock
from .mind import SmallvilleActivity, SmallvilleMind
from .perceive import Observation
from .retrieve import recall
from .summary import describe_self

GO_ON, TALK, WAIT, ELSE = "go on", "talk", "wait", "something else"
WAITING, WAITING_EMOJI = "waiting", "⏳"


class Reaction(ReplyModel):
    """What the agent does about it: `what` in words for something else, and for how long."""

    wire_name: ClassVar[str] = "Reaction"
    wire_description: ClassVar[str] = (
        "What one does about it: `what` in words for something else, and for how long."
    )

    choice: str
    what: Phrase | Literal[""]
    minutes: Annotated[int, Field(ge=1, le=60)]


def make_queries(
    mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]
) -> Sequence[Query]:
    """Consider one of the things noticed, unless the agent sleeps, talks or is reacting already."""
    if not observations or not mind.config.reaction or not _is_free(mind, moment):
        return ()
    focus = _find_focus(mind, moment, observations)
    if focus is None:
        return ()
    mind.attention.considered[focus.subject] = moment.now
    data = {"kind": focus.kind, "subject": focus.subject, "text": focus.text}
    return [Query("react.decide", data)]


def _is_free(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return whether the agent could react now: neither asleep, nor talking, nor reacting."""
    percept, activity = moment.percept, mind.activity
    if percept.me.asleep or mind.dialogue is not None or percept.conversation is not None:
        return False
    if activity.reaction and moment.now < activity.until:
        return False
    return not mind.is_busy("react.") and not _is_grounding(mind)


def _is_grounding(mind: SmallvilleMind) -> bool:
    """Return whether a reaction is decided on, but not yet where it takes place."""
    return any(p.purpose.startswith("ground.") and "minutes" in p.data for p in mind.pending)


def _find_focus(
    mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]
) -> Observation | None:
    """Return what to consider: a person the agent may speak to, else an object that changed."""
    new = [seen for seen in observations if _is_new(mind, moment, seen.subject)]
    for seen in new:
        if seen.kind == "person" and not seen.asleep and _may_talk(mind, moment, seen.subject):
            return seen
    return next((seen for seen in new if seen.kind == "object"), None)


def _is_new(mind: SmallvilleMind, moment: Moment, subject: str) -> bool:
    considered = mind.attention.considered.get(subject)
    again = mind.config.react_again_minutes * 60
    return considered is None or moment.now - considered >= again


def _may_talk(mind: SmallvilleMind, moment: Moment, other: str) -> bool:
    if not mind.config.conversation or mind.activity.kind == "sleep":
        return False
    return dialogue.may_open(mind, moment, other)


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    percept, subject, seen = moment.percept, str(data["subject"]), str(data["text"])
    person = data["kind"] == "person"
    doing = mind.activity.text or percept.me.doing
    queries = [f"{mind.name}'s relationship with {subject}", seen] if person else [seen, doing]
    choices = _rotate([GO_ON, *([TALK] if person else []), WAIT, ELSE], mind, moment)
    shown = mind.services.prompts.fill(
        "react_decide",
        mind.profile,
        [
            *describe_here_and_now(percept),
            *describe_self(mind),
            Section("plan", [*_format_next(mind, moment.now), ["you are", doing]]),
            Section("focus", [["you see", seen]]),
        ],
        memories=await recall(mind, queries, moment.now),
        other=shorten_name(subject) if person else "",
        choices=choices,
    )
    return PreparedQuery(shown.messages, {**data, "choices": choices}, shown.cuts)


def _rotate(choices: list[str], mind: SmallvilleMind, moment: Moment) -> list[str]:
    """Return `choices` beginning with another one each time: small models take the first."""
    seed = mind.services.model.run_seed
    first = draw_index(seed, len(choices), "react", mind.agent, moment.tick)
    return [*choices[first:], *choices[:first]]


def _format_next(mind: SmallvilleMind, now: int) -> list[JSONValue]:
    """Return what is planned after what the agent is doing, as a line; nothing where nothing is."""
    following: list[Piece | PlanBlock] = [*mind.day.pieces, *mind.day.hours]
    planned = next((part for part in following if part.start > now), None)
    if planned is None:
        return []
    return [[f"planned {mind.services.to_time(planned.start):%H:%M}", planned.text]]


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    """Do what was decided, unless by now the agent sleeps or talks."""
    choice, what, minutes = reply.value.choice, reply.value.what, reply.value.minutes
    if not _is_free(mind, moment):
        return ()
    if choice == TALK:
        return _talk(mind, data, moment)
    if choice == WAIT:
        _wait(mind, moment, minutes)
        return [_query_revision(moment, minutes, f"{WAITING}: {data['text']}")]
    if choice == ELSE and what:
        reaction = {"text": what, "minutes": minutes}
        return [ground.query_reaction(mind, reaction), _query_revision(moment, minutes, what)]
    return ()


def _talk(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Sequence[Query]:
    other = str(data["subject"])
    if not _may_talk(mind, moment, other):
        return ()
    opened = dialogue.begin(mind, other, moment)
    return [Query("converse.relate", {"other": other, "begun": opened.begun})]


def _wait(mind: SmallvilleMind, moment: Moment, minutes: int) -> None:
    mind.activity = SmallvilleActivity(
        kind="wait",
        text=WAITING,
        emoji=WAITING_EMOJI,
        place=moment.percept.me.place,
        begun=moment.now,
        until=moment.now + 60 * minutes,
        arrived=True,
        used=True,
        reaction=True,
    )


def _query_revision(moment: Moment, minutes: int, why: str) -> Query:
    """Return the query that plans the rest of the day anew, from when the reaction ends."""
    return Query("plan.revise", {"start": moment.now + 60 * minutes, "why": why})


def _make_reply_model(data: QueryData) -> type[Reaction]:
    return make_reaction_model(tuple(data["choices"]))


@lru_cache(maxsize=16)
def make_reaction_model(choices: tuple[str, ...]) -> type[Reaction]:
    """Return `Reaction` with `choice` limited to `choices`, of which there is at least one."""
    return cast(
        type[Reaction], create_model("Reaction", __base__=Reaction, choice=(one_of(choices), ...))
    )


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    "react.decide": QueryHandler(
        prepare=_prepare,
        reply_model=_make_reply_model,
        fallback=lambda data: Reaction(choice=GO_ON, what="", minutes=1),
        apply=_apply,
        max_tokens=lambda data: 128,
    )
}
