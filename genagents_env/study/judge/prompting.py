"""What a judge reads, and the replies it may give.

No prompt names a condition, a run, or a model. Every prompt fits a small model's context of 2,048
tokens, whatever was said: what is longer is cut, of a day the beginning.
"""

import re
from collections.abc import Sequence
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
from genagents_env.text import clean, fold

R = TypeVar("R", bound="JudgeReply")

_FOLDER = Path(__file__).parent
_MARK = 6  # characters of the fence's mark
_WHY = 160  # characters
_PERSON, _QUESTION, _DAY, _TEXT = 220, 80, 560, 300  # tokens at most
_LONG = _DAY + _TEXT  # of a conversation or a day that is itself judged
_WHOLE = re.compile(r"(-?[0-9]{1,9})(?:[.,]0*)?")


def _fold_reply(value: object) -> object:
    return fold(value).strip(" .\"'") if isinstance(value, str) else value


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


class ComparisonReply(JudgeReply):
    """Which of two answers is the better."""

    wire_name: ClassVar[str] = "Compared"

    better: Annotated[Literal["a", "b", "tie"], BeforeValidator(_fold_reply)]


@lru_cache(maxsize=64)
def narrow_reply(reply: type[R], field: str, allowed: tuple[str | int, ...]) -> type[R]:
    """Return `reply` with a `field` that takes these values alone, in any letters or digits."""
    known = {fold(str(value)): value for value in allowed}

    def parse(value: object) -> object:
        words = str(_fold_reply(value))
        return known.get(words, known.get(str(parse_whole(value)), str(value)))

    values: Any = Literal[allowed]
    definition = (Annotated[values, BeforeValidator(parse)], ...)
    return create_model(reply.wire_name, __base__=reply, **{field: definition})  # type: ignore[call-overload, no-any-return]


def parse_whole(value: object) -> int | None:
    """Return a whole number, however it is written (`5`, `5.0`, `5,0`); None for anything else."""
    found = _WHOLE.fullmatch(fold(str(value)).strip().lstrip("'"))
    return int(found[1]) if found else None


def make_rating_messages(said: JudgedText, rubric: Rubric) -> list[Message]:
    """Return the prompt that asks for a rating of one answer, conversation or day."""
    data = _quote_person(said, rubric)
    if rubric.about == "answer":
        data += _quote_day(said, rubric, "what happened", _DAY)
        data += [_quote_question(said), [f"{said.agent} answered", _cut(said.text, _TEXT)]]
    else:
        data += _keep_last_lines(said.text, _LONG, rubric.about)
    return render_messages("rate", data, said.seed, rubric=rubric)


def make_pair_messages(texts: Sequence[JudgedText], rubric: Rubric) -> list[Message]:
    """Return the prompt that asks which of two answers to one question is the better."""
    data = [*_quote_person(texts[0], rubric), _quote_question(texts[0])]
    for name, said in zip("ab", texts, strict=True):
        data += _quote_day(said, rubric, f"what happened to {name}", _DAY // 2)
        data.append([f"answer {name}", _cut(said.text, _TEXT)])
    return render_messages("pair", data, texts[0].seed, rubric=rubric)


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
    return [f"question to {said.agent}", _cut(said.question, _QUESTION)]


def _quote_person(said: JudgedText, rubric: Rubric) -> list[JSONValue]:
    """Return who the agents are said to be; a conversation's judge always knows."""
    shown = said.person and rubric.shows_person
    return [["who they are", _cut(said.person, _PERSON)]] if shown else []


def _quote_day(said: JudgedText, rubric: Rubric, head: str, most: int) -> list[JSONValue]:
    return _keep_last_lines(said.day, most, head) if "day" in rubric.shows else []


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
