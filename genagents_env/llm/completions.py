"""From the bytes of an HTTP answer to a `Completion`: every field checked, nothing assumed."""

import json
from collections.abc import Callable, Mapping
from typing import Literal, cast

from genagents_env.llm.calls import AttemptFailed, Completion, CompletionRequest
from genagents_env.text import clean

_FINISHED = ("stop", "length", "tool_calls")
_MOST_TOKENS = 10**9
_MOST_NAME = 200
_THINKING_FIELDS = ("reasoning_content", "reasoning")


def read_completion(
    body: bytes, request: CompletionRequest, count: Callable[[str], int]
) -> Completion:
    """Return the completion that `body` holds.

    Args:
        body: of a response with status 200.
        request: what was asked.
        count: counts tokens, for endpoints that send no `usage`.

    Raises:
        AttemptFailed: `body` is anything else than a completion with text and a known ending. The
            endpoint may have charged for it all the same.
    """
    answer = _decode(body)
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise AttemptFailed("the answer has no choices")
    message, finish = choices[0].get("message"), choices[0].get("finish_reason")
    if not isinstance(message, Mapping):
        raise AttemptFailed("the answer has no message")
    text, thinking = message.get("content"), _find_thinking(message)
    if text is None and finish == "length":
        text = ""  # cut off while it was thinking
    if not isinstance(text, str):
        raise AttemptFailed(f"the answer's content is {type(text).__name__}, expected text")
    if not isinstance(finish, str) or finish not in _FINISHED:
        raise AttemptFailed(f"the answer is unfinished: finish_reason is {str(finish)[:20]!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise AttemptFailed("the answer holds half a character (a lone surrogate)") from None
    usage = answer.get("usage")
    if usage is None:
        read = sum(count(m.content) for m in request.messages)
        usage = {"prompt_tokens": read, "completion_tokens": count(text) + count(thinking)}
    read, written = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
    cached = min(read, _find_detail(usage, "prompt_tokens_details", "cached_tokens") or 0)
    cache_write = _find_detail(usage, "prompt_tokens_details", "cache_write_tokens") or 0
    return Completion(
        text,
        cast(Literal["stop", "length", "tool_calls"], finish),
        read,
        written,
        _reasoning_tokens(usage, written, len(thinking), len(text)),
        cached,
        min(read - cached, cache_write),
        _find_name(answer, "model"),
        _find_name(answer, "system_fingerprint"),
    )


def read_error(body: bytes) -> str:
    """Return what an error response says, whole: whoever cuts it takes keys out of it before."""
    try:
        error = _decode(body).get("error")
    except AttemptFailed:
        return body.decode("utf-8", "replace")
    message = error.get("message") if isinstance(error, Mapping) else error
    return message if isinstance(message, str) else ""


def _decode(body: bytes) -> Mapping[str, object]:
    try:
        answer = json.loads(body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError, MemoryError) as fault:
        raise AttemptFailed(f"the answer is not JSON ({type(fault).__name__})") from None
    if not isinstance(answer, Mapping):
        raise AttemptFailed(f"the answer is a JSON {type(answer).__name__}, expected an object")
    return answer


def _tokens(usage: object, name: str) -> int:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    if type(value) is not int or not 0 <= value <= _MOST_TOKENS:
        raise AttemptFailed(f"the answer's usage has no sensible {name}")
    return value


def _find_name(answer: Mapping[str, object], field: str) -> str:
    name = answer.get(field)
    return clean(name, _MOST_NAME) if isinstance(name, str) else ""


def _find_thinking(message: Mapping[str, object]) -> str:
    """Return the thinking that an endpoint sends beside the reply; no two name the field alike."""
    for name in _THINKING_FIELDS:
        if isinstance(found := message.get(name), str):
            return found
    return ""


def _reasoning_tokens(usage: object, written: int, thinking: int, said: int) -> int:
    """Return how many of `written` tokens were thinking: as told, else by its characters."""
    thought = _find_detail(usage, "completion_tokens_details", "reasoning_tokens")
    if thought is not None:
        return min(thought, written)
    return round(written * thinking / (thinking + said)) if thinking else 0


def _find_detail(usage: object, part: str, name: str) -> int | None:
    """Return a count that some endpoints send beside the usual ones, None where this does not."""
    details = usage.get(part) if isinstance(usage, Mapping) else None
    count = details.get(name) if isinstance(details, Mapping) else None
    return count if type(count) is int and count >= 0 else None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
