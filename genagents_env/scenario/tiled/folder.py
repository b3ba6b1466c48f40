"""A Tiled map as a scenario folder of its own, which needs neither Tiled nor its reader."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from genagents_env.errors import ScenarioError
from genagents_env.scenario.faults import Fault, Origins, quote
from genagents_env.scenario.files import TOTAL_LIMIT, Raw, Unread
from genagents_env.scenario.sprites import read_sprite
from genagents_env.scenario.tiled.attaching import merge_map, read_map_file
from genagents_env.scenario.tiled.merging import Merger
from genagents_env.scenario.tiled.place_keys import PERSON
from genagents_env.scenario.tiled.refusal import MAP
from genagents_env.scenario.tiled.town_map import ArenaDrawing, TiledTown
from genagents_env.scenario.toml_text import format_toml
from genagents_env.text import fold

_NOBODY = "nobody"
_STRANGER = "Alex Doe"  # lives in a town whose map names nobody
_START = datetime(2023, 2, 13)  # noqa: DTZ001 - town time has no zone
_HEAD = """\
# The town drawn in {file}, as `genagents map import-tiled` read it; its tiles are in map.grid.
# Whoever lives here was named by the map, or made up so that somebody does: say who they are.

"""


def convert_map(file: Path, name: str) -> dict[str, str | bytes]:
    """Return the files of a scenario with the town of a Tiled map.

    Args:
        file: the map; its tilesets lie in its folder or below.
        name: of the scenario.

    Returns:
        The text of each file, by its name; of pictures their bytes.

    Raises:
        ScenarioError: the map is at fault; all that is known to be wrong is listed.
    """
    town, faults = read_map_file(file.parent, file.name, TOTAL_LIMIT)
    raw: Raw = {}
    if town is not None:
        raw["people"] = list(_list_people(town))
        faults = merge_map(raw, town, Merger())
    if faults:
        raise ScenarioError([Origins((), {MAP: file.name}).render(fault) for fault in faults])
    pictures = _read_pictures(file, town) if town is not None else {}
    people, sectors, drawn = raw.pop("people"), raw.pop("sectors"), raw.pop(MAP)
    begin: Raw = {"name": name, "title": f"The town of {file.name}", "town": file.stem[:60]}
    text = format_toml(begin | raw | {"start": _START, "hours": 24, "sectors": sectors})
    return {
        "scenario.toml": _HEAD.format(file=file.name) + text,
        "people/residents.toml": format_toml({"people": people}),
        "map.grid": str(drawn),
        **pictures,
    }


def _read_pictures(file: Path, town: TiledTown) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for start in town.starts:
        if start.sprite is not None:
            try:
                found[start.sprite] = read_sprite(file.parent, start.sprite)
            except Unread as error:
                fault = Fault(start.where, f"{quote(start.sprite)}: {error}")
                raise ScenarioError([Origins((), {MAP: file.name}).render(fault)]) from None
    return found


def _list_people(town: TiledTown) -> Iterator[Mapping[str, object]]:
    """Yield a person for each name in the map, who lives where the map first has it."""
    homes: dict[str, tuple[str, str]] = {}
    for sector in town.sectors:
        for arena in sector.arenas:
            for name in _list_names(arena, sector.place.keys.get("users")):
                homes.setdefault(fold(name), (name, arena.place.id))
    open_ = [a.place.id for s in town.sectors for a in s.arenas if "users" not in a.place.keys]
    if not homes:
        homes[""] = (_STRANGER, open_[0] if open_ else town.sectors[0].arenas[0].place.id)
    for name, home in homes.values():
        yield {"name": name, "persona": f"{name} lives in {home.split('/')[0]}", "home": home}


def _list_names(arena: ArenaDrawing, users: object) -> Iterator[str]:
    """Yield whom an arena names: who starts in it, may use what is in it, or may enter."""
    said: list[object] = [spawn.keys.get(PERSON) for spawn in arena.spawns]
    for found in (*(one.keys.get("users") for one in (*arena.objects, arena.place)), users):
        said += found if isinstance(found, list) else []
    yield from (name for name in said if isinstance(name, str) and fold(name) != _NOBODY)
