"""The types of fields in reply models: texts of some length, and numbers of lines in the prompt.

Few endpoints enforce a schema, so replies are checked less strictly than it asks for: a text
that is too long is cut, and what applies a reply skips numbers that name no line.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

from pydantic import BeforeValidator, Field, JsonValue, create_model

from genagents_env.llm.schemas import SMALL, ReplyModel, schema_name
from genagents_env.text import cut_sentences

R = TypeVar("R", bound=ReplyModel)


def cut_to(limit: int) -> BeforeValidator:
    """Return the annotation that cuts a text after its last sentence within `limit` characters."""
    # Few endpoints enforce a length, and a text too long is still a text.
    return BeforeValidator(
        lambda value: cut_sentences(value, limit) if isinstance(value, str) else value
    )


# Hints for small models, whose writing is constrained by the schema: without them they fill a field
# for words with times, symbols and brackets, as long as allowed. The letters are those of the
# scripts of Europe, Asia and Africa.
_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u1fff\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7af"


def _in_words(most: int) -> dict[str, JsonValue]:
    return {SMALL: {"pattern": f"^[{_LETTERS} ,.'-]{{3,{most}}}$", "maxLength": most}}


def _in_a_sentence(most: int) -> dict[str, JsonValue]:
    """Constrain a small model to one whole sentence or none, or else it repeats itself."""
    pattern = f"^([{_LETTERS}][{_LETTERS}0-9 ,;:'-]{{1,{most - 2}}}[.!?])?$"
    return {SMALL: {"pattern": pattern, "maxLength": most}}


def _short(most: int) -> dict[str, JsonValue]:
    return {SMALL: {"maxLength": most}}


Word: TypeAlias = Annotated[str, cut_to(60), Field(max_length=60, json_schema_extra=_in_words(24))]
Activity: TypeAlias = Annotated[
    str, cut_to(200), Field(min_length=1, max_length=200, json_schema_extra=_in_words(40))
]
Phrase: TypeAlias = Annotated[
    str, cut_to(200), Field(min_length=1, max_length=200, json_schema_extra=_short(60))
]
Sentence: TypeAlias = Annotated[
    str, cut_to(400), Field(min_length=1, max_length=400, json_schema_extra=_short(120))
]
Speech: TypeAlias = Annotated[
    str, cut_to(480), Field(max_length=480, json_schema_extra=_in_a_sentence(100))
]
Emoji: TypeAlias = Annotated[str, cut_to(8), Field(max_length=8, json_schema_extra=_short(2))]
Importance: TypeAlias = Annotated[int, Field(ge=1, le=10)]


def keep_first(count: int) -> BeforeValidator:
    """Return the annotation that cuts a list to its first `count` items."""
    return BeforeValidator(lambda value: value[:count] if isinstance(value, list) else value)


@lru_cache(maxsize=1024)
def list_of_numbers(most: int, highest: int, *, least: int = 0) -> Any:
    """Return the type of a list of at most `most` numbers.

    Args:
        most: further numbers are left out.
        highest: the highest number in the prompt, asked for but not enforced.
        least: the fewest numbers, asked for but not enforced.
    """
    extra: dict[str, JsonValue] = {"minimum": 1, "maximum": max(1, highest)}
    return list_up_to(Annotated[int, Field(json_schema_extra=extra)], most, least=least)


@lru_cache(maxsize=1024)
def list_up_to(item: Any, most: int, *, least: int = 0) -> Any:
    """Return the type of a list that is cut after `most`; `least` are asked for, not demanded."""
    size = Field(max_length=most, json_schema_extra={"minItems": least})
    return Annotated[list[item], keep_first(most), size]


@lru_cache(maxsize=1024)
def list_between(item: Any, least: int, most: int, *, cut: bool = False) -> Any:
    """Return the type of a list of `least` to `most` items; `cut`: those after them are left out.

    Otherwise a reply with more of them is refused.
    """
    size = Field(min_length=least, max_length=most)
    return Annotated[list[item], keep_first(most), size] if cut else Annotated[list[item], size]


def list_of(item: Any, count: int, *, cut: bool = False) -> Any:
    """Return the type of a list of exactly `count` items; `cut` as for `list_between`."""
    return list_between(item, count, count, cut=cut)


@lru_cache(maxsize=1024)
def number_between(least: int, most: int) -> Any:
    """Return the type of a whole number in this range, ends included."""
    return Annotated[int, Field(ge=least, le=most)]


def one_of(values: tuple[str, ...]) -> Any:
    """Return the type of a text that is one of `values`, of which there is at least one."""
    return Annotated[Literal[values], values]  # without the order two literals would be equal


def narrow(reply: type[R], **types: Hashable) -> type[R]:
    """Return `reply` under the same name, with these types of fields, from the functions above."""
    return cast(type[R], _make_model(reply, tuple(types.items())))


@lru_cache(maxsize=1024)  # a class for each set of choices; its schema is cached by the class
def _make_model(reply: type[ReplyModel], types: tuple[tuple[str, Any], ...]) -> Any:
    fields: Any = {name: (type_, ...) for name, type_ in types}
    return create_model(schema_name(reply), __base__=reply, **fields)
