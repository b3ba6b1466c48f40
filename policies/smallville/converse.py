"""Converse: one utterance at a time, from what the agent thinks of the other and remembers.

Every utterance is an action in its own tick, so a conversation takes as long as it takes, can be
overheard, joined, and ends when one walks off. Words are thought of at the tick at which they can
be said: `dialogue` has the way to the first, `turns` who speaks next, `memo` what stays of it all.
Source: Park et al. 2023, section 4.3.2. The public code has a whole conversation take place within
a step.
"""

from collections.abc import Sequence

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.cognition.prompts import SPOKEN, Section, shorten_name, shorten_names
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Speech
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from . import memo
from .dialogue import EMOJI, choose_step, end, find_step, follow, note_heard
from .memo import RelationshipReply, format_ties, list_tie_memories, list_unknown
from .mind import Dialogue, Handlers, SmallvilleMind, Tie
from .retrieve import TimedMemory, recall
from .summary import describe_briefly, describe_context, make_context_handler, query_in_context
from .turns import TALKING, is_interrupted, is_my_turn

_RECENT = 4  # utterances that memories are looked for by (public code: 4)
_FEW = 2  # utterances left, from which on the prompt says how many


class Utterance(ReplyModel):
    """What one says next, and whether one leaves with it; without words one just leaves."""

    say: Speech
    end: bool


def make_queries(mind: SmallvilleMind, moment: Moment) -> Sequence[Query]:
    """Follow the conversation; think of the others, of what to say, of what was said."""
    note_heard(mind, moment)
    if mind.dialogue is None and moment.percept.conversation is None:
        return ()
    if not mind.config.conversation:
        return ()
    over = [Query("converse.memo", memo.make_data(mind, each)) for each in follow(mind, moment)]
    return [*over, *query_words(mind, moment)]


def query_words(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Ask for words where they can be said now, first for what is missing to find them."""
    dialogue = mind.dialogue
    if dialogue is None or dialogue.unsaid or dialogue.leaving or moment.percept.me.asleep:
        return []
    if mind.config.reaction and any(heard.kind != "speech" for heard in moment.percept.heard):
        return []  # news comes first: it may end the talk
    if any(mind.is_busy(f"converse.{what}") for what in ("speak", "context", "relate")):
        return []
    if moment.percept.conversation is None:
        if dialogue.id >= 0 or find_step(mind, dialogue, moment) != "say":
            return []
    elif not is_my_turn(mind, dialogue, moment):
        return []
    begun = dialogue.begun
    if unknown := list_unknown(mind, dialogue):
        return [Query("converse.relate", {"other": name, "begun": begun}) for name in unknown]
    data = {"begun": begun, "heard": len(dialogue.lines)}
    return [query_in_context(mind, "converse.speak", data)]


def _find_current(mind: SmallvilleMind, data: QueryData) -> Dialogue | None:
    """Return the conversation that a query is about, if the agent is still in it."""
    dialogue = mind.dialogue
    return dialogue if dialogue is not None and dialogue.begun == data["begun"] else None


async def _apply_relation(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> list[Query]:
    """Take what the reply makes of somebody; without one it is asked again in the next talk."""
    text = "" if reply.fallback else reply.value.relationship
    mind.ties[str(reply.data["other"])] = Tie(text, moment.now)
    dialogue = _find_current(mind, reply.data)
    if dialogue is None or list_unknown(mind, dialogue):
        return []
    return query_words(mind, moment)


# What to say.


async def _prepare_words(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for the next words, from ties, what was said and memories of it (section 4.3.2)."""
    dialogue = _find_current(mind, data)
    if dialogue is None:
        return None
    known = describe_context(data)
    others = _describe_others(mind, dialogue, moment)
    promised = [line for section in others for line in section.lines]
    return mind.ask(
        "converse_speak",
        data,
        [
            *describe_briefly(mind, moment, promised),
            *others,
            *known,
            Section("talk", _format_talk(mind, dialogue), SPOKEN, "last"),
        ],
        () if known else await _recall(mind, dialogue, moment),
        others=shorten_names(dialogue.others),
        opening=not dialogue.lines,
        joining=not dialogue.lines and bool(dialogue.before),
        phone=dialogue.phone,
        left=_count_left(mind, dialogue, moment),
        few=_FEW,
    )


def _list_questions(mind: SmallvilleMind, data: QueryData) -> list[str]:
    """List the queries to memory before the agent speaks."""
    dialogue = _find_current(mind, data)
    if dialogue is None:
        return []
    recent = " ".join(line.text for line in (*dialogue.before, *dialogue.lines)[-_RECENT:])
    doing = [f"{name} is {what}" for name, what in dialogue.activities.items()]
    return [
        *(f"{mind.name}'s relationship with {name}" for name in dialogue.others),
        *([] if dialogue.lines else doing),
        *(text for text in (recent, dialogue.reason) if text),
    ]


async def _recall(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> list[TimedMemory]:
    """Recall for the next words, without what the prompt shows of the talk."""
    said = [*dialogue.before, *dialogue.lines]
    shown: list[str | int] = [line.text for line in said]
    shown += [line.event for line in said if line.event >= 0]
    for name in dialogue.others:
        shown += list_tie_memories(mind, name, moment.now)
    questions = _list_questions(mind, {"begun": dialogue.begun})
    return await recall(mind, questions, moment.now, without=shown)


def _describe_others(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> list[Section]:
    """Describe the agent's ties to the others, and why it wanted to talk with them."""
    tie = format_ties(mind, dialogue.others, moment.now)
    why: list[JSONValue] = [
        [shorten_name(name), "was", what] for name, what in dialogue.activities.items()
    ]
    if dialogue.reason:
        why.append(["you wanted to talk about", dialogue.reason])
    return [Section("tie", tie, SPOKEN), Section("reason", why)]


def _format_talk(mind: SmallvilleMind, dialogue: Dialogue) -> list[JSONValue]:
    """Format what was said, news that all heard meanwhile, and what the agent meant to say."""
    lines = memo.format_transcript(mind, dialogue.before, dialogue.lines)
    news = [line for line in mind.heard if not line.speaker and line.at >= dialogue.begun]
    lines += [["all heard", line.text] for line in news]
    if dialogue.meant:
        lines.append(["you were about to say", dialogue.meant])
    return lines


def _count_left(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> int:
    """Count the utterances left to the agent, by its own limit and the world's."""
    talk = moment.percept.conversation
    messages = mind.config.most_messages - len(dialogue.lines)
    own = 1 if messages <= 1 else max(2, (messages + 1) // 2)
    return own if talk is None else min(own, max(1, talk.exchanges_left))


async def _apply_words(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> list[Query]:
    """Decide what to say; what was heard meanwhile may call for other words."""
    dialogue = _find_current(mind, reply.data)
    if dialogue is None or dialogue.leaving or moment.percept.me.asleep:
        return []
    words, parting = reply.value.say, reply.value.end
    if len(dialogue.lines) != reply.data["heard"]:
        dialogue.meant = words
        return query_words(mind, moment)
    if not words and not dialogue.lines and dialogue.id < 0:
        end(mind, dialogue, moment)
        return []
    if not words and not parting:
        dialogue.passed = len(dialogue.lines)  # others may speak
        return []
    dialogue.unsaid = words
    # Whoever speaks first, or asks something, stays for the answer.
    stays = bool(words) and (not dialogue.lines or words.rstrip().endswith("?"))
    last = _count_left(mind, dialogue, moment) == 1
    dialogue.leaving = not words or (parting and not stays) or last
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
        step = choose_step(mind, dialogue, moment)
    elif dialogue is not None and talk is not None:
        step = _speak(mind, dialogue, moment, may_speak=talk.may_speak)
    else:
        step = None
    if step is not None:
        mind.last = type(step).__name__
        mind.going = step.place if isinstance(step, Move) else ""
    return step


def _speak(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment, *, may_speak: bool) -> Action:
    """Return to say the words that are ready, or to listen."""
    doing = f"{TALKING} {' and '.join(dialogue.others)}"
    if dialogue.leaving and not dialogue.unsaid:
        return Talk(None, "", leave=True)
    others_first = is_interrupted(moment.percept, [mind.name, *dialogue.others]) or (
        dialogue.meant == dialogue.unsaid and not is_my_turn(mind, dialogue, moment)
    )
    if dialogue.unsaid and may_speak and not others_first:
        return Talk(None, dialogue.unsaid, leave=dialogue.leaving, doing=doing, emoji=EMOJI)
    return Idle(doing, EMOJI)


# Of a default only `reply.fallback` is looked at, but for the last words.
HANDLERS: Handlers = {
    "converse.relate": handle(
        memo.prepare_relation,
        _apply_relation,
        RelationshipReply(relationship="somebody one knows"),
        200,
    ),
    "converse.speak": handle(_prepare_words, _apply_words, Utterance(say="", end=True), 480),
    "converse.context": make_context_handler(_list_questions),
    "converse.memo": memo.HANDLER,
}
