"""Tables that experiment files had before factors, each answered with the text to write now."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

TomlTable: TypeAlias = Mapping[str, object]

_LISTS = {"scenarios": "scenario", "casts": "people", "models": "model"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def find_old_forms(raw: TomlTable) -> Iterator[str]:
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
