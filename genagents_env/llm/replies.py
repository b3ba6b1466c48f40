"""Parse a model's words into a value: exactly one JSON object, cleaned, cut and validated."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from genagents_env.llm.calls import Completion, JSONValue, UnusableReply
from genagents_env.llm.schemas import PlainReply, canonical
from genagents_env.text import clean

T = TypeVar("T", bound=BaseModel)

_MOST_TEXT = 250_000
_MOST_NAME = 100
_MOST_DIGITS = 20
_MOST_DEPTH = 32
_MOST_FAULTS = 5
_TOO_DEEP = f"it is nested deeper than {_MOST_DEPTH}"


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[T]):
    """A usable reply: its value, its canonical JSON, and how many strings were cut or redacted."""

    value: T
    text: str
    truncated: int
    redacted: int = 0


def parse(
    completion: Completion,
    reply: type[T],
    text_limit: int = 500,
    redact: Callable[[str], str] = str,
) -> ParsedReply[T]:
    """Return the one JSON object in `completion` as a `reply`.

    Prose and code fences around the object are skipped; a `PlainReply` has all the words as its
    text. Every string passes `text.clean` and `redact`, which removes keys, and is cut to
    `text_limit` characters.

    Raises:
        UnusableReply: there is no object, or two, or it is not a `reply`.
    """
    try:
        plain = issubclass(reply, PlainReply)
        words = {"text": completion.text[:_MOST_TEXT]} if plain else extract(completion.text)
    except UnusableReply as fault:
        if completion.finish_reason == "length":
            short = f"the reply was cut off before its end; be shorter ({fault})"
            raise UnusableReply(short, fault.text) from None
        raise
    cut = _Cutter(text_limit, redact)
    try:
        text = canonical(cut.clean(words))
        return ParsedReply(reply.model_validate_json(text), text, cut.truncated, cut.redacted)
    except ValidationError as fault:
        raise UnusableReply(_explain(fault), completion.text) from None
    except ValueError as fault:
        raise UnusableReply(str(fault), completion.text) from None


def extract(text: str) -> JSONValue:
    """Return the only JSON object in `text`.

    Raises:
        UnusableReply: there is none or more than one, or it has a repeated key, NaN, or a number
            of very many digits.
    """
    if len(text) > _MOST_TEXT:
        raise UnusableReply(f"the reply has {len(text)} characters", text[:_MOST_TEXT])
    objects: list[JSONValue] = []
    at = text.find("{")
    while at >= 0 and len(objects) < 2:
        try:
            value, length = _DECODER.raw_decode(text[at:])
        except RecursionError:
            raise UnusableReply(_TOO_DEEP, text) from None
        except ValueError as fault:
            raise UnusableReply(str(fault), text) from None
        objects.append(value)
        at = text.find("{", at + length)
    if len(objects) > 1:
        raise UnusableReply("it holds more than one JSON object; give exactly one", text)
    if not objects:
        raise UnusableReply("it holds no JSON object", text)
    return objects[0]


def require_unique(pairs: list[tuple[str, JSONValue]]) -> dict[str, JSONValue]:
    """Return the fields of a JSON object; raise ValueError where one is given twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def refuse_constant(name: str) -> NoReturn:
    """Raise ValueError: NaN and infinity are not JSON."""
    raise ValueError(f"{name} is not a JSON number")


def _parse_integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"an integer has {len(digits)} digits")
    return int(digits)


def _parse_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:_MOST_DIGITS]} is too large a number")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=require_unique,
    parse_constant=refuse_constant,
    parse_int=_parse_integer,
    parse_float=_parse_float,
)


class _Cutter:
    """Cleans every string of a JSON value; counts those it cuts and those with a key."""

    def __init__(self, limit: int, redact: Callable[[str], str]) -> None:
        self.limit, self.redact = limit, redact
        self.truncated = self.redacted = 0

    def clean(self, value: JSONValue, depth: int = 0) -> JSONValue:
        if depth > _MOST_DEPTH:
            raise ValueError(_TOO_DEEP)
        if isinstance(value, str):
            words = clean(value, max(len(value), self.limit))
            safe = self.redact(words)
            self.redacted += safe != words
            self.truncated += len(safe) > self.limit
            return safe[: self.limit].strip()
        if isinstance(value, dict):
            return require_unique(
                [
                    (self._clean_name(name), self.clean(part, depth + 1))
                    for name, part in value.items()
                ]
            )
        if isinstance(value, list):
            return [self.clean(part, depth + 1) for part in value]
        return value

    def _clean_name(self, name: str) -> str:
        return self.redact(clean(name, len(name)))[:_MOST_NAME].strip()


def _explain(fault: ValidationError) -> str:
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    places = [".".join(map(str, error["loc"])) or "the reply" for error in errors[:_MOST_FAULTS]]
    return "; ".join(f"{at}: {error['msg']}" for at, error in zip(places, errors, strict=False))
