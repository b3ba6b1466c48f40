"""What a judge reads, and the replies it may give.

No prompt names a condition, a run, or a model. Every prompt fits a small model's context of 2,048
tokens, whatever was said: what is longer is cut, of a day the beginning.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BeforeValidator, Field, create_model

from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence
from genagents_env.llm.schemas import ReplyModel
from genagents_env.llm.tokens import bound_tokens
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.texts import JudgedText
from genagents_env.study.judge.verdicts import Choice
from genagents_env.text import clean, fold

R = TypeVar("R", bound="JudgeReply")

_FOLDER = Path(__file__).parent
_MARK = 6  # characters of the fence's mark
_WHY = 160  # characters
_PERSON, _QUESTION, _DAY, _TEXT = 220, 80, 560, 300  # tokens at most
_LONG = _DAY + _TEXT  # of a conversation or a day that is itself judged


class JudgeReply(ReplyModel):
    """A judge's reply; the reason comes first, so that the verdict can follow from it."""

    wire_name: ClassVar[str] = "Reply"

    why: Annotated[
        str,
        BeforeValidator(lambda value: clean(value, _WHY) if isinstance(value, str) else value),
        Field(max_length=_WHY, json_schema_extra={"maxLength": 120}),
    ] = ""


class RatingReply(JudgeReply):
    """A rating on some scale."""

    wire_name: ClassVar[str] = "Rated"

    rating: int

    @property
    def verdict(self) -> int:
        """What is stored."""
        return self.rating


def _parse_side(value: object) -> object:
    return fold(value).strip(" .\"'") if isinstance(value, str) else value


class ComparisonReply(JudgeReply):
    """Which of two answers is the better."""

    wire_name: ClassVar[str] = "Compared"

    better: Annotated[Literal["a", "b", "tie"], BeforeValidator(_parse_side)]

    @property
    def verdict(self) -> Choice:
        """What is stored: the place of the better one."""
        places: dict[str, Choice] = {"a": "first", "b": "second", "tie": "tie"}
        return places[self.better]


@lru_cache(maxsize=64)
def make_rating_reply(low: int, high: int) -> type[RatingReply]:
    """Return the reply model that allows the whole numbers of this scale, as words too."""
    return narrow_reply(RatingReply, "rating", tuple(range(low, high + 1)), parse_whole)


def narrow_reply(
    reply: type[R], field: str, allowed: tuple[str | int, ...], parse: Callable[[object], object]
) -> type[R]:
    """Return `reply` with a `field` that takes these values alone, after `parse`."""
    values: Any = Literal[allowed]
    definition = (Annotated[values, BeforeValidator(parse)], ...)
    return create_model(reply.wire_name, __base__=reply, **{field: definition})  # type: ignore[call-overload, no-any-return]


def parse_whole(value: object) -> object:
    """Return a whole number, however it is written (`5`, `5.0`, `5,0`); anything else as it is.

    Raises:
        ValueError: it is a truth value, which Python takes for a number.
    """
    if isinstance(value, bool):
        raise ValueError("a whole number is wanted")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        whole, _, rest = value.strip().lstrip("'").replace(",", ".").partition(".")
        digits = whole.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) < 10 and not rest.strip("0"):
            return int(whole)
    return value


def make_rating_messages(said: JudgedText, rubric: Rubric) -> list[Message]:
    """Return the prompt that asks for a rating of one answer, conversation or day."""
    data = list(_quote_people(said, rubric))
    if rubric.about == "answer":
        data += _keep_last_lines(said.day, _DAY, "what happened") if "day" in rubric.shows else ()
        data.append(_quote_question(said))
        data.append([f"{said.agent} answered", _cut(said.text, _TEXT)])
    else:
        data += _keep_last_lines(said.text, _LONG, rubric.about)
    return render_messages(
        "rate",
        data,
        said.seed,
        ask=rubric.ask,
        low=rubric.low,
        high=rubric.high,
        scale=rubric.scale,
    )


def make_pair_messages(a: JudgedText, b: JudgedText, rubric: Rubric) -> list[Message]:
    """Return the prompt that asks which of two answers to one question is the better."""
    data: list[JSONValue] = [*_quote_people(a, rubric), _quote_question(a)]
    for name, one in (("a", a), ("b", b)):
        if "day" in rubric.shows:
            data += _keep_last_lines(one.day, _DAY // 2, f"what happened to {name}")
        data.append([f"answer {name}", _cut(one.text, _TEXT)])
    return render_messages("pair", data, a.seed, versus=rubric.versus)


def render_messages(
    template: str,
    data: list[JSONValue],
    seed: int,
    *,
    system: str = "judge_system",
    **fields: object,
) -> list[Message]:
    """Return the prompt in `template`, with `data` in the fence of the run of that seed."""
    block = fence(data, run_fence(seed)[:_MARK])
    instructions = load_prompt(_FOLDER / f"{system}.jinja").render()
    asked = load_prompt(_FOLDER / f"{template}.jinja").render(data=block, **fields)
    return [Message("system", instructions.strip()), Message("user", asked.strip())]


def _quote_question(said: JudgedText) -> JSONValue:
    """Return the question, and whom it was put to."""
    return [f"question to {said.agent}", _cut(said.question, _QUESTION)]


def _quote_people(said: JudgedText, rubric: Rubric) -> Iterator[JSONValue]:
    """Yield who the agents are said to be; a conversation's judge always knows."""
    if said.person and rubric.shows_person:
        yield ["who they are", _cut(said.person, _PERSON)]


def _keep_last_lines(lines: str, most: int, head: str) -> list[JSONValue]:
    """Return the last lines that fit into `most` tokens, each with its head."""
    kept: list[JSONValue] = []
    for line in reversed(lines.splitlines()):
        words = _cut(line, most)
        most -= _count_tokens([head, words])
        if most < 0:
            break
        kept.append([head, words])
    return kept[::-1]


def _cut(words: str, most: int) -> str:
    if _count_tokens(words) <= most:
        return words
    while words and _count_tokens(words) >= most:
        words = words[: len(words) * 7 // 8]
    return f"{words.rstrip()}…"


def _count_tokens(item: JSONValue) -> int:
    """Return a bound of its tokens in the fence, where brackets and marks are escaped."""
    return bound_tokens(fence([item], ""))
