"""The town that a Tiled map shows, with the keys of its places and people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Fault, quote, suggest
from genagents_env.scenario.maps.ascii import open_doors
from genagents_env.scenario.maps.drawn import (
    GROUND,
    DrawnMap,
    DrawnObject,
    DrawnSpawn,
    Grid,
    Tile,
)
from genagents_env.scenario.maps.tiled.file import TiledMap
from genagents_env.scenario.maps.tiled.parts import TiledRefusal
from genagents_env.scenario.maps.tiled.pieces import KINDS, MapPiece, find_pieces
from genagents_env.scenario.maps.tiled.places import (
    ARENA,
    OPEN_AIR,
    PERSON,
    SPRITE,
    DrawnPlace,
    PlaceTable,
    read_keys,
)
from genagents_env.text import fold

_MAP_KEYS = ("town", "outside")
_FILE = ("map", "file")


@dataclass(slots=True)
class TiledTown:
    """A town drawn in Tiled.

    Attributes:
        drawn: the map.
        sectors: with their parts, in the order in which they were drawn.
        starts: the spawns that say who starts there, each of another person.
        keys: keys of the scenario that the map's own properties give.
    """

    drawn: DrawnMap
    sectors: list[DrawnPlace]
    starts: list[DrawnPlace]
    keys: dict[str, str] = field(default_factory=dict)


class _Tables(NamedTuple):
    sectors: PlaceTable
    arenas: PlaceTable
    objects: PlaceTable
    spawns: PlaceTable


def find_town(drawn: TiledMap) -> tuple[TiledTown | None, list[Fault]]:
    """Return the town of a map, None if it has faults, and the faults."""
    pieces, faults = find_pieces(drawn)
    if any(len(fault.loc) == len(_FILE) for fault in faults):
        return None, faults  # without a whole layer nothing else is where it belongs
    by_kind = {kind: [piece for piece in pieces if piece.kind == kind] for kind in KINDS}
    closed = np.zeros((drawn.height, drawn.width), np.bool_)
    _mark(closed, (tile for piece in by_kind["collision"] for tile in piece.tiles))
    doors = tuple(dict.fromkeys(tile for piece in by_kind["door"] for tile in piece.tiles))
    shared = closed.copy()
    _mark(shared, doors)
    _mark(closed, doors, False)
    tables = _gather(by_kind, shared)
    faults += [fault for table in tables for fault in table.faults]
    faults += _find_empty(tables, closed)
    grid, places = _number_places(tables, closed, doors)
    faults += _assign_doors(grid, places, by_kind["door"], tables.arenas)
    starts, misnamed = _find_starts(tables.spawns)
    faults += misnamed
    if faults:
        return None, faults
    keys = {key: str(value) for key in _MAP_KEYS if (value := drawn.properties.get(key))}
    sectors = list(tables.sectors.places.values())
    grid.doors = list(doors)
    return TiledTown(_draw(tables, grid, places), sectors, starts, keys), []


def _gather(pieces: dict[str, list[MapPiece]], shared: npt.NDArray[np.bool_]) -> _Tables:
    none = np.zeros_like(shared)
    sectors, arenas = PlaceTable("sector", shared), PlaceTable("arena", shared)
    objects, spawns = PlaceTable("object", none), PlaceTable("spawn", none)
    for piece in pieces["sector"]:
        sectors.add(piece, None, piece.tiles)
    arenas.add_inside(pieces["arena"], sectors)
    _fill_sectors(sectors, arenas)
    objects.add_inside(pieces["object"], arenas)
    named = (  # as drawn, or after the person who starts there
        piece if piece.name else replace(piece, name=str(piece.properties.get(PERSON, "")))
        for piece in pieces["spawn"]
    )
    spawns.add_inside(named, arenas)
    return _Tables(sectors, arenas, objects, spawns)


def _fill_sectors(sectors: PlaceTable, arenas: PlaceTable) -> None:
    """Make each sector without an arena one arena of its name."""
    for sector in sectors.places.values():
        open_air = sector.keys.pop(OPEN_AIR, None)
        if not sector.parts:
            keys = {} if open_air is None else {OPEN_AIR: open_air is True}
            tiles = tuple(sector.tiles)
            piece = MapPiece("arena", sector.names[0], tiles, keys, sector.where, painted=True)
            arenas.add(piece, sector, tiles)
        elif open_air is not None:
            text = f"property {quote(OPEN_AIR)} of a sector that has arenas; give it to them"
            sectors.faults.append(Fault(sector.wheres[OPEN_AIR], text))


def _find_empty(tables: _Tables, closed: npt.NDArray[np.bool_]) -> Iterator[Fault]:
    if closed.all():
        text = "no tile is left on which one can stand; take some of layer collisions away"
        yield Fault(_FILE, text)
        return
    if not tables.arenas.places and not tables.arenas.faults and not tables.sectors.faults:
        yield Fault(_FILE, 'no sector is drawn; draw one in an object layer called "sectors"')
    for arena in tables.arenas.places.values():
        if all(closed[y, x] for x, y in arena.tiles):
            text = f"all tiles of {quote(arena.id)} are closed by layer collisions; open some"
            yield Fault(arena.where, text)
    for spawn in tables.spawns.places.values():
        if len(spawn.tiles) > 1:
            text = f"{quote(spawn.id)} covers {len(spawn.tiles)} tiles; a spawn is one, or a point"
            yield Fault(spawn.where, text)


def _number_places(
    tables: _Tables, closed: npt.NDArray[np.bool_], doors: Iterable[Tile]
) -> tuple[Grid, tuple[str, ...]]:
    """Return the place of every tile: an arena, or else the ground of its sector.

    Doors that no arena covers are not given to any yet.
    Sectors have the lower numbers, so that a door between a room and a corridor is the room's.
    """
    ids: dict[str, int] = {}
    grid = Grid(closed, np.zeros(closed.shape, np.int32))
    inside = tables.arenas.is_owned
    _mark(inside, doors)
    for table in (tables.sectors, tables.arenas):
        taken = closed | inside if table is tables.sectors else closed
        for place in table.places.values():
            free = [
                (x, y)
                for x, y in place.tiles
                if not taken[y, x] and table.get_owner((x, y)) is place
            ]
            for x, y in free:
                grid.arena[y, x] = ids.setdefault(place.id, len(ids) + 1)
    return grid, tuple(ids)


def _assign_doors(
    grid: Grid, places: tuple[str, ...], pieces: Iterable[MapPiece], arenas: PlaceTable
) -> Iterator[Fault]:
    """Give each door to the place that it names or the arena that covers it, else to one beside.

    A door whose property names an empty text belongs to no place.
    """
    numbers = {"": GROUND, **{fold(id_): number for number, id_ in enumerate(places, 1)}}
    beside: list[Tile] = []
    for piece in pieces:
        try:
            named = read_keys("door", piece.properties).get(ARENA)
        except TiledRefusal as refusal:
            yield Fault(piece.where, refusal.text)
            continue
        if named is None:
            beside += [tile for tile in piece.tiles if arenas.get_owner(tile) is None]
        elif fold(str(named)) in numbers:
            for x, y in piece.tiles:
                grid.arena[y, x] = numbers[fold(str(named))]
        else:
            text = f"no place {quote(named)} is drawn; {suggest(str(named), places)}"
            yield Fault(piece.where, text)
    open_doors(grid, beside)


def _find_starts(spawns: PlaceTable) -> tuple[list[DrawnPlace], list[Fault]]:
    """Return the spawns that name a person, each another, and the faults of others."""
    starts: dict[str, DrawnPlace] = {}
    faults = []
    for spawn in spawns.places.values():
        person = spawn.keys.get(PERSON)
        if person is None and SPRITE in spawn.keys:
            text = f"property {quote(SPRITE)} without {quote(PERSON)}; say whose picture it is"
            faults.append(Fault(spawn.where, text))
        elif person is not None and fold(str(person)) in starts:
            faults.append(Fault(spawn.where, f"a second spawn of {quote(person)}; one is allowed"))
        elif person is not None:
            starts[fold(str(person))] = spawn
    return list(starts.values()), faults


def _draw(tables: _Tables, grid: Grid, places: tuple[str, ...]) -> DrawnMap:
    objects, spawns = tables.objects.places.values(), tables.spawns.places.values()
    return DrawnMap(
        grid,
        places,
        tuple(DrawnObject(o.id, tuple(o.tiles), o.where) for o in objects),
        tuple(DrawnSpawn(s.id, next(iter(s.tiles)), s.where) for s in spawns),
    )


def _mark(layer: npt.NDArray[np.bool_], tiles: Iterable[Tile], value: bool = True) -> None:
    for x, y in tiles:
        layer[y, x] = value
