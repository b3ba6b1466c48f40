"""News: what is worth passing on, and what it says of when and where.

A line is news if it matches `PATTERN` and was told, remembered or intended, not merely seen or
planned: *Sam Moore is running for mayor* is news, *Sam Moore is eating lunch and
talking about the party* is a sight.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import cut_text, is_similar

Minutes: TypeAlias = tuple[int, int]  # from and to, counted from midnight

_NOON = 12 * 60

# That somebody was seen as one who did wrong is: with blood on the knife, or in a hurry to leave.
_TESTIMONY = (
    r"(?=.*\b(?:saw|seen|spotted|noticed|watched|met|left|leaving|came|coming|ran|running)\b)"
    r".*\b(?:blood\S* (?:\w+ )?knife|knife in (?:his|her|their|one) hands?"
    r"|in (?:\w+ ){0,2}(?:rush|hurry|haste))\b"
)
# Something that brings people together, with its date; that somebody stands for an office; or a
# testimony.
PATTERN = (
    r"^(?!.*\bwho\b)(?:(?=.*\d).*\b(?:party|celebration|public talk|speech|debate)\b"
    r"|.*\b(?:run|runs|running|stand|stands|standing) for mayor\b"
    rf"|{_TESTIMONY})"
)
_NEWS = re.compile(PATTERN, re.IGNORECASE)
# Confessions, and what is said to be kept to oneself, are not passed on, whatever they match.
_SECRET = re.compile(
    r"\bsecret(?:ly)?\b|\b(?:tell|telling|told) (?:anyone|anybody|nobody|no one)\b"
    r"|\bI(?:['\u2019]ve| have| had)?(?: \w+)? (?:murder|kill|stabb|poison)ed\b"
    r"|\bmy (?:crime|guilt)\b",
    re.IGNORECASE,
)
_WITNESSED = re.compile(_TESTIMONY, re.IGNORECASE)
_PERSON = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)*"
_SEEN = re.compile(rf"\b(?:saw|spotted|noticed|watched|met) ({_PERSON})")
_WITNESS = re.compile(rf"\b(?:I|{_PERSON}) (?:saw|spotted|noticed|watched|met)\b")
_FULL_NAME = re.compile(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)+")
_SIGHT = re.compile(r"(?:[A-Z][^\s:]* )+is (?!(?:running|standing) for\b)")
_PLAN = re.compile(r"(?:[A-Z][^\s:]* )+plans? for\b")
_OF_ONESELF = ("you", "your days", "you feel", "these days", "today", "question")
_QUOTED = re.compile(r"[\"“]([^\"“”]+)")
_INTRODUCTION = re.compile(r"^(?:Talked with [^:]*: |For planning: |News: |.*'s yesterday: )")
_ADDRESS = re.compile(r"^Listen, ([^:]{1,80}): ")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(
    rf"\b(?P<month>{_MONTH}) (?P<day>\d\d?)(?:st|nd|rd|th)?\b"
    rf"|\b(?P<day2>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<month2>{_MONTH})\b",
    re.IGNORECASE,
)
_NUMERALS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_HOUR = rf"(\d\d?|{'|'.join(_NUMERALS)})(?::(\d\d))?(?: ?([ap])\.?m\b\.?)?"
_HOURS = re.compile(
    rf"\b(?:from |between )?{_HOUR} (?:to|until|and) {_HOUR}"
    r"(?: in the (morning|afternoon|evening))?",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:at|in) ((?:[A-Z][\w-]*)(?: [A-Z][\w-]*)*)")
# With the names before it, as in *Valentine's Day party*.
_OCCASION = re.compile(r"\b(?:[A-Z]\S* )*((?i:party|celebration|public talk|speech|debate))\b")


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A piece of news: its bare statement, and the number of the line it stands in."""

    statement: str
    number: int | None


def find_news(lines: Sequence[PromptLine]) -> list[NewsItem]:
    """Return the news in `lines`, what is remembered first.

    Equal news is returned once: in the words that say most about its time, else in the first.
    """
    found: list[NewsItem] = []
    for line in sorted(lines, key=lambda line: line.number is None):
        told = extract_statement(line)
        if not is_news(told) or is_plan(line) or _is_opinion(line):
            continue
        known = next((k for k, item in enumerate(found) if is_similar(told, item.statement)), None)
        if known is None:
            found.append(NewsItem(told, line.number))
        elif _count_times(told) > _count_times(found[known].statement):
            found[known] = NewsItem(told, line.number)
    return found


def find_own_news(prompt: Prompt) -> list[NewsItem]:
    """Return the news in a prompt, and last what one is up to oneself, where that is news."""
    status = [
        f"{prompt.name} wants to {line.text[:1].lower()}{line.text[1:]}"
        for line in prompt.lines
        if line.head == "these days"
    ]
    mine = [PromptLine(None, (), text) for text in status]
    return find_news([*prompt.lines, *mine])


def is_news(told: str) -> bool:
    """Return whether a bare statement is worth passing on."""
    return _NEWS.search(told) is not None and not _SIGHT.match(told) and not is_secret(told)


def is_secret(told: str) -> bool:
    """Return whether a statement is a confession, or says that it is not to be passed on."""
    return _SECRET.search(told) is not None


def is_testimony(told: str) -> bool:
    """Return whether a statement says that somebody was seen as one who did wrong is."""
    return _WITNESSED.search(told) is not None


def find_suspect(told: str) -> str:
    """Return the name of the person whom a testimony is about, empty where it names none.

    It is the one who was seen by another, else the first person named.
    """
    seen, named = _SEEN.search(told), _FULL_NAME.search(told)
    return seen[1] if seen else named[0] if named else ""


def is_whole(told: str) -> bool:
    """Return whether nothing is missing: a date without hours was cut off on its way.

    Passed on like that, it would spread in the place of the whole, and nobody could come.
    """
    return find_date(told) is None or find_hours(told) is not None


def is_sight(line: PromptLine) -> bool:
    """Return whether a line says only what somebody was seen doing."""
    return _SIGHT.match(line.text) is not None


def is_plan(line: PromptLine) -> bool:
    """Return whether a line is part of one's plan."""
    return _PLAN.match(line.text) is not None


def extract_statement(line: PromptLine) -> str:
    """Return what a line states, without who said it to whom, or of what it is a note."""
    quoted = _QUOTED.findall(line.text)
    told = str(quoted[-1]) if quoted else _INTRODUCTION.sub("", line.text)
    return _ADDRESS.sub("", told).strip()


def address_to(told: str, names: Sequence[str]) -> str:
    """Return words with the names of those they are meant for, which `statement` leaves out."""
    return f"Listen, {', '.join(names)}: {told}" if names else told


def find_addressees(told: str) -> tuple[str, ...]:
    """Return for whom words are meant, as far as they say."""
    found = _ADDRESS.match(told)
    return tuple(found[1].split(", ")) if found else ()


def find_date(told: str) -> tuple[int, int] | None:
    """Return month and day of the first date in a text, None where there is none."""
    found = _DATE.search(told)
    if found is None:
        return None
    month = (found["month"] or found["month2"]).lower()
    return _MONTHS.index(month) + 1, int(found["day"] or found["day2"])


def find_hours(told: str) -> Minutes | None:
    """Return from when to when something is, None where a text does not say."""
    for found in _HOURS.finditer(told):
        first, first_minute, first_half, last, last_minute, last_half, part = found.groups()
        half = (last_half or ("a" if part == "morning" else "p" if part else "")).lower()
        begin = _to_minutes(first, first_minute, (first_half or half).lower())
        end = _to_minutes(last, last_minute, half)
        if half == "a" and end <= begin:
            end += _NOON  # twelve in the morning, as an end
        if (half or found[0].lower().startswith("from ")) and begin < end <= 24 * 60:
            return begin, end
    return None


def shorten(told: str, limit: int) -> str:
    """Return news in at most `limit` characters: occasion, place, date and hours where it has them.

    Longer words would lose their end on the way, since minds remember more than prompts can show;
    a testimony that is too long begins with who saw it.
    """
    if len(told) > limit and is_testimony(told) and (witness := _WITNESS.search(told)):
        return cut_text(told[witness.start() :], limit)
    occasion, where, when, span = (
        _OCCASION.search(told),
        find_place(told),
        find_date(told),
        find_hours(told),
    )
    if occasion is None or not where:
        return cut_text(told, limit)
    parts = [f"{occasion[0]} at {where}"]
    if when is not None:
        parts.append(f"{_MONTHS[when[0] - 1].capitalize()} {when[1]}")
    if span is not None:
        parts.append(f"{_format_clock(span[0])} to {_format_clock(span[1])}")
    if len(", ".join(parts)) > limit:
        parts[0] = f"{occasion[1]} at {where}"
    return cut_text(", ".join(parts), limit)


def find_place(told: str) -> str:
    """Return the first place named in a text, empty where there is none."""
    named = [found for found in _PLACE.findall(told) if found.split()[0].lower() not in _MONTHS]
    return str(named[0]) if named else ""


def describe_occasion(told: str) -> str:
    """Return what one does there, as an activity with its place."""
    found = _OCCASION.search(told)
    what = found[1].lower() if found else "gathering"
    return f"{what} at {find_place(told)}" if find_place(told) else what


def _is_opinion(line: PromptLine) -> bool:
    """Return whether a line is one's own view of oneself or of somebody."""
    return line.head in _OF_ONESELF or line.head.startswith("about ")


def _count_times(told: str) -> int:
    """Return how much a text says of when something is."""
    return (find_date(told) is not None) + (find_hours(told) is not None)


def _to_minutes(hour: str, minute: str | None, half: str) -> int:
    if not hour.isdigit():
        hour = str(_NUMERALS.index(hour.lower()) + 1)
    count = int(hour) % 12 if half and int(hour) <= 12 else int(hour)
    return 60 * count + _NOON * (half == "p" and count < 12) + int(minute or 0)


def _format_clock(minutes: int) -> str:
    hour, minute = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    shown = (hour + 11) % 12 + 1
    return f"{shown}:{minute:02d} {half}" if minute else f"{shown} {half}"
