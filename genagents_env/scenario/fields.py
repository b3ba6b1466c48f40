"""The types of the fields of a scenario, and the base of its tables."""

import re
from datetime import datetime
from functools import partial
from operator import not_
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from genagents_env.scenario.patterns import compile_pattern
from genagents_env.scenario.plan import parse_hours
from genagents_env.text import clean

NAME_LIMIT, LINE_LIMIT, TEXT_LIMIT = 60, 300, 4000
_EMOJI = 8
# Punctuation that ends a name in a sentence, words that follow one, and names of no person.
_SPEECH = re.compile(
    r"[\":;,()\[\]{}|!?\u2026\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u2033\uff02\uff1a\uff1b]"
    r"|(?<!\S)(?:is|was|are|has|said|says|and|or|to)(?!\S)"
    r"|^(?i:you|nobody|news|thought|notice|system|assistant|user)$"
)
FIRST_YEAR, LAST_YEAR = 1000, 9000  # of the start: computing with dates ends at 1 and 9999


def clean_to(limit: int) -> BeforeValidator:
    """Clean a text, and refuse one of more than `limit` characters."""
    return BeforeValidator(partial(_clean, limit=limit))


def _clean(value: object, *, limit: int) -> object:
    if not isinstance(value, str):
        return value
    if len(value) > limit:
        raise ValueError(f"at most {limit} characters are allowed, this has {len(value)}")
    return clean(value, limit)


def _no_slash(value: str) -> str:
    if not value or "/" in value:
        raise ValueError("a name has at least one character and no '/'")
    return value


def _no_speech(value: str) -> str:
    """Check the name of a person, which precedes their speech: it may not hold any."""
    if found := _SPEECH.search(value):
        raise ValueError(
            f"{found[0].strip()!r} cannot stand in the name of a person, whose name stands before "
            "what they say and do; letters, blanks, hyphens, apostrophes and full stops are allowed"
        )
    return value


def _pattern(value: str) -> str:
    compile_pattern(value)
    return value


def _local(value: datetime) -> datetime:
    if value.tzinfo is not None:
        raise ValueError("it has a time zone; write local town time, such as 2023-02-13T08:00:00")
    return value


def check_years(value: datetime) -> datetime:
    """Return `value`, or raise ValueError where its year is not allowed."""
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise ValueError(f"the year is {value.year}; from {FIRST_YEAR} to {LAST_YEAR} are allowed")
    return value


def _opening(value: str) -> str:
    parse_hours(
        clean(value)
    )  # its errors show the text, so that no half of a character may be left
    return value


T = TypeVar("T")
# A key that came later: a dump leaves it out where it is empty, so that scenarios that go without
# it are stored and hashed as before it came.
Later = Annotated[T, Field(exclude_if=not_)]


def _call(word: str) -> WithJsonSchema:
    """Call a type `word` in the reference of keys."""
    return WithJsonSchema({"type": "string", "format": word})


Name = Annotated[str, clean_to(NAME_LIMIT), AfterValidator(_no_slash), _call("name")]
PersonName = Annotated[Name, AfterValidator(_no_speech)]
Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$"), _call("id")]
Ref = Annotated[str, clean_to(4 * NAME_LIMIT), Field(min_length=1), _call("place")]
Line = Annotated[str, clean_to(LINE_LIMIT), Field(min_length=1), _call("line")]
Paragraph = Annotated[str, clean_to(TEXT_LIMIT), _call("paragraph")]
Emoji = Annotated[str, clean_to(_EMOJI), WithJsonSchema({"type": "string", "maxLength": _EMOJI})]
Pattern = Annotated[
    str, Field(min_length=1, max_length=200), AfterValidator(_pattern), _call("pattern")
]
Patterns = Annotated[tuple[Pattern, ...], Field(max_length=30)]
LocalTime = Annotated[datetime, AfterValidator(_local)]
OpenHours = Annotated[str, AfterValidator(_opening), _call("opening hours")]
Radius = Annotated[int, Field(ge=1, le=64)]


class Model(BaseModel):
    """Strict and frozen: unknown keys and silent conversions (`true` for 1) are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
