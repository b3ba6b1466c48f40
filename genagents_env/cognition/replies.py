"""The types of fields in reply models: texts of some length, and numbers of lines in the prompt.

Few endpoints enforce a schema, so replies are checked less strictly than it asks for: a text
that is too long is cut, and what applies a reply skips numbers that name no line.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue

from genagents_env.llm.schemas import SMALL
from genagents_env.text import cut_sentences


def _cut(limit: int) -> BeforeValidator:
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


Word: TypeAlias = Annotated[str, _cut(60), Field(max_length=60, json_schema_extra=_in_words(24))]
Activity: TypeAlias = Annotated[
    str, _cut(200), Field(min_length=1, max_length=200, json_schema_extra=_in_words(40))
]
Phrase: TypeAlias = Annotated[
    str, _cut(200), Field(min_length=1, max_length=200, json_schema_extra=_short(60))
]
Sentence: TypeAlias = Annotated[
    str, _cut(400), Field(min_length=1, max_length=400, json_schema_extra=_short(120))
]
Speech: TypeAlias = Annotated[
    str, _cut(480), Field(max_length=480, json_schema_extra=_in_a_sentence(100))
]
Emoji: TypeAlias = Annotated[str, _cut(8), Field(max_length=8, json_schema_extra=_short(2))]
Importance: TypeAlias = Annotated[int, Field(ge=1, le=10)]


def keep_first(count: int) -> BeforeValidator:
    """Return the annotation that cuts a list to its first `count` items."""
    return BeforeValidator(lambda value: value[:count] if isinstance(value, list) else value)


def list_of_numbers(most: int, highest: int, *, least: int = 0) -> Any:
    """Return the type of a list of at most `most` numbers.

    Args:
        most: further numbers are left out.
        highest: the highest number in the prompt, asked for but not enforced.
        least: the fewest numbers, asked for but not enforced.
    """
    number = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": max(1, highest)})]
    return Annotated[
        list[number],
        keep_first(most),
        Field(max_length=most, json_schema_extra={"minItems": least}),
    ]


def one_of(values: tuple[str, ...]) -> Any:
    """Return the type of a text that is one of `values`, which are not empty."""
    return Literal[values]
