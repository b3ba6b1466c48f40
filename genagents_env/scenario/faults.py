"""Faults of a scenario: where they are, what is wrong, and what is allowed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from math import isfinite
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from genagents_env.name_search import find_alike
from genagents_env.text import clean

Loc = tuple[str | int, ...]

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "text"),
    (datetime, "a date and time"),
    ((date, time), "a date or a time"),
    ((list, tuple), "a list"),
    (dict, "a table"),
)
# Pydantic's errors in the words of a TOML file; `it` is what kind of value stands there.
_TEXTS = {
    "missing": "missing; it is required",
    "string_type": "this is {it}; text in quotes is wanted",
    "int_type": "this is {it}; a whole number is wanted",
    "int_from_float": "this is {it}; a whole number is wanted",
    "float_type": "this is {it}; a number is wanted",
    "bool_type": "this is {it}; true or false is wanted",
    "tuple_type": "this is {it}; a list in [ ] is wanted",
    "list_type": "this is {it}; a list in [ ] is wanted",
    "dict_type": "this is {it}; a table is wanted",
    "model_type": "this is {it}; a table is wanted",
    "model_attributes_type": "this is {it}; a table is wanted",
    "datetime_type": (
        "this is {it}; a date and time such as 2023-02-13T08:00:00, without quotes is wanted"
    ),
    "time_type": "this is {it}; a time of day such as 08:30:00, without quotes is wanted",
    "greater_than": "{value} is not allowed; more than {gt:g} is",
    "greater_than_equal": "{value} is not allowed; at least {ge:g} is",
    "less_than": "{value} is not allowed; less than {lt:g} is",
    "less_than_equal": "{value} is not allowed; at most {le:g} is",
    "string_too_short": "at least {min_length} characters are allowed",
    "string_too_long": "at most {max_length} characters are allowed",
    "too_short": "at least {min_length} entries are allowed",
    "too_long": "at most {max_length} entries are allowed",
    "string_pattern_mismatch": (
        "{quoted} is no id; lower-case letters, digits and _ are allowed, a letter first, "
        "at most 40"
    ),
    "value_error": "{error}",
}
_SINGULAR = ((" 1 characters are", " 1 character is"), (" 1 entries are", " 1 entry is"))
_MOST_FAULTS = 500
WORDS, TABLE = "(words)", "(table)"  # how a memory is written; pydantic puts it into places


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at `loc`, a path of keys and indices into the scenario's data."""

    loc: Loc
    text: str


@dataclass(slots=True)
class Origins:
    """The file that each part of a scenario came from.

    Attributes:
        people: for each person a file, and the key inside it ("" for all of the file).
        keys: the files of keys from another folder; a key within a table is `table.key`, and
            others are in the file of their table.
        drawn: for parts that come from a map, with all within them, the place in the map.
        file: of all others.
    """

    people: list[tuple[str, str]] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    drawn: dict[Loc, Loc] = field(default_factory=dict)
    file: str = "scenario.toml"

    def find_file(self, loc: Loc) -> str:
        """Return the file that holds the key at `loc`."""
        path, file = "", "map.txt" if loc[:1] == ("map",) else self.file
        for part in loc:
            path = f"{path}.{part}" if path else str(part)
            file = self.keys.get(path, file)
        return file

    def render(self, fault: Fault) -> str:
        """Format a fault as `file:key: text`."""
        loc, prefix = self._find_drawn(fault.loc), ""
        if loc[:1] == ("map",):
            where = ", ".join(map(str, loc[1:])) or "map"
            return f"{self.find_file(('map',))}:{where}: {fault.text}"
        file = self.find_file(loc)
        index = loc[1] if loc[:1] == ("people",) and len(loc) > 1 else None
        if isinstance(index, int) and index < len(self.people):
            file, prefix = self.people[index]
            loc = loc[2:]
        key = prefix
        for part in loc:
            name = f"[{part}]" if isinstance(part, int) else clean(part, 60) or '""'
            key += f".{name}" if key and isinstance(part, str) else name
        return f"{file}:{key or 'file'}: {fault.text}"

    def _find_drawn(self, loc: Loc) -> Loc:
        """Return the place in the map of something drawn, else `loc` itself."""
        for length in range(len(loc), 0, -1) if self.drawn else ():
            if loc[:length] in self.drawn:
                is_key = loc[0] != "map" and isinstance(loc[length - 1], str)
                return (*self.drawn[loc[:length]], *loc[length - is_key :])
        return loc


def list_faults(error: ValidationError, model: type[BaseModel]) -> list[Fault]:
    """List the faults of data of `model`; of very many the first ones."""
    details = [detail for detail in error.errors(include_url=False) if not _is_echo(detail)]
    faults = [translate(detail, model) for detail in details[:_MOST_FAULTS]]
    if len(details) > _MOST_FAULTS:
        text = f"and {len(details) - _MOST_FAULTS} more faults like these; mend the first ones"
        faults.append(Fault((), text))
    return faults


def _is_echo(error: ErrorDetails) -> bool:
    """Return True if a list is called too short only because entries of it are at fault."""
    if error["type"] != "too_short" or not isinstance(error["input"], tuple):
        return False
    return len(error["input"]) >= int(error["ctx"]["min_length"])


def translate(error: ErrorDetails, model: type[BaseModel]) -> Fault:
    """Turn one of pydantic's errors into a fault that says what is allowed.

    Args:
        error: of the validation of `model`.
        model: the type of the whole file. A table without a right `kind` is at fault at that key.
    """
    loc, tables = find_place(error["loc"], model)
    if error["type"] not in ("union_tag_not_found", "union_tag_invalid"):
        return Fault(loc, _explain(error, loc, tables[0]))
    kinds, tag = [_get_kind(table) for table in tables], error["ctx"].get("tag")
    text = f"missing; it is required, one of {choices(kinds)}"
    return Fault((*loc, "kind"), text if tag is None else _reject(tag, kinds))


def _explain(error: ErrorDetails, loc: Loc, table: type[BaseModel]) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key; {suggest(str(loc[-1]), list(table.model_fields))}"
    if kind == "literal_error":
        return _reject(value, re.findall(r"'([^']*)'", context["expected"]))
    if isinstance(value, float) and not isfinite(value):
        return f"{value} is not a finite number"
    if kind not in _TEXTS:
        return error["msg"]
    it = next((words for type_, words in _KINDS if isinstance(value, type_)), "something else")
    text = _TEXTS[kind].format(value=value, quoted=quote(value), it=it, **context)
    for plural, singular in _SINGULAR:
        text = text.replace(plural, singular)
    return text


def _reject(value: object, allowed: Sequence[str]) -> str:
    return f"{quote(value)} is unknown; {suggest(str(value), allowed)}"


def find_place(loc: Loc, model: type[BaseModel]) -> tuple[Loc, list[type[BaseModel]]]:
    """Locate an error of pydantic in a file, with the tables allowed there.

    Pydantic puts into `loc` which of several kinds it took, and what is no part of the file.
    """
    place: list[str | int] = []
    tables = [model]
    for part in loc:
        of_kind = [table for table in tables if _get_kind(table) == part]
        if len(tables) > 1 and of_kind:
            tables = of_kind
            continue
        if part in ("[key]", WORDS, TABLE):
            continue
        place.append(part)
        if isinstance(part, str) and part in tables[0].model_fields:
            tables = list_tables(tables[0].model_fields[part].annotation) or tables
    return tuple(place), tables


def list_tables(annotation: object) -> list[type[BaseModel]]:
    """Return the models in the type of a key."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for part in get_args(annotation) for table in list_tables(part)]


def _get_kind(table: type[BaseModel]) -> str:
    """Return the `kind` by which a table is distinguished from others in its place, or ""."""
    field_ = table.model_fields.get("kind")
    kinds = () if field_ is None else get_args(field_.annotation)
    return str(kinds[0]) if len(kinds) == 1 else ""


def quote(value: object, limit: int = 60) -> str:
    """Quote `value` as short, safe text."""
    text = clean(str(value), limit + 1)
    return f'"{text[:limit]}…"' if len(text) > limit else f'"{text}"'


def choices(allowed: Iterable[str], limit: int = 12) -> str:
    """List the allowed values in words, at most `limit` of them."""
    names = list(allowed)
    if not names:
        return "none are declared"
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(quote(name) for name in names[:limit]) + more


def suggest(value: str, allowed: Sequence[str]) -> str:
    """Return `did you mean ...?` if something allowed is spelled alike, else what is allowed."""
    near = find_alike(value, allowed)
    if near:
        return f"did you mean {' or '.join(map(quote, near))}?"
    return f"allowed: {choices(allowed)}"
