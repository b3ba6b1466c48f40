"""Pydantic's errors in the words of a scenario file."""

import re
from datetime import date, datetime, time
from math import isfinite
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from genagents_env.scenario.faults import Fault, Loc, choices, quote, suggest
from genagents_env.scenario.schema import (
    TABLE,
    WORDS,
    AnswerCheck,
    FactCheck,
    ObjectCheck,
    PlaceCheck,
    Scenario,
    ValueCheck,
)

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
_WANTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list in [ ]",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "datetime_type": "a date and time such as 2023-02-13T08:00:00, without quotes",
    "time_type": "a time of day such as 08:30:00, without quotes",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_SIZES = {
    "string_too_short": ("min_length", "at least {} characters are"),
    "string_too_long": ("max_length", "at most {} characters are"),
    "too_short": ("min_length", "at least {} entries are"),
    "too_long": ("max_length", "at most {} entries are"),
}
_KIND_OF_CHECK: dict[str | int, type[BaseModel]] = {
    "answer": AnswerCheck,
    "value": ValueCheck,
    "place": PlaceCheck,
    "fact": FactCheck,
    "object": ObjectCheck,
}
_TAG_ERRORS = ("union_tag_not_found", "union_tag_invalid")


def translate(error: ErrorDetails) -> Fault:
    """Return one of pydantic's errors as a fault: what is wrong, and what is allowed."""
    loc = location(error)
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "missing":
        return Fault(loc, "missing; it is required")
    if kind == "union_tag_not_found":
        return Fault(loc, f"missing; it is required, one of {choices(list_literals(error))}")
    if kind == "union_tag_invalid":
        tag = context["tag"]
        return Fault(loc, f"{quote(tag)} is unknown; {suggest(tag, list_literals(error))}")
    if kind == "extra_forbidden":
        allowed = list_keys(error["loc"][:-1])
        return Fault(loc, f"unknown key; {suggest(str(loc[-1]), allowed)}")
    if kind == "value_error":
        return Fault(loc, str(context["error"]))
    if kind == "literal_error":
        return Fault(loc, f"{quote(value)} is unknown; {suggest(str(value), list_literals(error))}")
    if kind == "string_pattern_mismatch":
        text = "lower-case letters, digits and _ are allowed, a letter first, at most 40"
        return Fault(loc, f"{quote(value)} is no id; {text}")
    if kind in _BOUNDS and isinstance(value, float) and not isfinite(value):
        return Fault(loc, f"{value} is not a finite number")
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return Fault(loc, f"{value} is not allowed; {words} {context[bound]:g} is")
    if kind in _SIZES:
        bound, words = _SIZES[kind]
        if context[bound] == 1:
            words = words.replace("entries are", "entry is").replace(
                "characters are", "character is"
            )
        return Fault(loc, f"{words.format(context[bound])} allowed")
    if kind in _WANTED:
        return Fault(loc, f"this is {_kind(value)}; {_WANTED[kind]} is wanted")
    return Fault(loc, error["msg"])


def location(error: ErrorDetails) -> Loc:
    """Return where an error is; that of a key is where the key stands.

    That of a check without a right `kind` is where the kind should stand. What pydantic adds to
    say which kind of check or memory it took is left out: it is no part of the file.
    """
    loc = tuple(part for part in error["loc"] if part not in ("[key]", WORDS, TABLE))
    if error["type"] in _TAG_ERRORS:
        return (*loc, "kind")
    return (*loc[:2], *loc[3:]) if _has_kind(loc) else loc


def _has_kind(loc: Loc) -> bool:
    return loc[:1] == ("checks",) and len(loc) > 2 and loc[2] in _KIND_OF_CHECK


def list_literals(error: ErrorDetails) -> list[str]:
    """Return the values that a `literal_error` allows, or the kinds there are."""
    if error["type"] in _TAG_ERRORS:
        return [str(kind) for kind in _KIND_OF_CHECK]
    return re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))


def list_keys(loc: Loc) -> list[str]:
    """Return the keys that may stand in the table at `loc`, a place as pydantic gives it."""
    model = _model(Scenario)
    if _has_kind(loc):
        model, loc = _KIND_OF_CHECK[loc[2]], loc[3:]
    for part in loc:
        if isinstance(part, str) and model is not None and part in model.model_fields:
            model = _model(model.model_fields[part].annotation)
    return [] if model is None else list(model.model_fields)


def _model(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model(part))), None)


def _kind(value: object) -> str:
    return next((words for kind, words in _KINDS if isinstance(value, kind)), "something else")
