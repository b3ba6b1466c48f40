"""Types of the schema in words: what may stand in a scenario file, and what stands by default."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from genagents_env.scenario.fields import (
    Line,
    LocalTime,
    Name,
    OpenHours,
    Paragraph,
    Pattern,
    Ref,
)

NONE = "none"  # the default of a key that may be left out, and has no value then
_PLAIN: dict[object, str] = {
    bool: "true or false",
    int: "whole number",
    float: "number",
    str: "text",
    time: "time of day",
    datetime: "date and time",
    date: "date",
}
# By the first validator of each: it is what makes such a text more than text.
_NAMED: tuple[tuple[Any, str], ...] = (
    (Name, "name"),
    (Ref, "place"),
    (Line, "line"),
    (Paragraph, "paragraph"),
    (OpenHours, "opening hours"),
    (Pattern, "pattern"),
    (LocalTime, "date and time"),
)
_ID = r"^[a-z][a-z0-9_]{0,39}$"


@dataclass(frozen=True, slots=True)
class TypeWords:
    """A type in words: what it is, and what is allowed of it, which may be everything."""

    type: str
    allowed: tuple[str, ...] = ()


def describe_type(model: type[BaseModel], name: str) -> TypeWords:
    """Return the type of a key in words, with what is allowed of it."""
    return _describe(get_type_hints(model, include_extras=True)[name])


def format_default(value: object) -> str:
    """Return a default as it could stand in the file; `none` for what TOML has no word for."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(format_default, value))}]"
    if isinstance(value, BaseModel | dict):
        return "{}"
    return value.isoformat() if isinstance(value, time | date) else str(value)


def list_models(hint: object) -> list[type[BaseModel]]:
    """Return the tables in a type, each once."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return [hint]
    found = [model for part in get_args(hint) for model in list_models(part)]
    return list(dict.fromkeys(found))


def _describe(hint: Any) -> TypeWords:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _describe_annotated(parts[0], parts[1:])
    if origin in (Union, UnionType):
        told = [_describe(part) for part in parts if part is not type(None)]
        return _join(" or ".join(dict.fromkeys(one.type for one in told)), told)
    if origin is Literal:
        return TypeWords("word", (", ".join(f'`"{word}"`' for word in parts),))
    if origin is tuple and parts[1:] == (Ellipsis,):
        each = _describe(parts[0])
        return _join(f"list: {each.type}", [each])
    if origin is tuple:
        told = [_describe(part) for part in parts]
        return _join(f"[{', '.join(one.type for one in told)}]", told)
    if origin is dict:
        key, value = map(_describe, parts)
        return _join(f"table by {key.type}: {value.type}", [key, value])
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return TypeWords("table")
    return TypeWords(_PLAIN[hint])


def _join(words: str, parts: Iterable[TypeWords]) -> TypeWords:
    return TypeWords(words, tuple(dict.fromkeys(a for part in parts for a in part.allowed)))


def _describe_annotated(inner: Any, extras: tuple[object, ...]) -> TypeWords:
    named = [word for alias, word in _NAMED if alias.__metadata__[0] in extras]
    constraints = [part for extra in extras for part in _list_constraints(extra)]
    if any(getattr(part, "pattern", None) == _ID for part in constraints):
        return TypeWords("id")
    if named:
        return TypeWords(named[0])
    base = _describe(inner)
    unit = "entries" if get_origin(inner) is tuple else "characters"
    found = [*_find_text_limits(extras), *_find_bounds(constraints, unit)]
    found += [f"`{part.pattern}`" for part in constraints if getattr(part, "pattern", None)]
    return TypeWords(base.type, (*base.allowed, *found))


def _list_constraints(extra: object) -> Iterable[Any]:
    return extra.metadata if isinstance(extra, FieldInfo) else (extra,)


def _find_text_limits(extras: Iterable[object]) -> Iterator[str]:
    """Yield the limits that cleaning sets; see `fields.clean_to`."""
    for extra in extras:
        limit = getattr(getattr(extra, "func", None), "keywords", {}).get("limit")
        if limit is not None:
            yield f"at most {limit:,} characters"


def _find_bounds(constraints: Sequence[Any], unit: str) -> Iterator[str]:
    """Yield the bounds of a number, then those of a length."""
    for part in constraints:
        for bound, words in (("gt", "more than"), ("lt", "less than")):
            if hasattr(part, bound):
                yield f"{words} {_format_number(getattr(part, bound))}"
    yield from _format_range(_find(constraints, "ge"), _find(constraints, "le"), "")
    least, most = _find(constraints, "min_length"), _find(constraints, "max_length")
    yield from _format_range(least, most, f" {unit}")


def _find(constraints: Iterable[Any], bound: str) -> float | None:
    found = [getattr(part, bound) for part in constraints if hasattr(part, bound)]
    return found[-1] if found else None


def _format_range(least: float | None, most: float | None, unit: str) -> Iterator[str]:
    one = unit.replace("entries", "entry").removesuffix("s")
    low, high = (None if bound is None else _format_number(bound) for bound in (least, most))
    if least is not None and least == most:
        yield f"{low}{one if least == 1 else unit}"
    elif least is not None and most is not None:
        yield f"{low} to {high}{unit}"
    elif least is not None:
        yield f"at least {low}{one if least == 1 else unit}"
    elif most is not None:
        yield f"at most {high}{unit}"


def _format_number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
