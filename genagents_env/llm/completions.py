"""From the bytes of an HTTP answer to a `Completion`, and from its words to a value.

Every field of an answer is checked. Models that think before they reply are known by their names or
their answers, and are given room for it. A reply is exactly one JSON object, cleaned, cut and
validated.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from genagents_env.errors import LLMUnavailable
from genagents_env.llm.calls import (
    AttemptFailed,
    Completion,
    CompletionRequest,
    JSONValue,
    NothingSaid,
    UnusableReply,
)
from genagents_env.llm.schemas import PlainReply, ReplyModel, canonical
from genagents_env.text import clean, is_clean

T = TypeVar("T", bound=BaseModel)

DEFAULT_THINKING = 4096  # tokens, at first, of models known to reason
MOST_THINKING = 32_768  # tokens; longer thinking is given up
_MOST_TOKENS = 10**9
_MOST_TEXT = 250_000
_MOST_FIELD = 100
_MOST_DIGITS = 20
_MOST_DEPTH = 32
_MOST_FAULTS = 5
_TOO_DEEP = f"it is nested deeper than {_MOST_DEPTH}"
_MOST_NAME = 200
_THINKING_FIELDS = ("reasoning_content", "reasoning")  # of an answer

# Families of models that think by default, by the words of their names.
_REASONING = re.compile(
    r"(?:^|[/:_.-])(?:o\d|gpt-5|gpt-oss|qwq|qwen3|r1|magistral)(?:$|[/:_.-])|reason|think"
)
_BLOCKS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))
# Some templates write the opening mark into the prompt. No JSON text has the closing mark on a line
# of its own, since strings in it have no line breaks.
_LONE_END = re.compile(r"^[ \t]*</think(?:ing)?>[ \t]*$", re.MULTILINE)
_ANALYSIS, _FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"


def read_completion(
    body: bytes, request: CompletionRequest, count: Callable[[str], int]
) -> Completion:
    """Return the completion that `body` holds.

    Args:
        body: of a response with status 200.
        request: what was asked.
        count: counts tokens, for endpoints that send no `usage`.

    Raises:
        AttemptFailed: `body` is not a completion with text and a known ending. The endpoint may
            have charged for it.
    """
    answer = decode_answer(body)
    match answer.get("choices"):
        case [{"message": {**message}, **choice}, *_]:
            finish = choice.get("finish_reason")
        case _:
            raise AttemptFailed("the answer has no message")
    text, thinking = message.get("content"), _find_thinking(message)
    if text is None and finish == "length":
        text = ""  # cut off while it was thinking
    if not isinstance(text, str):
        raise AttemptFailed(f"the answer's content is {type(text).__name__}, expected text")
    if finish not in ("stop", "length", "tool_calls"):
        raise AttemptFailed(f"the answer is unfinished: finish_reason is {str(finish)[:20]!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise AttemptFailed("the answer holds half a character (a lone surrogate)") from None
    usage = answer.get("usage")
    if usage is None:
        read = sum(count(m.content) for m in request.messages)
        usage = {"prompt_tokens": read, "completion_tokens": count(text) + count(thinking)}
    read, written = (read_tokens(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    thought = _find_detail(usage, "completion_tokens_details", "reasoning_tokens")
    if thought is None:  # estimated by its characters
        thought = round(written * len(thinking) / (len(thinking) + len(text))) if thinking else 0
    cached = min(read, _find_detail(usage, "prompt_tokens_details", "cached_tokens") or 0)
    cache_write = _find_detail(usage, "prompt_tokens_details", "cache_write_tokens") or 0
    return Completion(
        text,
        finish,
        read,
        written,
        min(thought, written),
        cached,
        min(read - cached, cache_write),
        _find_name(answer, "model"),
        _find_name(answer, "system_fingerprint"),
    )


def read_error(body: bytes) -> str:
    """Return the full message of an error response; remove keys before you cut it."""
    try:
        error = decode_answer(body).get("error")
    except AttemptFailed:
        return body.decode("utf-8", "replace")
    message = error.get("message") if isinstance(error, Mapping) else error
    return message if isinstance(message, str) else ""


def is_reasoning_model(name: str) -> bool:
    """Return True if a model of that name is known to think before it replies."""
    return _REASONING.search(name.lower()) is not None


def find_allowance(model: str, given: int | None = None) -> int:
    """Return `given`, or else the tokens that `model` may think beside a reply, at first."""
    if given is not None:
        return given
    return DEFAULT_THINKING if is_reasoning_model(model) else 0


def grow_allowance(tokens: int) -> int:
    """Return twice `tokens` (4,096 after none), at most 32,768: the room of the next attempt."""
    return min(2 * tokens, MOST_THINKING) if tokens else DEFAULT_THINKING


def separate_thinking(completion: Completion) -> Completion:
    """Return `completion` without the thinking in its text, counted as reasoning tokens.

    Where the endpoint does not report their number, it is estimated from the characters.
    """
    text = _cut_thinking(completion.text)
    if len(text) == len(completion.text):
        return completion
    share = 1 - len(text) / len(completion.text)
    thought = max(completion.reasoning_tokens, round(completion.completion_tokens * share))
    return replace(completion, text=text, reasoning_tokens=thought)


def check_words(completion: Completion, request: CompletionRequest) -> None:
    """Raise where thinking left no or too little room for the reply.

    A reply of blanks up to the limit passes: more room would not help.

    Raises:
        NothingSaid: with more room the model may reply.
        LLMUnavailable: the model had the most room allowed.
    """
    thought, allowance = completion.reasoning_tokens, request.thinking_tokens
    if completion.finish_reason != "length" or (completion.text and thought <= allowance):
        return
    text = (
        f"the model was cut off at {completion.completion_tokens:,} tokens before it had replied "
        f"(thinking {thought:,}, allowance {allowance:,}); --endpoint thinking=N allows more, "
        "--endpoint reasoning_effort=low makes some models think less"
    )
    raise NothingSaid(text) if allowance < MOST_THINKING else LLMUnavailable(text)


def decode_answer(body: bytes) -> Mapping[str, object]:
    """Return the JSON object in an answer, or raise AttemptFailed."""
    try:
        text = body.decode("utf-8")
        answer = json.loads(text, object_pairs_hook=require_unique, parse_constant=refuse_constant)
    except (ValueError, RecursionError, MemoryError) as fault:
        raise AttemptFailed(f"the answer is not JSON ({type(fault).__name__})") from None
    if not isinstance(answer, Mapping):
        raise AttemptFailed(f"the answer is a JSON {type(answer).__name__}, expected an object")
    return answer


def read_tokens(usage: object, name: str) -> int:
    """Return a count of the usage in an answer, or raise AttemptFailed."""
    value = usage.get(name) if isinstance(usage, Mapping) else None
    if type(value) is not int or not 0 <= value <= _MOST_TOKENS:
        raise AttemptFailed(f"the answer's usage has no sensible {name}")
    return value


def _find_detail(usage: object, part: str, name: str) -> int | None:
    """Return a count that some endpoints send beside the usual ones, or None."""
    details = usage.get(part) if isinstance(usage, Mapping) else None
    count = details.get(name) if isinstance(details, Mapping) else None
    return count if type(count) is int and count >= 0 else None


def _find_name(answer: Mapping[str, object], field: str) -> str:
    name = answer.get(field)
    return clean(name, _MOST_NAME) if isinstance(name, str) else ""


def _find_thinking(message: Mapping[object, object]) -> str:
    texts = (message.get(name) for name in _THINKING_FIELDS)
    return next((text for text in texts if isinstance(text, str)), "")


def _cut_thinking(text: str) -> str:
    """Return `text` without its blocks of thinking; an unclosed one goes to the end."""
    if text.lstrip().startswith(_ANALYSIS):
        return text.rpartition(_FINAL)[2] if _FINAL in text else ""
    rest = text
    while (cut := _cut_block(rest.lstrip())) is not None:
        rest = cut
    end = _LONE_END.search(rest)
    return rest[end.end() :] if end else rest


def _cut_block(text: str) -> str | None:
    """Return the text after the block at the beginning of `text`, or None without a block."""
    for begin, end in _BLOCKS:
        if text.startswith(begin):
            return text.partition(end)[2]
    return None


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[T]):
    """A usable reply: its value, its text for the record, how many strings were cut or redacted.

    The text is canonical JSON; of a `verbatim` reply the words as they were written, if nothing in
    them had to be cut, redacted or cleaned.
    """

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
        value = reply.model_validate_json(text)
        if not cut.truncated and keeps_words(reply, completion.text, redact):
            text = completion.text
        return ParsedReply(value, text, cut.truncated, cut.redacted)
    except ValidationError as fault:
        raise UnusableReply(_explain(fault), completion.text) from None
    except ValueError as fault:
        raise UnusableReply(str(fault), completion.text) from None


def is_verbatim(reply: type[BaseModel]) -> bool:
    """Return True if the record keeps such replies as they were written."""
    return issubclass(reply, ReplyModel) and reply.verbatim


def keeps_words(reply: type[BaseModel], words: str, redact: Callable[[str], str]) -> bool:
    """Return True if the record may keep these words: no key, nothing that steers a terminal."""
    return is_verbatim(reply) and is_clean(words.replace("\t", " ")) and redact(words) == words


def restore(reply: type[T], text: str, text_limit: int) -> T:
    """Return the value of a reply that `parse` made into `text`."""
    if is_verbatim(reply):
        return parse(Completion(text, "stop", 0, 0), reply, text_limit).value
    return reply.model_validate_json(text)


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
        return self.redact(clean(name, len(name)))[:_MOST_FIELD].strip()


def _explain(fault: ValidationError) -> str:
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    # Between names and numbers pydantic puts what it tried of a union: code, at an address.
    places = [
        ".".join(str(at) for at in error["loc"] if isinstance(at, int) or at.isidentifier())
        for error in errors[:_MOST_FAULTS]
    ]
    told = zip(places, errors, strict=False)
    return "; ".join(f"{place or 'the reply'}: {error['msg']}" for place, error in told)
