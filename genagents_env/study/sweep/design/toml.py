"""TOML of experiment files: read as data, written, and its faults by the keys of that file."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from genagents_env.errors import ConfigError
from genagents_env.scenario.faults import find_place, quote, suggest, translate
from genagents_env.text import clean

_LISTS = {"scenarios": "scenario", "casts": "people", "models": "model"}  # of former files
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_FAULT_LIMIT = 1000  # characters
_NAME = "lower-case letters, digits, _ and - are allowed, a letter first, at most 40"


def parse_toml(text: str, name: str) -> dict[str, object]:
    """Return the data in TOML, from a file of that name.

    Raises:
        ConfigError: it is no TOML; the line is named.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not TOML: {clean(str(error))}") from None
    except (RecursionError, ValueError):
        raise ConfigError(f"{name}: nested too deeply, or a number is too long") from None


def format_faults(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Return everything wrong with the data of `model`, each as `key: what; allowed: ...`."""
    return [clean(line, _FAULT_LIMIT) for line in _format_faults(error, model)]


def _format_faults(error: ValidationError, model: type[BaseModel]) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        loc = [part for part in detail["loc"] if part != "[key]"]
        key = ".".join(clean(str(part), 60) or '""' for part in loc)
        if detail["type"] == "value_error" and loc in ([], ["factors"]):
            lead = f"{key}." if key else ""  # our own faults, a line each, with their keys
            for line in str(detail["ctx"]["error"]).splitlines():
                yield f"{lead}{line}" if ": " in line else f"{key}: {line}"
        else:
            yield f"{key or 'file'}: {_format_fault(detail, loc, model)}"


def _format_fault(detail: ErrorDetails, loc: list[str | int], model: type[BaseModel]) -> str:
    if detail["type"] == "extra_forbidden":
        allowed = list(find_place(detail["loc"], model)[1][0].model_fields)
        hint = suggest(str(loc[-1]), allowed)
        names = f" allowed: {', '.join(allowed)}" if hint.startswith("did") else ""
        return f"unknown key; {hint if names else 'allowed: ' + ', '.join(allowed)}{names}"
    if detail["type"] == "string_pattern_mismatch":
        return f"{quote(detail['input'])} is no name; {_NAME}"
    return translate(detail, model).text


def find_old_forms(raw: Mapping[str, object]) -> Iterator[str]:
    """Yield a fault for each table of former files, with the factor to paste in its place."""
    for old, new in _LISTS.items():
        value = raw.get(old)
        if isinstance(value, list) and value:
            yield f"{old}: has moved; write\n\n[factors]\n{_format_list(new, value)}\n"
    for old, name in (("arms", "arm"), ("runs", "run")):
        tables = raw.get(old)
        if isinstance(tables, list) and tables:
            levels = "\n".join(_format_level(at, one) for at, one in enumerate(tables, 1))
            told = "" if old == "arms" else " (all levels share the seeds of the study)"
            yield f"{old}: has moved{told}; write\n\n[factors.{name}]\n{levels}\n"


def _format_list(key: str, values: Sequence[object]) -> str:
    if not any(isinstance(one, list) for one in values):
        return f"{key} = {format_value(list(values))}"
    pairs = ", ".join(f'"{_label(one)}" = {format_value(one)}' for one in values)
    return f"{key} = {{ {pairs} }}"


def _label(value: object) -> str:
    if isinstance(value, list) and value:
        return f"{value[0]} and {len(value) - 1} more" if len(value) > 1 else str(value[0])
    return str(value)


def _format_level(at: int, table: object) -> str:
    given = dict(table) if isinstance(table, dict) else {}
    label = str(given.pop("name", at))
    given.pop("seeds", None)
    return f"{format_key(label)} = {format_value(given)}"


def format_key(key: str) -> str:
    """Return a key of TOML, in quotes where it needs them."""
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def format_value(value: object) -> str:
    """Return a value as TOML, on one line; None stands in no file and is a ValueError."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_value, value))}]"
    if isinstance(value, dict):
        inner = ", ".join(f"{format_key(str(k))} = {format_value(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if value is None:
        raise ValueError("null is no value; leave it out")
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if isinstance(value, int | float) else str(value)
