"""Commitments: what the agent has promised to do on a date, and how a plan shows it.

A conversation's memo adds them; a commitment of the day always stands in the day's hours.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from genagents_env.llm.calls import JSONValue

_SHORT = 3  # letters of words that say nothing of a thing, such as "the"
_SAME_WORDS = 0.5  # of the words of the shorter that show that two are one thing


@dataclass(slots=True)
class Commitment:
    """Something promised. `date` is ISO 8601, `time` is HH:MM, empty where only the day is known.

    `where` and `with_whom` are in the words they were said in, empty where nothing was said.
    """

    date: str
    time: str
    what: str
    where: str = ""
    with_whom: str = ""

    @property
    def begin(self) -> datetime:
        """The town time at which it begins: midnight where only the day is known."""
        clock = time.fromisoformat(self.time) if self.time else time(0)
        return datetime.combine(date.fromisoformat(self.date), clock)


def add_commitment(commitments: list[Commitment], new: Commitment) -> bool:
    """Add a commitment; return whether it is new.

    One of the same moment with the same people, or of the same thing, takes the place of the old:
    what was said last holds, with everybody with whom the thing was agreed. A day holds several
    things without a time.

    Raises:
        ValueError: its date or time is none.
    """
    moment = new.begin
    for k, old in enumerate(commitments):
        people = bool(new.time) and old.with_whom.casefold() == new.with_whom.casefold()
        same = _is_same(old, new)
        if old.begin == moment and (people or same):
            whom = _join_names(old.with_whom, new.with_whom) if same else new.with_whom
            commitments[k] = replace(new, with_whom=whom)
            return False
    commitments.append(new)
    commitments.sort(key=lambda one: one.begin)
    return True


def _is_same(old: Commitment, new: Commitment) -> bool:
    """Return whether two of one moment are one thing: in the same words, or mostly, and place."""
    if old.what.casefold() == new.what.casefold():
        return True
    words, others = (
        {word for word in re.findall(r"[^\W_]+", one.what.casefold()) if len(word) > _SHORT}
        for one in (old, new)
    )
    fewest = min(len(words), len(others))
    alike = fewest > 0 and len(words & others) >= _SAME_WORDS * fewest
    return alike and bool(old.where) and old.where.casefold() == new.where.casefold()


def _join_names(old: str, new: str) -> str:
    """Return all who are named in either, each once."""
    names = [name for names in (old, new) for name in re.split(r",\s*|\s+and\s+", names) if name]
    return " and ".join(dict.fromkeys(names))


def list_ahead(commitments: Sequence[Commitment], now: datetime) -> list[Commitment]:
    """Return those of today that are not an hour old yet, and those of later days, in order."""
    begun = now - timedelta(hours=1)
    today = now.date().isoformat()
    return [
        one for one in commitments if one.begin >= begun or (one.date == today and not one.time)
    ]


def has_begun_with(
    commitments: Sequence[Commitment], other: str, since: datetime, now: datetime
) -> bool:
    """Return whether something agreed on with `other` began after `since`, within the last hour."""
    first = other.split()[0]
    return any(
        since < one.begin <= now < one.begin + timedelta(hours=1)
        for one in commitments
        if one.time and first in re.findall(r"\w+", one.with_whom)
    )


def format_commitment(one: Commitment) -> str:
    """Return what is promised, where and with whom, without its moment."""
    where = (
        f", at {one.where}" if one.where and one.where.casefold() not in one.what.casefold() else ""
    )
    people = one.with_whom
    with_whom = (
        f", with {people}" if people and people.casefold() not in one.what.casefold() else ""
    )
    return f"{one.what}{where}{with_whom}"


def format_commitments(several: Sequence[Commitment]) -> list[JSONValue]:
    """Return a line for each: that it is promised, when, and what."""
    lines: list[JSONValue] = []
    for one in several:
        day = date.fromisoformat(one.date)
        clock = f" {one.time}" if one.time else ""
        lines.append(["promised", f"{day:%A} {day.day} {day:%B}{clock}", format_commitment(one)])
    return lines
