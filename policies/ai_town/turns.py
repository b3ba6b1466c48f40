"""Turns: when it is time to say something in a talk of two, and when for good-bye.

Whoever invited speaks first, then they take turns; after a long silence the one who need not speaks
all the same. While one is seen thinking of words the other holds back, until the lock expires.
Source: AI Town, agent.ts and conversation.ts (January 2026). There both may say good-bye in the
same moment; here whose turn it is does.
"""

from typing import Literal

from genagents_env.cognition.query import Moment

from .mind import AiTownMind, TalkState

Due = Literal["", "start", "continue", "leave"]


def find_due(mind: AiTownMind, talk: TalkState, moment: Moment) -> Due:
    """Return what kind of words the agent should think of now; empty for none."""
    if talk.stage != "talking" or talk.unsaid or talk.leaving or is_locked(mind, talk, moment.now):
        return ""
    if moment.now - talk.passed < mind.config.awkward_seconds:
        return ""
    if not _is_my_turn(mind, talk, moment.now):
        return ""
    if is_over(mind, talk, moment.now):
        return "leave"
    return "continue" if talk.lines else "start"


def is_over(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    """Return whether the talk has lasted for long enough."""
    lasted = now - talk.started > mind.config.talk_seconds
    return lasted or len(talk.lines) > mind.config.max_messages


def is_locked(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    """Return whether the other is thinking of words, and has not done so for too long."""
    return talk.typing >= 0 and now - talk.typing < mind.config.typing_seconds


def _is_my_turn(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    awkward = mind.config.awkward_seconds
    if not talk.lines:
        return talk.mine or now - talk.started >= awkward
    last = talk.lines[-1]
    if last.speaker == mind.name:
        return now - last.at >= awkward
    return now - last.at >= mind.config.message_seconds
