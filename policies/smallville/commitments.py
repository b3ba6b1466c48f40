"""Commitments: what the agent has promised to do on a date, and how a plan shows it.

A conversation's memo adds them; a commitment of the day always stands in the day's hours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from genagents_env.llm.calls import JSONValue


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

    One of the same moment with the same people, or in the same words, takes the place of the old:
    what was said last holds.

    Raises:
        ValueError: its date or time is none.
    """
    moment = new.begin
    for k, old in enumerate(commitments):
        people = old.with_whom.casefold() == new.with_whom.casefold()
        same = old.what.casefold() == new.what.casefold()
        if old.begin == moment and (people or same):
            commitments[k] = new
            return False
    commitments.append(new)
    commitments.sort(key=lambda one: one.begin)
    return True


def list_ahead(commitments: Sequence[Commitment], now: datetime) -> list[Commitment]:
    """Return those of today that are not an hour old yet, and those of later days, in order."""
    begun = now - timedelta(hours=1)
    today = now.date().isoformat()
    return [
        one for one in commitments if one.begin >= begun or (one.date == today and not one.time)
    ]


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
