"""Towns drawn in Tiled, as scenario folders refer to them or import them.

With `map = "town.tmj"` in scenario.toml the map is read whenever the scenario is, so that editing
it and running again is all it takes. The scenario then holds what was drawn as the text of a
`map.grid`, so that it is complete in itself.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath

from genagents_env.errors import ScenarioError
from genagents_env.scenario.faults import Fault, Origins, quote
from genagents_env.scenario.files import TOTAL_LIMIT, Folder, Raw, Unread, read_bytes
from genagents_env.scenario.maps.tiled.file import read_map
from genagents_env.scenario.maps.tiled.merging import Merger
from genagents_env.scenario.maps.tiled.parts import TiledRefusal
from genagents_env.scenario.maps.tiled.places import PERSON, SPRITE, DrawnPlace
from genagents_env.scenario.maps.tiled.town import TiledTown, find_town
from genagents_env.scenario.sprites import read_sprite
from genagents_env.scenario.toml_text import format_toml
from genagents_env.text import fold

_MANY = 100  # faults of one map
_NOBODY = "nobody"
_STRANGER = "Alex Doe"  # lives in a town whose map names nobody
_START = datetime(2023, 2, 13)  # noqa: DTZ001 - town time has no zone
_HEAD = """\
# The town drawn in {file}, as `genagents map import-tiled` read it; its tiles are in map.grid.
# The people were named by the map, or made up so that there is somebody: say who they are.

"""


def attach_map(folder: Folder, path: Path) -> None:
    """Put the Tiled map that a scenario folder refers to, if any, into its data.

    Args:
        folder: what was read of it; `folder.tiled` is the file.
        path: of the folder.
    """
    name = folder.tiled
    if name is None:
        return
    folder.origins.keys["map"] = name
    town, faults, size = _read_town(path, name, TOTAL_LIMIT - folder.total)
    folder.total += size
    if town is not None:
        merger = Merger(PurePosixPath(name).parent)
        merger.merge(folder.raw, town)
        folder.origins.drawn, faults = merger.drawn, merger.faults
        folder.warnings += map(folder.origins.render, merger.warnings)
    folder.refuse(faults)
    if faults:
        folder.raw = {}  # without its places nothing else can be checked


def convert_map(file: Path, name: str) -> dict[str, str | bytes]:
    """Format the files of a scenario with the town of a Tiled map, independent of Tiled.

    Args:
        file: the map; its tilesets lie in its folder or below.
        name: of the scenario.

    Returns:
        The text of each file, by its name; of pictures their bytes.

    Raises:
        ScenarioError: the map has faults, which are listed.
    """
    town, faults, _ = _read_town(file.parent, file.name, TOTAL_LIMIT)
    raw: Raw = {}
    pictures: dict[str, str | bytes] = {}
    if town is not None:
        merger = Merger()
        raw["people"] = list(_list_people(town))
        merger.merge(raw, town)
        faults = merger.faults + _read_pictures(file.parent, town, pictures)
    if faults:
        raise ScenarioError([*map(Origins(keys={"map": file.name}).render, faults)])
    people, sectors, drawn = raw.pop("people"), raw.pop("sectors"), raw.pop("map")
    begin: Raw = {"name": name, "title": f"The town of {file.name}", "town": file.stem[:60]}
    text = format_toml(begin | raw | {"start": _START, "hours": 24, "sectors": sectors})
    return {
        "scenario.toml": _HEAD.format(file=file.name) + text,
        "people/residents.toml": format_toml({"people": people}),
        "map.grid": str(drawn),
        **pictures,
    }


def _read_town(folder: Path, name: str, limit: int) -> tuple[TiledTown | None, list[Fault], int]:
    """Read a Tiled file; return the town, None if it has faults, the faults, and bytes read.

    Args:
        folder: only files in it are opened.
        name: of the map, from the folder.
        limit: bytes that the map and its tilesets may have together.
    """
    root, size = folder.resolve(), 0

    def open_file(file: str) -> bytes:
        nonlocal size
        try:
            data = read_bytes(root, file, limit - size, "there is no such file")
        except Unread as error:
            raise TiledRefusal(str(error)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name is no path"
            raise TiledRefusal(f"cannot be read: {reason}") from None
        size += len(data)
        return data

    try:
        town, faults = find_town(read_map(name, open_file))
    except TiledRefusal as refusal:
        return None, [refusal.fault], size
    if len(faults) > _MANY:
        text = f"and {len(faults) - _MANY} more faults; mend the first ones"
        faults = [*faults[:_MANY], Fault(("map", "file"), text)]
    return town, faults, size


def _read_pictures(folder: Path, town: TiledTown, pictures: dict[str, str | bytes]) -> list[Fault]:
    """Read the pictures of people that a map names; return the faults of others."""
    faults = []
    for spawn in town.starts:
        file = spawn.keys.get(SPRITE)
        if file is not None:
            try:
                pictures[str(file)] = read_sprite(folder, str(file))
            except Unread as error:
                faults.append(Fault(spawn.where, f"{quote(file)}: {error}"))
    return faults


def _list_people(town: TiledTown) -> Iterator[Raw]:
    """Yield a person for each name in the map, who lives where the map first has it."""
    arenas = [(sector, arena) for sector in town.sectors for arena in sector.parts]
    homes: dict[str, tuple[str, str]] = {}
    for sector, arena in arenas:
        for name in _list_names(sector, arena):
            homes.setdefault(fold(name), (name, arena.id))
    if not homes:
        open_ = [arena.id for _, arena in arenas if "users" not in arena.keys]
        homes[""] = (_STRANGER, open_[0] if open_ else arenas[0][1].id)
    for name, home in homes.values():
        yield {"name": name, "persona": f"{name} lives in {home.split('/')[0]}", "home": home}


def _list_names(sector: DrawnPlace, arena: DrawnPlace) -> Iterator[str]:
    """Yield the people an arena names: those who start in it, use its things, or may enter."""
    names = [str(part.keys[PERSON]) for part in arena.parts if PERSON in part.keys]
    for place in (*(part for part in arena.parts if part.kind == "object"), arena, sector):
        users = place.keys.get("users")
        names += users if isinstance(users, list) else []
    yield from (name for name in names if fold(name) != _NOBODY)
