"""The custom properties by which a Tiled map says what a place is: those of a scenario file."""

from collections.abc import Mapping

from genagents_env.scenario.faults import quote, suggest
from genagents_env.scenario.tiled.document import PropertyValue
from genagents_env.scenario.tiled.refusal import TiledRefusal

PART, SECTOR, ARENA, PERSON, SPRITE, NEXT = "part", "sector", "arena", "person", "sprite", "next."
OPEN_AIR = "open_air"
_SHARED = {"hours": list, "users": list, "capacity": int}
# What each kind of place may say, and as what: a list is text with commas, or with one a line.
KEYS: Mapping[str, Mapping[str, type]] = {
    "collision": {},
    "sector": {**_SHARED, "common": bool, OPEN_AIR: bool, PART: bool},
    "arena": {**_SHARED, SECTOR: str, OPEN_AIR: bool, PART: bool},
    "object": {
        ARENA: str,
        "state": str,
        "states": list,
        "free_text": bool,
        "users": list,
        "sleep_state": str,
        "lasting": list,
        "solid": bool,
        PART: bool,
    },
    "spawn": {ARENA: str, PERSON: str, SPRITE: str},
    "door": {ARENA: str},
}
_WANTED = {list: "text", str: "text", bool: "true or false", int: "a whole number"}

KeyValue = str | float | bool | list[str] | dict[str, list[str]]


def read_keys(kind: str, properties: Mapping[str, PropertyValue]) -> dict[str, KeyValue]:
    """Return what the properties of a place say, as a scenario file has it.

    Raises:
        TiledRefusal: one is unknown, or no such value.
    """
    keys: dict[str, KeyValue] = {}
    follows: dict[str, list[str]] = {}
    for name, value in properties.items():
        if kind == "object" and name.startswith(NEXT):
            follows[name.removeprefix(NEXT)] = split_list(_check(name, value, list))
            continue
        wanted = KEYS[kind].get(name)
        if wanted is None:
            raise TiledRefusal(f"property {quote(name)} is unknown; {suggest(name, [*KEYS[kind]])}")
        found = _check(name, value, wanted)
        keys[name] = split_list(found) if wanted is list else found
    if follows:
        keys["next"] = follows
    return keys


def _check(name: str, value: PropertyValue, wanted: type) -> KeyValue:
    is_ = str if wanted is list else wanted
    if not isinstance(value, is_) or (is_ is int and isinstance(value, bool)):
        text = f"property {quote(name)} is {quote(value, 30)}; {_WANTED[wanted]} is wanted"
        raise TiledRefusal(text)
    return value


def split_list(text: KeyValue) -> list[str]:
    """Return the entries of a list: one a line where there are lines, else between commas."""
    mark = "\n" if "\n" in str(text) else ","
    return [part for entry in str(text).split(mark) if (part := entry.strip())]
