"""Write TOML that people go on editing, and scenarios as folders of it."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime, time
from typing import Any

from genagents_env.scenario.files import MAPS
from genagents_env.scenario.maps.grid import is_grid, read_grid
from genagents_env.scenario.schema import SPRITE_MARK, Scenario

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 100  # characters of a line


def format_scenario(scenario: Scenario, head: str = "") -> dict[str, str | bytes]:
    """Format a scenario as the files of a folder that loads to the same scenario.

    Defaults are left out. A base that it extends or a map of Tiled is no longer
    referred to: their content is in these files.

    Args:
        scenario: the scenario.
        head: what `scenario.toml` begins with, lines of comment.
    """
    data = scenario.model_dump(exclude_defaults=True, exclude={"map"})
    people = data.pop("people")
    for arena in (arena for sector in data["sectors"] for arena in sector["arenas"]):
        for item in arena.get("objects", ()):
            if "states" in item:  # a file that leaves the state out means the first of them
                item.setdefault("state", "idle")
    pictures = _take_sprites(scenario, people)
    files: dict[str, str | bytes] = {"scenario.toml": head + format_toml(data)}
    if scenario.map is not None:
        files[MAPS[is_grid(scenario.map)]] = scenario.map
    return files | {"people/residents.toml": format_toml({"people": people})} | pictures


def _take_sprites(scenario: Scenario, people: list[dict[str, object]]) -> dict[str, bytes]:
    """Replace the pictures of people by names of files, and return the files.

    A name that the map gives stays.
    """
    drawn = read_grid(scenario.map)[0] if scenario.map and is_grid(scenario.map) else None
    names = {} if drawn is None else dict(drawn.sprites)
    files = {}
    for number, (person, raw) in enumerate(zip(scenario.people, people, strict=True), 1):
        if person.sprite is not None:
            name = names.get(person.name, f"person_{number}.png")
            raw["sprite"] = name
            files[name] = b64decode(person.sprite.removeprefix(SPRITE_MARK))
    return files


def format_toml(data: Mapping[str, Any]) -> str:
    """Format `data`, its tables as `[key]`, its lists of tables as `[[key]]`.

    Lists of tables within these are `[[key.key]]`; what is within those stands in lines of its own.

    Args:
        data: text, numbers, truth values, times, lists and tables of these.
    """
    return "\n".join(_list_lines(data)) + "\n"


def _list_lines(table: Mapping[str, Any], path: str = "", *, listed: bool = False) -> list[str]:
    """Format a table as lines: its own values, then tables in it, then lists of tables."""
    values: list[str] = []
    tables: list[str] = []
    lists: list[str] = []
    for key, value in table.items():
        name = _format_key(key)
        where = f"{path}.{name}" if path else name
        if isinstance(value, Mapping) and value and not listed:
            tables += ["", f"[{where}]", *_list_lines(value, where)]
        elif _has_tables(value) and "." not in path:
            for entry in value:
                lists += ["", f"[[{where}]]", *_list_lines(entry, where, listed=True)]
        else:
            values += _list_value(name, value)
    return values + tables + lists


def _list_value(name: str, value: object) -> list[str]:
    line = f"{name} = {_format(value)}"
    if isinstance(value, list | tuple) and (len(line) > _WIDE or _has_tables(value)):
        return [f"{name} = [", *(f"  {_format(entry)}," for entry in value), "]"]
    return [line]


def _has_tables(value: object) -> bool:
    return (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(v, dict) for v in value)
    )


def _format_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quote(key)


def _format(value: object) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_format_key(str(k))} = {_format(v)}" for k, v in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | time):
        return value.isoformat()
    return _quote(value) if isinstance(value, str) else str(value)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
