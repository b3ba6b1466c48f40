"""Turns: who speaks next in a group, by ear alone; nobody presides and no model is asked.

Words sound for as long as it takes to take them in, and until then others listen. Then who was
named may speak at once, of several each in turn, and everyone else one after another, in an order
drawn anew for every utterance, so that an agent speaks where those before had nothing to say. After
its own words it waits for others. Words of another conversation are waited for, not answered.
Words decided on but not said yet are made anew once somebody else has spoken.
Source: Lyfe Agents, section 4 (group conversations) and the timed states talk, wait and listen of
the public release; there everyone else waits for five ticks alike, here in turns, which an
environment of whole ticks needs.
"""

import math
from collections.abc import Sequence

from genagents_env.cognition import names
from genagents_env.cognition.query import Moment
from genagents_env.llm.tokens import bound_tokens
from genagents_env.rng import draw_index, draw_unit

from . import questions
from .mind import LyfeMind, WorkItem

_OPENINGS = 3  # ticks among which those who would open a talk at once are spread


def note_heard(mind: LyfeMind, item: WorkItem, moment: Moment) -> None:
    """Listen: somebody spoke."""
    turn, talk = mind.turn, moment.percept.conversation
    over = moment.now - mind.services.seconds_per_tick + count_seconds(mind, item.text)
    turn.until = max(turn.until, over)
    if talk is not None and item.speaker not in talk.members:
        return  # overheard
    turn.event, turn.speaker, turn.mine = item.event, item.speaker, False
    turn.unsaid, turn.kept = "", False
    others = [name for name in _list_group(mind, moment) if name != item.speaker]
    _owe_answers(mind, item.text, item.speaker, others)
    questions.note_utterance(mind, item.text, item.speaker, others, turn.until)
    asked = any(one.each or len(one.asked) == 1 for one in turn.questions if mind.name in one.asked)
    turn.passed = 0 if asked or mind.name in turn.owed else max(0, turn.passed - 1)
    turn.delay = _find_place(mind, item, moment) * mind.config.reply_seconds


def note_said(mind: LyfeMind, words: str, moment: Moment) -> None:
    """Wait for others: the agent itself spoke."""
    turn = mind.turn
    turn.mine, turn.passed, turn.kept, turn.delay = True, 0, False, 0
    turn.until = moment.now - mind.services.seconds_per_tick + count_seconds(mind, words)
    others = [name for name in _list_group(mind, moment) if name != mind.name]
    _owe_answers(mind, words, mind.name, others)
    questions.note_utterance(mind, words, mind.name, others, turn.until)


def begin(mind: LyfeMind, moment: Moment, at_once: bool = False) -> None:
    """Get ready to talk: in a conversation the agent's turn stays; else one of several begins.

    `at_once`: with words for somebody whom the agent looked for, and who may be walking on.
    """
    turn, spread = mind.turn, 1 if at_once else _OPENINGS
    turn.passed, turn.kept = 0, False
    turn.unsaid = ""
    if moment.percept.conversation is not None:
        return
    turn.mine = False
    if turn.until < moment.now:
        ticks = draw_index(mind.services.seed, spread, "opens", moment.tick, mind.agent)
        turn.until = moment.now + ticks * mind.services.seconds_per_tick
        turn.delay = 0


def may_speak(mind: LyfeMind, moment: Moment) -> bool:
    """Return True if it is the agent's turn to speak now."""
    turn, talk = mind.turn, moment.percept.conversation
    if turn.mine or turn.passed or moment.now < turn.until + turn.delay:
        return False
    return bool(mind.near) and (talk is None or talk.may_speak)


def count_seconds(mind: LyfeMind, words: str) -> int:
    """Return for how many seconds words sound."""
    seconds = math.ceil(bound_tokens(words) / mind.config.tokens_per_second)
    return min(mind.config.sounding_seconds, seconds)


def is_named(mind: LyfeMind, words: str) -> bool:
    """Return True if words name the agent, by a name of its own or by what it is."""
    return names.find_mention(mind.name, words, mind.list_roles(mind.name)) is not None


def _owe_answers(mind: LyfeMind, words: str, speaker: str, others: Sequence[str]) -> None:
    """Note who is to answer: those still to answer, then those named now as they are named.

    Where somebody else speaks, those still to answer had nothing to say.
    """
    owed = mind.turn.owed
    left = [name for name in owed if name != speaker] if speaker in owed else []
    found = {name: names.find_mention(name, words, mind.list_roles(name)) for name in others}
    named = sorted((at, name) for name, at in found.items() if at is not None)
    mind.turn.owed = list(dict.fromkeys([*left, *(name for _, name in named)]))


def _find_place(mind: LyfeMind, item: WorkItem, moment: Moment) -> int:
    """Count those who come before the agent: all who hear it draw the same order."""
    owed = mind.turn.owed
    listeners = {name for name in _list_group(mind, moment) if name != item.speaker}
    order = sorted(
        listeners,
        key=lambda name: (
            owed.index(name) if name in owed else len(owed),
            draw_unit(mind.services.seed, "turn", item.event, name),
            name,
        ),
    )
    return order.index(mind.name)


def _list_group(mind: LyfeMind, moment: Moment) -> tuple[str, ...]:
    """List who may speak next: those the agent talks with, else those near, and itself."""
    talk = moment.percept.conversation
    return tuple(dict.fromkeys([mind.name, *(talk.members if talk is not None else mind.near)]))
