"""How a reply names what it rests on: by the numbers that memories have in the prompt.

A schema asks for more than is demanded of a reply: numbers that exist, and at least one. A reply
is not refused for a number that names nothing, since the rest of it may be sound; whoever takes
it passes over such numbers, and keeps nothing that rests on none.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def keep_first(count: int) -> BeforeValidator:
    """Return the annotation that leaves out what comes after the first `count` of a list."""
    return BeforeValidator(lambda value: value[:count] if isinstance(value, list) else value)


def list_of_numbers(most: int, highest: int, *, least: int = 0) -> Any:
    """Return the type of a list of at most `most` numbers.

    Args:
        most: those after it are left out.
        highest: the highest number in the prompt, asked for but not demanded.
        least: so many are asked for, but not demanded.
    """
    number = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": max(1, highest)})]
    return Annotated[
        list[number],
        keep_first(most),
        Field(max_length=most, json_schema_extra={"minItems": least}),
    ]
