"""From a model's words to a value: exactly one JSON object, cleaned, cut and validated."""

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

    Prose and code fences around the object are passed over; of a `PlainReply` all the words are
    its text. Every string in it passes `text.clean` and `redact`, which takes out keys, and is
    cut to `text_limit` characters.

    Raises:
        UnusableReply: no object, two, or one that is not a `reply`; its text says which and why.
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
        UnusableReply: there is none or more than one, it repeats a key, holds NaN, an
            overlong integer, or is nested deeper than 32.
    """
    if len(text) > _MOST_TEXT:
        raise UnusableReply(f"the reply has {len(text)} characters", text[:_MOST_TEXT])
    objects: list[JSONValue] = []
    faults: list[str] = []
    at = text.find("{")
    while at >= 0 and len(objects) + len(faults) < 3:
        end = _find_end(text, at)
        try:
            objects.append(_DECODER.decode(text[at:end]))
        except ValueError as fault:
            faults.append(str(fault))
        at = text.find("{", end)
    if len(objects) == 1 and not faults:
        return objects[0]
    if len(objects) > 1:
        raise UnusableReply("it holds more than one JSON object; give exactly one", text)
    raise UnusableReply(faults[0] if faults else "it holds no JSON object", text)


def _find_end(text: str, start: int) -> int:
    """Return the index after the brace that closes the one at `start`, or the text's end.

    Depth is bounded here, so that no reply can bring the decoder to a RecursionError.
    """
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        char = text[at]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
            if depth > _MOST_DEPTH:
                raise UnusableReply(f"it is nested deeper than {_MOST_DEPTH}", text)
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(text)


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
    """Cleans every string of a JSON value, counts those it had to cut and those with a key."""

    def __init__(self, limit: int, redact: Callable[[str], str]) -> None:
        self.limit, self.redact = limit, redact
        self.truncated = self.redacted = 0

    def clean(self, value: JSONValue) -> JSONValue:
        if isinstance(value, str):
            words = clean(value, max(len(value), self.limit))
            safe = self.redact(words)
            self.redacted += safe != words
            self.truncated += len(safe) > self.limit
            return safe[: self.limit].strip()
        if isinstance(value, dict):
            return require_unique(
                [(self._clean_name(name), self.clean(part)) for name, part in value.items()]
            )
        if isinstance(value, list):
            return [self.clean(part) for part in value]
        return value

    def _clean_name(self, name: str) -> str:
        return self.redact(clean(name, len(name)))[:_MOST_NAME].strip()


def _explain(fault: ValidationError) -> str:
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    places = [".".join(map(str, error["loc"])) or "the reply" for error in errors[:_MOST_FAULTS]]
    return "; ".join(f"{at}: {error['msg']}" for at, error in zip(places, errors, strict=False))
