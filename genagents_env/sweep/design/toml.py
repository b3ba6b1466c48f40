"""Reads an experiment file as data, and formats pydantic's errors by the keys of that file."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from genagents_env.errors import ConfigError
from genagents_env.files import read_text
from genagents_env.scenario.faults import find_place, quote, suggest, translate
from genagents_env.text import clean

_FILE_LIMIT = 1 << 20  # bytes
_FAULT_LIMIT = 1000  # characters
_PATTERNS = {
    "arms": "1 to 40 letters, digits, spaces and . _ - are allowed, a letter or digit first",
    "name": "lower-case letters, digits, _ and - are allowed, a letter first, at most 40",
}


def read_toml(path: Path) -> dict[str, object]:
    """Return the data in a TOML file.

    Raises:
        ConfigError: it is missing, too large, no text or no TOML; the line is named.
    """
    text = read_text(path, _FILE_LIMIT).replace("\r\n", "\n")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {clean(str(error))}") from None
    except (RecursionError, ValueError):
        raise ConfigError(f"{path}: nested too deeply, or a number is too long") from None


def format_faults(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Return everything wrong with the data of `model`, each as `key: what; allowed: ...`."""
    return [clean(line, _FAULT_LIMIT) for line in _format_faults(error, model)]


def _format_faults(error: ValidationError, model: type[BaseModel]) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        loc = [part for part in detail["loc"] if part != "[key]"]
        key = ".".join(clean(str(part), 60) or '""' for part in loc) or "file"
        yield f"{key}: {_format_fault(detail, loc, model)}"


def _format_fault(detail: ErrorDetails, loc: list[str | int], model: type[BaseModel]) -> str:
    if detail["type"] == "extra_forbidden":
        allowed = list(find_place(detail["loc"], model)[1][0].model_fields)
        hint = suggest(str(loc[-1]), allowed)
        names = f" allowed: {', '.join(allowed)}" if hint.startswith("did") else ""
        return f"unknown key; {hint if names else 'allowed: ' + ', '.join(allowed)}{names}"
    if detail["type"] == "string_pattern_mismatch":
        words = _PATTERNS["name" if loc == ["name"] else "arms"]
        return f"{quote(detail['input'])} is no name; {words}"
    return translate(detail, model).text
