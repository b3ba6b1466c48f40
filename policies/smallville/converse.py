"""Converse: one utterance at a time, from what the agent thinks of the other and remembers.

Every utterance is an action in its own tick, so a conversation takes as long as it takes, can be
overheard, and ends when one walks off. Either side may end it, and takes its leave at the latest
after so many messages; `memo` has what stays of it. Source: Park et al. 2023, section 4.3.2. The
public code has a whole conversation take place within a step, and summarises the relationship
before every utterance; here once for each conversation.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from genagents_env.actions import Action, Idle, Move, Talk
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
from genagents_env.cognition.replies import Sentence, Speech
from genagents_env.cognition.sections import SPOKEN, Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from . import memo
from .dialogue import end, follow, is_late, is_my_turn, is_out_of_earshot
from .mind import Dialogue, SmallvilleMind
from .retrieve import recall
from .summary import describe_self

EMOJI = "💬"
_APPROACH = 180  # seconds for which the agent walks up to somebody who is out of earshot
_NEAR = 2  # tiles from which words are tried again
_RECENT = 4  # utterances that memories are looked for by (public code: 4)
_FIRST = "someone you know"


class RelationshipReply(ReplyModel):
    """What the agent thinks of somebody."""

    wire_name: ClassVar[str] = "Relationship"
    wire_description: ClassVar[str] = "What one makes of somebody."

    relationship: Sentence


class Utterance(ReplyModel):
    """What the agent says next, and whether it leaves with that; without words it just leaves."""

    wire_name: ClassVar[str] = "Utterance"
    wire_description: ClassVar[str] = (
        "What one says next, and whether one leaves with it; without words one just leaves."
    )

    say: Speech
    end: bool


def make_queries(mind: SmallvilleMind, moment: Moment) -> Sequence[Query]:
    """Follow the conversation; think of the others, of what to say, of what was said."""
    if mind.dialogue is None and moment.percept.conversation is None:
        return ()
    if not mind.config.conversation:
        return ()
    over = [Query("converse.memo", memo.make_data(mind, each)) for each in follow(mind, moment)]
    return [*over, *_query_relations(mind), *_query_words(mind, moment)]


def _query_relations(mind: SmallvilleMind) -> list[Query]:
    """Ask for the agent's view of those it has not thought of in this conversation."""
    dialogue = mind.dialogue
    if dialogue is None:
        return []
    begun = dialogue.begun
    waiting = [p.data for p in mind.pending if p.purpose == "converse.relate"]
    asked = [data["other"] for data in waiting if data["begun"] == begun]
    new = [name for name in dialogue.others if name not in (*dialogue.relations, *asked)]
    return [Query("converse.relate", {"other": name, "begun": begun}) for name in new]


def _query_words(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Ask for words when it is the agent's turn to speak and it has none yet."""
    dialogue = mind.dialogue
    if dialogue is None or dialogue.unsaid or dialogue.leaving or mind.is_busy("converse.speak"):
        return []
    if any(name not in dialogue.relations for name in dialogue.others):
        return []
    if moment.percept.me.asleep or not is_my_turn(mind, dialogue, moment):
        return []
    return [Query("converse.speak", {"begun": dialogue.begun, "heard": len(dialogue.lines)})]


def _find_current(mind: SmallvilleMind, data: QueryData) -> Dialogue | None:
    """Return the conversation that a query is about, if the agent is still in it."""
    dialogue = mind.dialogue
    return dialogue if dialogue is not None and dialogue.begun == data["begun"] else None


# What the agent thinks of the other.


async def _prepare_relation(
    mind: SmallvilleMind, data: QueryData, moment: Moment
) -> PreparedQuery | None:
    if _find_current(mind, data) is None:
        return None
    other = str(data["other"])
    memories = await recall(mind, [f"{mind.name}'s relationship with {other}"], moment.now)
    shown = mind.services.prompts.fill(
        "converse_relate",
        mind.profile,
        [*describe_here_and_now(moment.percept), *describe_self(mind)],
        memories=memories,
        other=shorten_name(other),
    )
    return PreparedQuery(shown.messages, data, shown.cuts)


async def _apply_relation(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> list[Query]:
    dialogue = _find_current(mind, data)
    if dialogue is None:
        return []
    dialogue.relations[data["other"]] = "" if reply.fallback else reply.value.relationship
    return _query_words(mind, moment)


# What to say.


async def _prepare_words(
    mind: SmallvilleMind, data: QueryData, moment: Moment
) -> PreparedQuery | None:
    percept, dialogue = moment.percept, _find_current(mind, data)
    if dialogue is None:
        return None
    relations = {o: dialogue.relations.get(o, "") for o in dialogue.others}
    doing = {seen.name: seen.doing for seen in percept.people if seen.name in relations}
    recent = " ".join(line.text for line in dialogue.lines[-_RECENT:])
    queries = [
        *(text or f"{mind.name}'s relationship with {name}" for name, text in relations.items()),
        *(f"{name} is {what}" for name, what in doing.items() if not dialogue.lines),
        *([recent] if recent else []),
    ]
    shown = mind.services.prompts.fill(
        "converse_speak",
        mind.profile,
        [
            *describe_here_and_now(percept),
            *describe_self(mind),
            Section("tie", _format_opinions(relations)),
            Section("talk", memo.format_transcript(mind, dialogue.lines), SPOKEN, "last"),
        ],
        memories=await recall(mind, queries, moment.now),
        others=shorten_names(dialogue.others),
        opening=not dialogue.lines,
        last=_is_last(mind, dialogue, moment),
    )
    return PreparedQuery(shown.messages, data, shown.cuts)


def _format_opinions(relations: Mapping[str, str]) -> list[JSONValue]:
    return [[f"about {shorten_name(name)}", text] for name, text in relations.items() if text]


def _is_last(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> bool:
    """Return whether the agent may speak only once more, by its own limit or the world's."""
    talk = moment.percept.conversation
    if len(dialogue.lines) + 1 >= mind.config.most_messages:
        return True
    return talk is not None and talk.exchanges_left <= 1


async def _apply_words(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> list[Query]:
    """Decide what to say; if more was said meanwhile, think again."""
    dialogue = _find_current(mind, data)
    if dialogue is None or moment.percept.me.asleep:
        return []
    if len(dialogue.lines) != data["heard"]:
        return _query_words(mind, moment)
    words, parting = reply.value.say, reply.value.end
    if not words and not dialogue.lines:
        end(mind, dialogue, moment)
        return []
    dialogue.unsaid = words
    # Whoever speaks first stays for the answer.
    leaving = not words or (parting and bool(dialogue.lines))
    dialogue.leaving = leaving or _is_last(mind, dialogue, moment)
    return []


# What the agent does.


def choose_action(mind: SmallvilleMind, moment: Moment) -> Action | None:
    """Return the next step in or towards a conversation; None where there is none."""
    talk, dialogue = moment.percept.conversation, mind.dialogue
    if (talk is None and dialogue is None) or moment.percept.me.asleep:
        return None
    if not mind.config.conversation:
        step: Action | None = Talk(None, "", leave=True)
    elif dialogue is not None and dialogue.id < 0:
        step = _open(mind, dialogue, moment)
    elif dialogue is not None and talk is not None:
        step = _speak(dialogue, may_speak=talk.may_speak)
    else:
        step = None
    if step is not None:
        mind.last = type(step).__name__
        mind.going = step.place if isinstance(step, Move) else ""
    return step


def _speak(dialogue: Dialogue, *, may_speak: bool) -> Action:
    doing = _describe_doing(dialogue)
    if dialogue.leaving and not dialogue.unsaid:
        return Talk(None, "", leave=True)
    if dialogue.unsaid and may_speak:
        return Talk(None, dialogue.unsaid, leave=dialogue.leaving, doing=doing, emoji=EMOJI)
    return Idle(doing, EMOJI)


def _open(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> Action | None:
    """Return what brings the agent's first words to the other, or give up."""
    percept, other = moment.percept, dialogue.others[0]
    seen = next((person for person in percept.people if person.name == other), None)
    tried = dialogue.spoke >= 0
    if (tried and moment.now - dialogue.spoke > _APPROACH) or is_late(mind, moment):
        end(mind, dialogue, moment)
        return None
    if seen is not None and seen.asleep:
        end(mind, dialogue, moment)
        return None
    if not dialogue.unsaid:
        return Idle(f"turning to {other}", EMOJI)
    near = percept.result.arrived or (seen is not None and seen.distance <= _NEAR)
    walking = is_out_of_earshot(mind, percept) or (mind.last == "Move" and not near)
    if tried and walking:
        return Move(other, f"walking up to {other}", EMOJI)
    if not tried:
        dialogue.spoke = moment.now
    doing, leave = _describe_doing(dialogue), dialogue.leaving
    return Talk(other, dialogue.unsaid, leave=leave, doing=doing, emoji=EMOJI)


def _describe_doing(dialogue: Dialogue) -> str:
    return f"talking with {' and '.join(dialogue.others)}"


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    "converse.relate": QueryHandler(
        prepare=_prepare_relation,
        reply_model=lambda data: RelationshipReply,
        # Only `reply.fallback` is looked at.
        fallback=lambda data: RelationshipReply(relationship=_FIRST),
        apply=_apply_relation,
        max_tokens=lambda data: 200,
    ),
    "converse.speak": QueryHandler(
        prepare=_prepare_words,
        reply_model=lambda data: Utterance,
        fallback=lambda data: Utterance(say="", end=True),
        apply=_apply_words,
        max_tokens=lambda data: 320,
    ),
    "converse.memo": memo.HANDLER,
}
