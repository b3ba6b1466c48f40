"""What a judge reads, and the replies it may give.

No prompt names a condition, a run, or a model. Every prompt fits a small model's context of 2,048
tokens, whatever was said: what is longer is cut, of a day the beginning.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BeforeValidator, Field, create_model

from genagents_env.judge.answers import Said
from genagents_env.judge.rubric import Rubric
from genagents_env.llm.bound import bound
from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence
from genagents_env.llm.schemas import ReplyModel
from genagents_env.text import clean, fold

MAX_TOKENS = 200  # of a reply

_FOLDER = Path(__file__).parent
_MARK = 6  # characters of the fence's mark
_WHY = 160  # characters
_PERSON, _QUESTION, _DAY, _TEXT = 220, 80, 560, 300  # tokens at most
_LONG = _DAY + _TEXT  # of a conversation or a day that is itself judged


class Reply(ReplyModel):
    """A judge's reply; the reason comes first, so that the verdict can follow from it."""

    wire_name: ClassVar[str] = "Reply"
    wire_description: ClassVar[str] = (
        "A judge's reply; the reason comes first, so that the verdict can follow from it."
    )

    why: Annotated[
        str,
        BeforeValidator(lambda value: clean(value, _WHY) if isinstance(value, str) else value),
        Field(max_length=_WHY, json_schema_extra={"maxLength": 120}),
    ] = ""


class Rated(Reply):
    """A rating on some scale."""

    wire_name: ClassVar[str] = "Rated"
    wire_description: ClassVar[str] = "A rating on some scale."

    rating: int


def _side(value: object) -> object:
    return fold(value).strip(" .\"'") if isinstance(value, str) else value


class Compared(Reply):
    """Which of two answers is the better."""

    wire_name: ClassVar[str] = "Compared"
    wire_description: ClassVar[str] = "Which of two answers is the better."

    better: Annotated[Literal["a", "b", "tie"], BeforeValidator(_side)]


@lru_cache(maxsize=64)
def rated_of(low: int, high: int) -> type[Rated]:
    """Return the reply model that allows the whole numbers of this scale, as words too."""
    allowed: Any = Literal[tuple(range(low, high + 1))]
    field: Any = (Annotated[allowed, BeforeValidator(_whole)], ...)
    return cast(type[Rated], create_model("Rated", __base__=Rated, rating=field))


def _whole(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a whole number is wanted")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    digits = value.strip() if isinstance(value, str) else ""
    return int(digits) if digits.removeprefix("-").isdecimal() and digits.isascii() else value


def rate_messages(said: Said, rubric: Rubric) -> list[Message]:
    """Return the prompt that asks for a rating of one answer, conversation or day."""
    data = list(_shared(said, rubric))
    if rubric.about == "answer":
        data += _days(said.day, _DAY, "what happened") if "day" in rubric.shows else ()
        data.append(_put(said))
        data.append([f"{said.agent} answered", _cut(said.text, _TEXT)])
    else:
        data += _days(said.text, _LONG, rubric.about)
    return _messages(
        "rate.jinja",
        data,
        said.seed,
        ask=rubric.ask,
        low=rubric.low,
        high=rubric.high,
        scale=rubric.scale,
    )


def pair_messages(a: Said, b: Said, rubric: Rubric) -> list[Message]:
    """Return the prompt that asks which of two answers to one question is the better."""
    data: list[JSONValue] = [*_shared(a, rubric), _put(a)]
    for name, one in (("a", a), ("b", b)):
        if "day" in rubric.shows:
            data += _days(one.day, _DAY // 2, f"what happened to {name}")
        data.append([f"answer {name}", _cut(one.text, _TEXT)])
    return _messages("pair.jinja", data, a.seed, versus=rubric.versus)


def _messages(template: str, data: list[JSONValue], seed: int, **fields: Any) -> list[Message]:
    block = fence(data, run_fence(seed)[:_MARK])
    system = load_prompt(_FOLDER / "judge_system.jinja").render()
    asked = load_prompt(_FOLDER / template).render(data=block, **fields)
    return [Message("system", system.strip()), Message("user", asked.strip())]


def _put(said: Said) -> JSONValue:
    """Return the question, and whom it was put to."""
    return [f"question to {said.agent}", _cut(said.question, _QUESTION)]


def _shared(said: Said, rubric: Rubric) -> Iterator[JSONValue]:
    """Yield who the agents are said to be; a conversation's judge always knows."""
    if said.person and ("person" in rubric.shows or rubric.about != "answer"):
        yield ["who they are", _cut(said.person, _PERSON)]


def _days(lines: str, most: int, head: str) -> list[JSONValue]:
    """Return the last lines that fit into `most` tokens, each with its head."""
    kept: list[JSONValue] = []
    for line in reversed(lines.splitlines()):
        words = _cut(line, most)
        most -= _cost([head, words])
        if most < 0:
            break
        kept.append([head, words])
    return kept[::-1]


def _cut(words: str, most: int) -> str:
    if _cost(words) <= most:
        return words
    while words and _cost(words) >= most:
        words = words[: len(words) * 7 // 8]
    return f"{words.rstrip()}…"


def _cost(item: JSONValue) -> int:
    """Return a bound of its tokens in the fence, where brackets and marks are escaped."""
    return bound(fence([item], ""))
