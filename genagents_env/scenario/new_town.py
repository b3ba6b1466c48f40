"""Make a scenario folder for an imported map, which says only where things are.

The rest is decided here and written out to be edited: anything may be done with an
object (`free_text`), in a bed one sleeps; gardens and parks are open to the sky; everybody knows
the buildings in which nobody's spawn tile is; a few residents live where the spawn tiles are.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from genagents_env.scenario.maps.drawn import DrawnMap
from genagents_env.scenario.maps.grid import format_grid
from genagents_env.scenario.toml_text import format_toml

_OPEN_AIR = re.compile(r"\b(?:park|garden|yard|square|field|beach|plaza)\b", re.IGNORECASE)
_BED = re.compile(r"\bbed\b", re.IGNORECASE)
_FLOWERS = re.compile(r"\b(?:flower|garden|river)", re.IGNORECASE)
# As many as a town of imported spawn tiles is begun with at most.
_FIRST_NAMES = (
    *("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jan", "Kira", "Leo"),
    *("Mina", "Nils", "Olga", "Paul", "Quinn", "Rosa", "Sven", "Tilda", "Udo", "Vera", "Wim"),
    *("Xenia", "Yann", "Zoe"),
)
MOST_PEOPLE = len(_FIRST_NAMES)
_SURNAME = "Newman"

_START = datetime(2023, 2, 13, 8)  # noqa: DTZ001 - town time has no zone
_HEAD = """\
# map.grid says where things are; this file says what they are, who may use them and when.
# scenarios/README.md and docs/maps.md describe the keys.

"""
_RESIDENTS = "# Residents to begin with; they know nobody yet. Edit them, or put others here.\n"

Raw = dict[str, object]


def format_new_town(
    drawn: DrawnMap, *, name: str, title: str, town: str, people: int = 3
) -> dict[str, str]:
    """Format the files of a scenario on a map, by their names in the folder.

    Args:
        drawn: the map; `map.grid` is written of it.
        name: of the scenario.
        title: of the scenario.
        town: the town's name.
        people: how many residents there are, from 1 to MOST_PEOPLE, spawn tiles permitting.

    Raises:
        ValueError: two objects share a tile.
    """
    residents = list(_list_people(drawn, people))
    return {
        "map.grid": format_grid(drawn),
        "scenario.toml": _HEAD + format_toml(_describe_scenario(drawn, name, title, town)),
        "people/residents.toml": _RESIDENTS + format_toml({"people": residents}),
    }


def _describe_scenario(drawn: DrawnMap, name: str, title: str, town: str) -> Raw:
    sectors: list[Raw] = []
    for sector, arenas in _list_places(drawn).items():
        homes = any(spawn.id.startswith(f"{sector}/") for spawn in drawn.spawns)
        rooms = [_describe_arena(drawn, sector, *room) for room in (arenas or {sector: []}).items()]
        sectors.append({"name": sector} | ({} if homes else {"common": True}) | {"arenas": rooms})
    begin: Raw = {"name": name, "title": title, "town": town}
    return begin | {"start": _START, "hours": 8, "sectors": sectors}


def _list_places(drawn: DrawnMap) -> dict[str, dict[str, list[str]]]:
    """Return sectors > arenas > objects; an id of a sector's one arena has only two parts."""
    parts: dict[str, dict[str, list[str]]] = {}
    for id_ in drawn.places:
        sector, _, arena = id_.partition("/")
        parts.setdefault(sector, {}).update({arena: []} if arena else {})
    for item in drawn.objects:
        place, _, name = item.id.rpartition("/")
        sector, _, arena = place.partition("/")
        parts[sector].setdefault(arena or sector, []).append(name)
    return parts


def _describe_arena(drawn: DrawnMap, sector: str, arena: str, objects: list[str]) -> Raw:
    id_ = sector if arena == sector else f"{sector}/{arena}"
    table: Raw = {"name": arena}
    if _OPEN_AIR.search(arena):
        table["open_air"] = True
    if objects:
        table["objects"] = [_describe_object(name) for name in objects]
    spawns = [spawn.id.rpartition("/") for spawn in drawn.spawns]
    if names := [{"name": name} for place, _, name in spawns if place == id_]:
        table["spawns"] = names
    return table


def _describe_object(name: str) -> Raw:
    if not _BED.search(name) or _FLOWERS.search(name):
        return {"name": name, "free_text": True}
    states = ["made", "slept in"]
    return {"name": name, "states": states, "free_text": True, "sleep_state": states[1]}


def _list_people(drawn: DrawnMap, people: int) -> Iterator[Raw]:
    for first, (home, start) in zip(_FIRST_NAMES, islice(_list_homes(drawn), people), strict=False):
        who = f"{first} {_SURNAME}"
        persona = f"{who} has just moved to town; {who} likes to look around and to meet people"
        person: Raw = {"name": who, "persona": persona, "home": home}
        yield person | ({"start": start} if start else {})


def _list_homes(drawn: DrawnMap) -> Iterator[tuple[str, str]]:
    """Yield homes with the spawn tile of each: a building each at first, then the rest."""
    rest, seen = [], set[str]()
    for spawn in drawn.spawns:
        home, sector = spawn.id.rpartition("/")[0], spawn.id.split("/")[0]
        if sector in seen:
            rest.append((home, spawn.id))
        else:
            seen.add(sector)
            yield home, spawn.id
    yield from rest
    if not drawn.spawns:
        arenas = [id_ for id_ in drawn.places if "/" in id_] or list(drawn.places)
        yield from ((arenas[i % len(arenas)], "") for i in range(MOST_PEOPLE if arenas else 0))
