"""Questions: which are open, and whether one still owes somebody an answer, or waits for one.

Everybody keeps count by ear: what an utterance asks is asked of those it turns to by name, each of
whom answers, else of all who are in the talk, any of whom does; the next words of one who was asked
are the answer. So a talk need not end between the two. Paper and release know nothing of this:
there a talk ends by the clock.
"""

import re
from collections.abc import Sequence

from genagents_env.cognition import names
from genagents_env.cognition.query import Moment

from .mind import LyfeMind, OpenQuestion

_ASKS = re.compile(r"[?\u037e\u061f\uff1f]")


def note_utterance(
    mind: LyfeMind, words: str, speaker: str, others: Sequence[str], sounded: int
) -> None:
    """Note what an utterance answers, and what it asks of `others`."""
    still_open = _answer(mind.turn.questions, speaker)
    if is_question(words) and others:
        turned_to = find_addressees(mind, words, others)
        asked = turned_to or list(others)
        still_open.append(OpenQuestion(speaker, asked, bool(turned_to), sounded))
    mind.turn.questions = still_open


def note_silence(mind: LyfeMind) -> None:
    """Note that the agent has nothing to say to what it was asked."""
    mind.turn.questions = _answer(mind.turn.questions, mind.name)


def is_question(words: str) -> bool:
    """Return True if words ask anything."""
    return _ASKS.search(words) is not None


def is_asked(mind: LyfeMind, now: int) -> bool:
    """Return True if somebody near still waits for the agent's answer."""
    return any(mind.name in one.asked and one.asker in mind.near for one in _list_open(mind, now))


def is_owed(mind: LyfeMind, now: int) -> bool:
    """Return True if an answer is still owed: by the agent, or to it, by somebody near."""
    waits = any(
        one.asker == mind.name and any(name in mind.near for name in one.asked)
        for one in _list_open(mind, now)
    )
    return waits or is_asked(mind, now)


def is_addressed(mind: LyfeMind, moment: Moment) -> bool:
    """Return True if the agent was spoken to by somebody near and has not replied yet."""
    turn, now = mind.turn, moment.now
    if is_asked(mind, now):
        return True
    late = now - turn.until > mind.config.answer_seconds
    return not (turn.mine or turn.passed or late) and turn.speaker in mind.near


def find_addressees(mind: LyfeMind, words: str, others: Sequence[str]) -> list[str]:
    """Return those of `others` to whom words turn, in the order in which they do."""
    addressed = {name: names.find_address(name, words, mind.list_roles(name)) for name in others}
    return [
        name for _, name in sorted((at, name) for name, at in addressed.items() if at is not None)
    ]


def _list_open(mind: LyfeMind, now: int) -> list[OpenQuestion]:
    patience = mind.config.answer_seconds
    return [one for one in mind.turn.questions if now - one.at < patience]


def _answer(questions: Sequence[OpenQuestion], speaker: str) -> list[OpenQuestion]:
    """List the questions open after `speaker` has spoken, or has let the turn pass."""
    left: list[OpenQuestion] = []
    for one in questions:
        if speaker in one.asked:
            if not one.each or one.asked == [speaker]:
                continue
            one.asked = [name for name in one.asked if name != speaker]
        left.append(one)
    return left
