"""React: whether what is noticed makes the agent do something else than was planned.

Of what is noticed one thing is considered at a time (`focus`). The agent goes on, speaks to
somebody here or calls somebody who is not, waits, or does something else, which is then grounded
like any activity; after the last two the rest of the day is planned anew. To talk with somebody who
talks already is to join them. Source: Park et al. 2023, section 4.3.1. Where the public code cannot
read a reply it talks; here the agent goes on.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, cast

from pydantic import Field, create_model

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
from genagents_env.cognition.replies import Phrase, one_of
from genagents_env.cognition.sections import Section
from genagents_env.llm.schemas import ReplyModel
from genagents_env.rng import draw_index

from . import context, ground, opening, telephone, ties
from .converse import query_words
from .focus import NEWS, PERSON, choose, is_free, may_talk, take_in
from .mind import SmallvilleActivity, SmallvilleMind
from .perceive import Observation
from .retrieve import TimedMemory, recall
from .summary import describe_self
from .turns import is_talking
from .upcoming import describe_upcoming, rank_last

GO_ON, WAIT, ELSE = "go on", "wait", "something else"
TALK, CALL = "talk to ", "call "  # before a name
WAITING, WAITING_EMOJI = "waiting", "⏳"
_MOST_PARTNERS = 3  # people whom one may talk to, or call, that are offered
_MINUTES = 5  # where none are given
_HEADS = {
    "news": "you hear the news",
    "thought": "a thought comes to you",
    "notice": "you notice",
    "speech": "you hear",
}


class Reaction(ReplyModel):
    """What the agent does about it: `what` in words, and for how long where it does something."""

    wire_name: ClassVar[str] = "Reaction"
    wire_description: ClassVar[str] = (
        "What one does about it: `what` in words, and for how long where one does something."
    )

    choice: str
    what: Phrase | Literal[""]
    minutes: Annotated[int, Field(ge=0, le=60)]


def make_queries(
    mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]
) -> Sequence[Query]:
    """Consider one of the things noticed, unless the agent sleeps or is reacting already."""
    if not mind.config.reaction:
        return ()
    take_in(mind, moment, observations)
    focus = choose(mind, moment)
    if focus is None:
        return telephone.make_queries(mind, moment)
    data = {"kind": focus.kind, "subject": focus.subject, "text": focus.text}
    return [context.make_query(mind, "react.decide", data)]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    percept, known = moment.percept, context.find_summary(data)
    partners, contacts = _list_partners(mind, data, moment), _list_contacts(mind, data, moment)
    choices = [
        GO_ON,
        *(f"{TALK}{name}" for name in partners),
        *(f"{CALL}{name}" for name in contacts),
        WAIT,
        ELSE,
    ]
    choices = _rotate(choices, mind, moment)
    tie = ties.format_tie(mind, str(data["subject"]), moment.now) if data["kind"] == PERSON else []
    shown = mind.services.prompts.fill(
        "react_decide",
        mind.profile,
        [
            *rank_last(describe_here_and_now(percept), besides="now"),
            *rank_last(describe_self(mind), besides="status"),
            *rank_last(describe_upcoming(mind, moment, tie)),
            *rank_last([Section("tie", tie), *known]),
            Section("focus", [[_HEADS.get(data["kind"], "you see"), data["text"]]]),
        ],
        memories=() if known else await _recall(mind, data, moment),
        choices=choices,
        talking=shorten_names(mind.dialogue.others) if mind.dialogue is not None else "",
        joined=[shorten_name(name) for name in partners if is_talking(percept, name)],
    )
    return PreparedQuery(shown.messages, {**data, "choices": choices}, shown.cuts)


def _list_questions(mind: SmallvilleMind, data: QueryData) -> list[str]:
    """Return what the agent looks through its memory for before it decides."""
    if data["kind"] == PERSON:
        return [f"{mind.name}'s relationship with {data['subject']}", str(data["text"])]
    return [str(data["text"]), *([mind.activity.text] if mind.activity.text else [])]


async def _recall(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[TimedMemory]:
    person = data["kind"] == PERSON
    shown = ties.list_texts(mind, str(data["subject"]), moment.now) if person else []
    questions = _list_questions(mind, data)
    return await recall(mind, questions, moment.now, without=[str(data["text"]), *shown])


def _list_partners(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[str]:
    """Return whom the agent may speak to here: whom it considers first, then the nearest."""
    if mind.dialogue is not None or moment.percept.conversation is not None:
        return []  # to go on is to go on talking
    awake = [seen.name for seen in moment.percept.people if not seen.asleep]
    names = sorted(awake, key=lambda name: name != data["subject"])
    most = 1 if mind.services.prompts.small else _MOST_PARTNERS
    return [name for name in names if may_talk(mind, moment, name)][:most]


def _list_contacts(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[str]:
    """Return whom the agent might call: those named in what it considers, then its ties."""
    if not mind.profile.phone or mind.dialogue is not None:
        return []
    here = {seen.name for seen in moment.percept.people}
    away = [name for name in telephone.list_contacts(mind) if name not in here]
    names = sorted(away, key=lambda name: name not in data["text"])
    most = 1 if mind.services.prompts.small else _MOST_PARTNERS
    return [name for name in names if may_talk(mind, moment, name)][:most]


def _rotate(choices: list[str], mind: SmallvilleMind, moment: Moment) -> list[str]:
    """Return `choices` beginning with another one each time: small models take the first."""
    seed = mind.services.model.run_seed
    first = draw_index(seed, len(choices), "react", mind.agent, moment.tick)
    return [*choices[first:], *choices[:first]]


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    """Do what was decided, unless by now the agent sleeps or talks; news are no interruption."""
    choice, what = reply.value.choice, reply.value.what
    minutes = reply.value.minutes or _MINUTES
    if moment.percept.me.asleep or not (data["kind"] in NEWS or is_free(mind, moment)):
        return ()
    if choice.startswith((TALK, CALL)):
        return _talk(mind, choice, what, moment)
    if choice == GO_ON or (choice == ELSE and not what):
        return ()
    _leave_talk(mind, moment)
    if choice == WAIT:
        _wait(mind, moment, minutes)
        return [_query_revision(moment, minutes, f"{WAITING}: {data['text']}")]
    reaction = {"text": what, "minutes": minutes}
    why = f"{what} ({data['text']})"
    return [ground.query_reaction(mind, reaction), _query_revision(moment, minutes, why)]


def _talk(mind: SmallvilleMind, choice: str, what: str, moment: Moment) -> Sequence[Query]:
    """Make up one's mind to talk: words are asked for once they can be said."""
    phone = choice.startswith(CALL)
    other = choice.removeprefix(CALL if phone else TALK)
    if not is_free(mind, moment) or not may_talk(mind, moment, other):
        return ()
    opening.begin(mind, other, moment, reason=what, phone=phone)
    return query_words(mind, moment)


def _leave_talk(mind: SmallvilleMind, moment: Moment) -> None:
    """Take one's leave of a conversation for something that cannot wait."""
    dialogue = mind.dialogue
    if dialogue is None:
        return
    if dialogue.id < 0:
        mind.dialogue = None
    else:
        dialogue.unsaid, dialogue.leaving = "", True


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


@lru_cache(maxsize=256)
def make_reaction_model(choices: tuple[str, ...]) -> type[Reaction]:
    """Return `Reaction` with `choice` limited to `choices`, of which there is at least one."""
    return cast(
        type[Reaction], create_model("Reaction", __base__=Reaction, choice=(one_of(choices), ...))
    )


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    "react.decide": QueryHandler(
        prepare=_prepare,
        reply_model=_make_reply_model,
        fallback=lambda data: Reaction(choice=GO_ON, what="", minutes=0),
        apply=_apply,
        max_tokens=lambda data: 160,
    ),
    "react.context": context.make_handler(_list_questions),
}
