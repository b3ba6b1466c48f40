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
_NAME = "lower-case letters, digits, _ and - are allowed, a letter first, at most 40"


def read_toml(path: Path) -> dict[str, object]:
    """Return the data in a TOML file.

    Raises:
        ConfigError: it is missing, too large, no text or no TOML; the line is named.
    """
    return parse_toml(read_text(path, _FILE_LIMIT), str(path))


def parse_toml(text: str, name: str = "experiment.toml") -> dict[str, object]:
    """Return the data in TOML, from a file of that name; raises as `read_toml`."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
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
