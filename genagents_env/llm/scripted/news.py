"""News: what is worth passing on, whose words it is in, and what it says of when and where.

A sentence is news if it fits the patterns of `words.toml`, or has a date or hours, and if it was
heard, remembered or intended, not merely seen or planned.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import (
    compile_words,
    is_similar,
    list_phrases,
    load_words,
    phrase,
    split_sentences,
)

Minutes: TypeAlias = tuple[int, int]  # from and to, counted from midnight

_NOON = 12 * 60
_PERSON = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)*"
_SEEN = re.compile(rf"\b(?:saw|spotted|noticed|watched|met) ({_PERSON})")
_FULL_NAME = re.compile(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)+")
_NAME = re.compile(
    r"(?<=[a-z,'\"] )[A-Z][a-z]{2,}|[A-Z][a-z]+ [A-Z][a-z]+|^[A-Z][a-z]{2,} (?=is |gives )"
)
_SIGHT = re.compile(r"(?:[A-Z][^\s:]* )+is \w+ing\b")
_PLAN = re.compile(r"(?:[A-Z][^\s:]* )+plans? for\b")
_OPINION = re.compile(r"^(?:I|(?:[A-Z]\S* )+)knows? [^:]+: ")
_QUESTION = re.compile(r"\?|\b(?:you|your|we|us)\b|\bwho\b(?=.*\?)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"“”]+)")
_SAID = re.compile(rf"({_PERSON}) said(?: to [^:]+)?: [\"“]")
_INTRODUCTION = re.compile(r"^(?:Talked with [^:]*: |For planning: |News: |.*'s yesterday: )")
_TOLD = ("summary", "memory", "lately", "just now", "today needs", "earlier")
_HEARD = ("you notice", "you hear", "a thought comes")  # what such heads begin with
AIMS = ("these days", "your goal", "your plan", "your task", "goal")
_HOUR = r"(\d\d?|{})(?::(\d\d))?(?: ?([ap])\.?m\b\.?)?"
_PLACE = re.compile(r"\b(?:at|in) (?:the )?((?:[A-Z][\w-]*)(?: [A-Z][\w-]*)*)")


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A piece of news: its bare statement, and the number of the line it stands in."""

    statement: str
    number: int | None


def find_news(prompt: Prompt, lines: Sequence[PromptLine] | None = None) -> list[NewsItem]:
    """Return the news in a prompt, or in some of its lines, the most telling first.

    Of the same news one item is returned, in the words that say most.
    """
    items: list[NewsItem] = []
    lines = prompt.lines if lines is None else lines
    for line in sorted(lines, key=lambda line: line.number is None):
        for told in list_statements(prompt, line):
            same = [k for k, item in enumerate(items) if is_similar(told, item.statement)]
            if not is_news(told) or is_against(prompt, told):
                continue
            if not same:
                items.append(NewsItem(told, line.number))
            elif weigh(told) > weigh(items[same[0]].statement):
                items[same[0]] = NewsItem(told, line.number)
    return sorted(items, key=lambda item: -weigh(item.statement))


def list_statements(prompt: Prompt, line: PromptLine) -> list[str]:
    """Return the sentences that a line tells, in the third person where others said them."""
    head = line.head
    if head in AIMS:
        text = line.text
        if text.startswith((prompt.name.split(" ")[0] or "I ", "I ")):
            return [text]
        return [f"{prompt.name or 'I'} wants to {text[:1].lower()}{text[1:]}"]
    known = head in _TOLD or head.startswith(_HEARD) or head.endswith("said")
    known = known or line.number is not None or line.is_said or line.heads == ("you know",)
    if not known or _PLAN.match(line.text) or _OPINION.match(line.text):
        return []
    return list(_reword(prompt, line))


def _reword(prompt: Prompt, line: PromptLine) -> Iterator[str]:
    said = _SAID.search(line.text)
    speaker = line.speaker or (said[1] if said else "")
    for text in split_sentences(extract_statement(line)):
        if speaker and speaker not in ("you", prompt.name) and not is_secret(text):
            for first_person, third in _list_persons():
                text = third.format(speaker).join(first_person.split(text))
        yield text


@cache
def _list_persons() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(first), third) for first, third in load_words()["grammar"]["persons"]]


def extract_statement(line: PromptLine) -> str:
    """Return what a line states, without who said it to whom, or of what it is a note."""
    quoted = _QUOTED.findall(line.text)
    return (str(quoted[-1]) if quoted else _INTRODUCTION.sub("", line.text)).strip()


@cache
def weigh(told: str) -> int:
    """Return how telling a statement is: how many patterns of news it fits; 0 for none."""
    fits = [key for key in load_words()["news"] if compile_words("news", key).search(told)]
    times = (find_date(told) is not None) + (find_hours(told) is not None)
    return len(fits) + 2 * times + 4 * is_testimony(told)


def is_news(told: str) -> bool:
    """Return True if a bare statement is worth passing on."""
    if is_secret(told) or _QUESTION.search(told) or is_sight(told):
        return False
    return weigh(told) > 1 or (weigh(told) == 1 and _NAME.search(told) is not None)


def is_secret(told: str) -> bool:
    """Return True if a statement is a confession, or is not to be passed on."""
    return compile_words("secret", "words").search(told) is not None


def is_sight(told: str) -> bool:
    """Return True if a text says only what somebody was seen doing."""
    return bool(_SIGHT.match(told)) and not compile_words("news", "intent").search(told)


def is_known(line: PromptLine) -> bool:
    """Return True if a numbered line was heard or known, neither seen nor planned."""
    return line.number is not None and not is_sight(line.text) and not _PLAN.match(line.text)


def is_familiarity(text: str) -> bool:
    """Return True if a text is a reflection on how many of one's memories are of somebody."""
    return phrase("mind", "familiar", who="", count="").partition(":")[0] in text


def is_opinion(text: str) -> bool:
    """Return True if a text says what somebody is to somebody."""
    return _OPINION.match(text) is not None


def is_testimony(told: str) -> bool:
    """Return True if a statement speaks against somebody."""
    return compile_words("suspicion", "clue").search(told) is not None


def find_suspect(told: str) -> str:
    """Return whom a testimony is about: who was seen, else the first person named, else ``""``."""
    seen, named = _SEEN.search(told), _FULL_NAME.search(told)
    return seen[1] if seen else named[0] if named else ""


def is_against(prompt: Prompt, told: str) -> bool:
    """Return True for a testimony against oneself, or against nobody."""
    return is_testimony(told) and find_suspect(told) in ("", prompt.name, *prompt.name.split())


def find_date(told: str) -> tuple[int, int] | None:
    """Return month and day of the first date in a text, None where there is none."""
    date = _compile_date().search(told)
    if date is None:
        return None
    month = (date["month"] or date["month2"]).lower()
    return list_phrases("grammar", "months").index(month) + 1, int(date["day"] or date["day2"])


@cache
def _compile_date() -> re.Pattern[str]:
    months = "|".join(list_phrases("grammar", "months"))
    return re.compile(
        rf"\b(?P<month>{months}) (?P<day>\d\d?)(?:st|nd|rd|th)?\b"
        rf"|\b(?P<day2>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<month2>{months})\b",
        re.IGNORECASE,
    )


def find_hours(told: str) -> Minutes | None:
    """Return from when to when something is, None where a text does not say."""
    for hours in _compile_hours().finditer(told):
        first, first_minute, first_half, last, last_minute, last_half, part = hours.groups()
        half = (last_half or ("a" if part == "morning" else "p" if part else "")).lower()
        begin = _to_minutes(first, first_minute, (first_half or half).lower())
        end = _to_minutes(last, last_minute, half)
        if half == "a" and end <= begin:
            end += _NOON  # twelve in the morning, as an end
        if (half or hours[0].lower().startswith("from ")) and begin < end <= 24 * 60:
            return begin, end
    return None


@cache
def _compile_hours() -> re.Pattern[str]:
    hour = _HOUR.format("|".join(list_phrases("grammar", "numerals")))
    return re.compile(
        rf"\b(?:from |between )?{hour} (?:to|until|and) {hour}"
        r"(?: (?:in the|last|this) (morning|afternoon|evening))?",
        re.IGNORECASE,
    )


def _to_minutes(hour: str, minute: str | None, half: str) -> int:
    if not hour.isdigit():
        hour = str(list_phrases("grammar", "numerals").index(hour.lower()) + 1)
    count = int(hour) % 12 if half and int(hour) <= 12 else int(hour)
    return 60 * count + _NOON * (half == "p" and count < 12) + int(minute or 0)


def find_place(told: str) -> str:
    """Return the first place named in a text, empty where there is none."""
    months = list_phrases("grammar", "months")
    places = [name for name in _PLACE.findall(told) if name.split()[0].lower() not in months]
    return str(places[0]) if places else ""


def describe_occasion(told: str) -> str:
    """Return what one does at an occasion, with its place."""
    gathering = compile_words("news", "gathering").search(told)
    what = gathering[0].lower() if gathering else "gathering"
    return f"{what} at {find_place(told)}" if find_place(told) else what
