"""Scenario folders that refer to a Tiled file: `map = "town.tmj"` in scenario.toml.

The map is read whenever the scenario is, so that editing it and running again is all it takes. The
scenario then holds what was drawn as the text of a `map.grid`, so that it is complete in itself.
"""

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from genagents_env.scenario.faults import Fault, Loc
from genagents_env.scenario.files import TOTAL_LIMIT, Folder, Raw, Unread, read_bytes
from genagents_env.scenario.grid_file import format_grid
from genagents_env.scenario.schema import MAP_LIMIT
from genagents_env.scenario.tiled.merging import Merger
from genagents_env.scenario.tiled.reader import read_document
from genagents_env.scenario.tiled.refusal import MAP, TiledRefusal, locate
from genagents_env.scenario.tiled.town_map import TiledTown, read_town


def attach_map(folder: Folder, path: Path) -> None:
    """Put the Tiled map that a scenario folder refers to, if any, into its data.

    Args:
        folder: what was read of it; `folder.tiled` is the file.
        path: of the folder.
    """
    name = folder.tiled
    if name is None:
        return
    folder.keys[MAP] = name

    def count(size: int) -> None:
        folder.total += size

    town, faults = read_map_file(path, name, TOTAL_LIMIT - folder.total, count)
    if town is not None:
        merger = Merger(PurePosixPath(name).parent)
        faults = merge_map(folder.raw, town, merger)
        folder.drawn = merger.drawn
        folder.warnings += map(folder.origins.render, merger.warnings)
    folder.faults += [folder.origins.render(fault) for fault in faults]
    if faults:
        folder.raw = {}  # without its places nothing else can be checked


def merge_map(raw: Raw, town: TiledTown, merger: Merger) -> list[Fault]:
    """Put a drawn town into the data of a scenario; return what does not fit together."""
    merger.merge(raw, town)
    if not merger.faults:
        drawn = town.drawn
        raw[MAP] = text = format_grid(merger.rename(drawn))
        merger.drawn |= _find_lines(text, town)
        if len(text) > MAP_LIMIT:
            much = f"its places take {len(text)} characters as a map.grid"
            what = f"{much}; at most {MAP_LIMIT} are allowed: draw them fewer or plainer"
            return [Fault(locate("file"), what)]
    return merger.faults


def read_map_file(
    folder: Path, name: str, limit: int, count: Callable[[int], None] = lambda size: None
) -> tuple[TiledTown | None, list[Fault]]:
    """Return the town drawn in a Tiled file, None where it cannot be known, and all faults.

    Args:
        folder: only files in it are opened.
        name: of the map, from the folder.
        limit: bytes that the map and its tilesets may have together.
        count: told of each file how many it has.
    """
    root, rest = folder.resolve(), limit

    def open_file(file: str) -> bytes:
        nonlocal rest
        where = "file" if file == name else f"file {file}"
        try:
            path = (root / file).resolve()
            if path.is_relative_to(root) and not path.exists():
                raise TiledRefusal("there is no such file", where)
            data = read_bytes(root, file, rest)
        except Unread as error:
            raise TiledRefusal(str(error), where) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name is no path"
            raise TiledRefusal(f"cannot be read: {reason}", where) from None
        rest -= len(data)
        count(len(data))
        return data

    try:
        return read_town(read_document(name, open_file))
    except TiledRefusal as error:
        return None, [error.fault]


def _find_lines(text: str, town: TiledTown) -> dict[Loc, Loc]:
    """Return for lines of a `map.grid` the place in the Tiled map from which each came."""
    parts = {
        "objects": [one.where for one in town.drawn.objects],
        "spawns": [one.where for one in town.drawn.spawns],
    }
    found: dict[Loc, Loc] = {}
    section, index = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        head = re.fullmatch(r"\[(.+)\]", line)
        if head is not None:
            section, index = head[1], 0
        elif section in parts and line:
            found[MAP, f"line {number}"] = parts[section][index]
            index += 1
    return found
