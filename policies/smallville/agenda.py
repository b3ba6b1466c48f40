"""Agenda: the plan, what is under way, and promises, as the prompts of all faculties show them.

Promises are ours: Park et al. 2023, section 3.4.3, leaves it to memory whether the invited come.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from genagents_env.cognition.prompts import REMEMBERED, Section
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import format_usual_day
from genagents_env.llm.calls import JSONValue

from .mind import Commitment, Piece, PlanBlock, SmallvilleMind
from .places import is_within
from .turns import TALKING

_REFUSAL_SECONDS = 600  # for which a plan takes into account where the agent could not get in
_BLOCKS = 4  # of the plan that are shown as what comes next
_SHORT = 3  # letters of words that say nothing of a thing, such as "the"
_SAME_WORDS = 0.5  # of the words of the shorter that show that two promises are the same
_ASLEEP = re.compile(
    r"(?:still |already |fast |sound )?(?:asleep|sleep|dozing|napping|in bed\b|"
    r"(?:go|going|goes) (?:back )?to (?:bed|sleep)|taking a nap|have a nap|having a nap)",
    re.IGNORECASE,
)
_WALK = re.compile(
    r"(?:walk|head|stroll|return|travel|cycl|go|mak(?:e|ing) \w+ way|set(?:ting)? out)\w* "
    r"(?:back |over |on |straight |slowly )*(?:home|to|into|towards?|for)\b(?! bed| sleep)",
    re.IGNORECASE,
)
# What the agent goes there to do, in the same words: then arriving is not the end of it.
_PURPOSE = re.compile(
    r"\bto (?!(?:the|a|an|my|his|her|their|our|work|bed|class|town)\b|[A-Z])\w|\band \w+ing\b"
)


def is_sleep(text: str) -> bool:
    """Return True if these words for an activity mean sleeping."""
    return _ASLEEP.match(text.strip()) is not None


def is_walk(text: str) -> bool:
    """Return True if these words mean going somewhere, and nothing that is done there."""
    way = _WALK.match(text.strip())
    return way is not None and _PURPOSE.search(text.strip(), way.end()) is None


# The plan.


def describe_routine(mind: SmallvilleMind, first: time, last: time) -> Section:
    """Describe the routine between two clock times, without its sleep: plans are for who is up."""
    awake = tuple(entry for entry in mind.profile.routine if not is_sleep(entry.doing))
    return Section("routine", format_usual_day(replace(mind.profile, routine=awake), first, last))


def describe_hours(mind: SmallvilleMind, blocks: Sequence[PlanBlock]) -> Section:
    """Describe what is planned, a stretch of time a line."""
    return Section("hours", [[_format_span(mind, block), block.text] for block in blocks])


def describe_under_way(mind: SmallvilleMind, moment: Moment, start: int) -> Section:
    """Describe what the agent is doing, and what it will have done by the second `start`.

    What begins at this very moment is under way, although no step of it was taken yet.
    """
    lines = _format_current(mind, moment)
    for piece in mind.day.pieces:
        if moment.now < piece.start < start:
            at = f", at {piece.place}" if piece.place else ""
            lines.append(["then", _format_span(mind, piece), f"{piece.text}{at}"])
    if mind.refused and moment.now - mind.refused_at < _REFUSAL_SECONDS:
        lines.append(["just now", f"you could not get in: {mind.refused}"])
    return Section("under way", lines)


def _format_current(mind: SmallvilleMind, moment: Moment) -> list[JSONValue]:
    """Format a line on what is done now: a reaction, else what is planned, else what goes on."""
    activity, now = mind.activity, moment.now
    goes_on = bool(activity.text) and activity.kind != "sleep" and now < activity.until
    piece = None if goes_on and activity.reaction else mind.day.find_piece(now)
    if piece is not None and not is_sleep(piece.text):
        text, place, end = piece.text, piece.place, piece.end
    elif piece is None and goes_on:
        text, place, end = activity.text, activity.place, activity.until
    else:
        return []
    at = f", at {place}" if place else ""
    going = "" if is_within(moment.percept.me.place, place) else " (still on the way there)"
    return [["under way", f"until {mind.services.format_clock(end)}", f"{text}{at}{going}"]]


def _format_span(mind: SmallvilleMind, part: Piece | PlanBlock) -> str:
    """Format a stretch of the plan: 09:00 to 10:00."""
    format_clock = mind.services.format_clock
    return f"{format_clock(part.start)} to {format_clock(part.end)}"


def describe_upcoming(
    mind: SmallvilleMind, moment: Moment, without: Sequence[JSONValue] = ()
) -> list[Section]:
    """Describe what the agent is doing, what is planned next, and what it has promised.

    Args:
        mind: whose.
        moment: now.
        without: lines on promises that the prompt has already.
    """
    doing = mind.activity.text or moment.percept.me.doing
    return [
        Section("doing", [] if doing.startswith(TALKING) else [["you are", doing]]),
        Section("plan", _list_next(mind, moment.now)),
        describe_commitments(mind, moment, without),
    ]


def _list_next(mind: SmallvilleMind, now: int) -> list[JSONValue]:
    """Return the next piece of the plan and the hours after it, as lines with their clocks."""
    parts: list[Piece | PlanBlock] = []
    parts += [piece for piece in mind.day.pieces if piece.start > now][:1]
    shown = parts[0].start if parts else now
    parts += [block for block in mind.day.hours if block.start > shown]
    clock = mind.services.format_clock
    return [[f"planned {clock(part.start)}", part.text] for part in parts[:_BLOCKS]]


def rank_last(sections: Sequence[Section], *, besides: Collection[str] = ()) -> list[Section]:
    """Return `sections`, of which all but `besides` give way where a prompt is short."""
    return [
        section if section.name in besides else replace(section, rank=REMEMBERED)
        for section in sections
    ]


# Promises.


def describe_commitments(
    mind: SmallvilleMind, moment: Moment, without: Sequence[JSONValue] = ()
) -> Section:
    """Describe what the agent has promised for today and later, but for the lines in `without`."""
    lines = format_commitments(list_ahead(mind.commitments, moment.percept.time))
    return Section("promised", [line for line in lines if line not in without])


def format_commitments(commitments: Sequence[Commitment]) -> list[JSONValue]:
    """Return a line for each: that it is promised, when, and what."""
    lines: list[JSONValue] = []
    for promise in commitments:
        day = date.fromisoformat(promise.date)
        clock = f" {promise.time}" if promise.time else ""
        when = f"{day:%A} {day.day} {day:%B}{clock}"
        lines.append(["promised", when, format_commitment(promise)])
    return lines


def format_commitment(promise: Commitment) -> str:
    """Format what is promised, where and with whom, without its moment."""
    text = promise.what
    for word, detail in (("at", promise.where), ("with", promise.with_whom)):
        if detail and detail.casefold() not in promise.what.casefold():
            text += f", {word} {detail}"
    return text


def list_ahead(commitments: Sequence[Commitment], now: datetime) -> list[Commitment]:
    """Return those of today that are not an hour old yet, and those of later days, in order."""
    begun, today = now - timedelta(hours=1), now.date().isoformat()
    return [
        promise
        for promise in commitments
        if promise.begin >= begun or (promise.date == today and not promise.time)
    ]


def has_begun_with(
    commitments: Sequence[Commitment], other: str, since: datetime, now: datetime
) -> bool:
    """Return True if something agreed on with `other` began after `since`, within the last hour."""
    first = other.split()[0]
    return any(
        since < promise.begin <= now < promise.begin + timedelta(hours=1)
        for promise in commitments
        if promise.time and first in re.findall(r"\w+", promise.with_whom)
    )


def add_commitment(commitments: list[Commitment], new: Commitment) -> bool:
    """Add a commitment; return whether it is new.

    A promise of the same moment with the same people, or of the same thing, is replaced: what was
    said last holds, with everybody with whom the thing was agreed. A day holds several things
    without a time.

    Raises:
        ValueError: its date or time is none.
    """
    moment = new.begin
    for number, old in enumerate(commitments):
        people = bool(new.time) and old.with_whom.casefold() == new.with_whom.casefold()
        same = _is_same(old, new)
        if old.begin == moment and (people or same):
            whom = _join_names(old.with_whom, new.with_whom) if same else new.with_whom
            commitments[number] = replace(new, with_whom=whom)
            return False
    commitments.append(new)
    commitments.sort(key=lambda promise: promise.begin)
    return True


def _is_same(old: Commitment, new: Commitment) -> bool:
    """Return True if two of one moment are one thing: in the same words, or mostly, and place."""
    if old.what.casefold() == new.what.casefold():
        return True
    words, others = (
        {word for word in re.findall(r"[^\W_]+", promise.what.casefold()) if len(word) > _SHORT}
        for promise in (old, new)
    )
    fewest = min(len(words), len(others))
    alike = fewest > 0 and len(words & others) >= _SAME_WORDS * fewest
    return alike and bool(old.where) and old.where.casefold() == new.where.casefold()


def _join_names(old: str, new: str) -> str:
    """Return all who are named in either, each once."""
    names = re.split(r",\s*|\s+and\s+", old) + re.split(r",\s*|\s+and\s+", new)
    return " and ".join(dict.fromkeys(name for name in names if name))
