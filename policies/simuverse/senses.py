"""Senses: what came of the last step, who says what, and which conversation one is in."""

import re

from genagents_env.cognition.query import Moment
from genagents_env.percept import Conversation, HeardWords
from genagents_env.text import quote

from . import memory, results, scope
from .checker import find_place
from .mind import TO_OTHERS, LastSighting, MeetingInvitation, SimuverseMind, TalkSession

_INVITES = re.compile(r"\bmeet me (?:at|in)\b", re.IGNORECASE)
_MOST_INVITATIONS = 10


def perceive(mind: SimuverseMind, moment: Moment) -> None:
    """Take in a percept."""
    percept = moment.percept
    mind.tick = percept.tick
    for seen in percept.people:
        if seen.name not in mind.people:
            mind.people.append(seen.name)
        mind.seen[seen.name] = LastSighting(moment.now, seen.place, seen.doing)
    results.report_result(mind, moment)
    _note_beginning(mind, moment)
    for words in percept.heard:
        _hear(mind, words, moment)
    _note_end(mind, moment)
    mind.invitations = [one for one in mind.invitations if _stands(mind, one, moment)]


def _stands(mind: SimuverseMind, invitation: MeetingInvitation, moment: Moment) -> bool:
    """Return True if an invitation still stands: neither too old, nor are both there."""
    percept = moment.percept
    there = bool(invitation.place) and scope.is_within(percept.me.place, invitation.place)
    met = there and any(seen.name == invitation.who for seen in percept.people)
    return not met and moment.now - invitation.at < mind.config.invitation_seconds


def _hear(mind: SimuverseMind, words: HeardWords, moment: Moment) -> None:
    if words.kind == "notice" or not words.text:
        return
    speaker, now = words.speaker or "", moment.now
    if words.kind == "speech":
        if speaker not in mind.people:
            mind.people.append(speaker)
        mind.note(now, _describe_speech(words, mind.talk), words.text, words.event_id)
        memory.remember(mind, f"{speaker} said: {quote(words.text)}", now, [words.event_id])
        _count_utterance(mind, words, moment)
    else:
        mind.note(now, words.kind, words.text, words.event_id)
        memory.remember(mind, f"{words.kind.capitalize()}: {words.text}", now, [words.event_id])
        mind.due = True


def _describe_speech(words: HeardWords, talk: TalkSession) -> str:
    if words.by_phone:
        return f"{words.speaker} said, by phone"
    if words.addressed or words.speaker in talk.members:
        return f"{words.speaker} said"
    return f"{words.speaker} {TO_OTHERS}"


def _count_utterance(mind: SimuverseMind, words: HeardWords, moment: Moment) -> None:
    """Count an utterance in the agent's conversation; outside of it, it may be an invitation."""
    speaker, now = words.speaker or "", moment.now
    if speaker in mind.talk.members:
        mind.talk.spoken += 1
        mind.talk.speaker, mind.talk.at = speaker, now
    elif words.addressed and (words.by_phone or _INVITES.search(words.text)):
        mind.due = True
        if results.has_invited(mind, speaker) and not _INVITES.search(words.text):
            return  # it is the answer
        place = find_place(words.text, scope.find_scope(mind, moment))
        new = MeetingInvitation(speaker, words.text, place, now, words.event_id)
        others = [one for one in mind.invitations if one.who != speaker]
        mind.invitations = [*others, new][-_MOST_INVITATIONS:]


def _note_beginning(mind: SimuverseMind, moment: Moment) -> None:
    """Note that a conversation began, an earlier one being over then, or who joined it."""
    talk = moment.percept.conversation
    if talk is None:
        return
    others = [name for name in talk.members if name != mind.name]
    if talk.id == mind.talk.id:
        _note_joining(mind, others, moment)
        return
    if mind.talk.id >= 0:
        _end_talk(mind, moment)
    _begin_talk(mind, talk, others, moment)


def _note_end(mind: SimuverseMind, moment: Moment) -> None:
    """Note that the conversation ended, or who left it, once their last words are heard."""
    talk = moment.percept.conversation
    if mind.talk.id < 0:
        return
    if talk is None:
        _end_talk(mind, moment)
        return
    for name in [name for name in mind.talk.members if name not in talk.members]:
        mind.talk.members.remove(name)
        mind.note(moment.now, name, "left the conversation")


def _begin_talk(mind: SimuverseMind, talk: Conversation, others: list[str], moment: Moment) -> None:
    """Begin to talk: what the agent was about to do is over, and its input becomes history."""
    mind.shelve_input(moment.now)
    if mind.going:
        mind.report(f"You were on your way to {mind.going} when the conversation began.")
        mind.going = ""
    opened = mind.step.kind == "open" and moment.percept.result.ok
    to_join = [name for name in mind.opening if name not in others] if opened else []
    said = int(opened)
    mind.talk = TalkSession(talk.id, others, to_join, said, said, at=moment.now)
    mind.failures = 0
    if opened:
        mind.talk.speaker = mind.name
    mind.opening = []
    mind.invitations = [one for one in mind.invitations if one.who not in others]


def _note_joining(mind: SimuverseMind, others: list[str], moment: Moment) -> None:
    talk = mind.talk
    for name in [name for name in others if name not in talk.members]:
        talk.members.append(name)
        mind.note(moment.now, name, "joined the conversation")
    talk.to_join = [name for name in talk.to_join if name not in others]


def _end_talk(mind: SimuverseMind, moment: Moment) -> None:
    """Report why the conversation is over; the next tool is chosen at once."""
    talk, mind.talk = mind.talk, TalkSession()
    others = ", ".join(talk.members)
    removed = any(words.kind == "notice" for words in moment.percept.heard)
    if removed or talk.ending == "long":
        results.report_removal(mind)
    elif talk.ending == "left":
        mind.report(f"You left the conversation with {others}.")
    else:
        mind.report(f"The conversation with {others} is over: nobody is left in it.")
    mind.due = True
    mind.going, mind.then = mind.then, ""
    mind.going_since = moment.now
