"""A town drawn in Tiled, as the map and the sectors of a scenario."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.ascii_map import open_doors
from genagents_env.scenario.drawn_map import GROUND, DrawnMap, DrawnObject, DrawnSpawn
from genagents_env.scenario.faults import Fault, Loc, quote, suggest
from genagents_env.scenario.fields import NAME_LIMIT
from genagents_env.scenario.grid import Grid, Tile
from genagents_env.scenario.tiled.document import TiledDocument
from genagents_env.scenario.tiled.pieces import MapPiece, find_pieces
from genagents_env.scenario.tiled.place_keys import (
    ARENA,
    OPEN_AIR,
    PERSON,
    SPRITE,
    read_keys,
)
from genagents_env.scenario.tiled.places import (
    NOBODY,
    DrawnPlace,
    PlaceTable,
    add_arenas,
    add_sectors,
    add_things,
)
from genagents_env.scenario.tiled.refusal import TiledRefusal, locate
from genagents_env.text import clean, fold

MAP_KEYS = ("town", "outside")
_MANY = 100  # faults of one map
_OUTSIDE = ""  # what a door says that belongs to no place
Bools = npt.NDArray[np.bool_]


@dataclass(slots=True)
class TiledTown:
    """What a Tiled map says.

    Attributes:
        drawn: where everything is.
        sectors: with their arenas and objects, in the order in which they were drawn.
        starts: who starts where.
        keys: of the scenario that the map's own properties give, of `MAP_KEYS`.
    """

    drawn: DrawnMap
    sectors: "list[SectorDrawing]"
    starts: "tuple[PersonStart, ...]" = ()
    keys: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PersonStart:
    """Where the map, at `where`, says that a person starts; `sprite`: the file of their picture."""

    person: str
    spawn: str
    sprite: str | None
    where: Loc


@dataclass(slots=True)
class ArenaDrawing:
    """An arena of a Tiled map, and what is in it."""

    place: DrawnPlace
    objects: list[DrawnPlace] = field(default_factory=list)
    spawns: list[DrawnPlace] = field(default_factory=list)


@dataclass(slots=True)
class SectorDrawing:
    """A sector of a Tiled map, with its arenas."""

    place: DrawnPlace
    arenas: list[ArenaDrawing] = field(default_factory=list)


def read_town(document: TiledDocument) -> tuple[TiledTown | None, list[Fault]]:
    """Return the town that the layers of a map show, None where it cannot be known, and faults."""
    town, faults = _read_town(document)
    if len(faults) > _MANY:
        more = Fault(locate("file"), f"and {len(faults) - _MANY} more faults; mend the first ones")
        faults = [*faults[:_MANY], more]
    return town, faults


def _read_town(document: TiledDocument) -> tuple[TiledTown | None, list[Fault]]:
    pieces, faults = find_pieces(document)
    if any(len(fault.loc) == len(locate("layer")) for fault in faults):
        return None, faults  # without a whole layer nothing else is where it belongs
    closed = np.zeros((document.height, document.width), np.bool_)
    doors = dict.fromkeys(tile for piece in _pick(pieces, "door") for tile in piece.tiles)
    for piece in _pick(pieces, "collision"):
        _mark(closed, piece.tiles)
    shared = closed.copy()
    _mark(shared, doors)
    _mark(closed, doors, False)
    tables = _gather(pieces, shared)
    faults += [fault for table in tables for fault in table.faults]
    faults += _find_empty(tables, closed)
    grid, places = _number_places(tables, closed, doors)
    faults += _assign_doors(grid, places, _pick(pieces, "door"), tables.arenas)
    starts, doubled = _find_starts(tables.spawns)
    faults += doubled
    if faults:
        return None, faults
    said = {key: str(document.properties.get(key, "")) for key in MAP_KEYS}
    keys = {key: value for key, value in said.items() if value}
    return TiledTown(_draw(tables, grid, places, doors), _nest(tables), starts, keys), []


class _Tables(NamedTuple):
    sectors: PlaceTable
    arenas: PlaceTable
    objects: PlaceTable
    spawns: PlaceTable


def _gather(pieces: list[MapPiece], shared: Bools) -> _Tables:
    none = np.zeros_like(shared)
    sectors, arenas = PlaceTable("sector", shared), PlaceTable("arena", shared)
    objects, spawns = PlaceTable("object", none), PlaceTable("spawn", none)
    add_sectors(sectors, _pick(pieces, "sector"))
    add_arenas(arenas, _pick(pieces, "arena"), sectors)
    _fill_sectors(sectors, arenas)
    add_things(objects, _pick(pieces, "object"), arenas)
    add_things(spawns, map(_name_spawn, _pick(pieces, "spawn")), arenas)
    return _Tables(sectors, arenas, objects, spawns)


def _fill_sectors(sectors: PlaceTable, arenas: PlaceTable) -> None:
    """Make each sector without an arena one arena of its name."""
    filled = {key[0] for key in arenas.places}
    for (key,), sector in sectors.places.items():
        open_air = sector.keys.pop(OPEN_AIR, None)
        if key not in filled:
            keys = {} if open_air is None else {OPEN_AIR: open_air is True}
            piece = MapPiece(
                "arena", sector.names[0], tuple(sector.tiles), keys, sector.where, True
            )
            arenas.add(piece, sector.names, piece.tiles)
        elif open_air is not None:
            text = f"property {quote(OPEN_AIR)} of a sector that has arenas; give it to them"
            sectors.faults.append(Fault(sector.wheres[OPEN_AIR], text))


def _name_spawn(piece: MapPiece) -> MapPiece:
    """Return a spawn with the name that it has, or that of the person who starts there."""
    return piece if piece.name else replace(piece, name=str(piece.properties.get(PERSON, "")))


def _find_empty(tables: _Tables, closed: Bools) -> Iterator[Fault]:
    if closed.all():
        text = "no tile is left on which one can stand; take some of layer collisions away"
        yield Fault(locate("file"), text)
        return
    if not tables.arenas.places and not tables.arenas.faults and not tables.sectors.faults:
        text = 'no sector is drawn; draw one in an object layer called "sectors"'
        yield Fault(locate("file"), text)
    for arena in tables.arenas.places.values():
        if all(closed[y, x] for x, y in arena.tiles):
            text = f"all tiles of {quote(arena.id)} are closed by layer collisions; open some"
            yield Fault(arena.where, text)
    for spawn in tables.spawns.places.values():
        if len(spawn.tiles) > 1:
            text = f"{quote(spawn.id)} covers {len(spawn.tiles)} tiles; a spawn is one, or a point"
            yield Fault(spawn.where, text)


def _number_places(
    tables: _Tables, closed: Bools, doors: Iterable[Tile]
) -> tuple[Grid, tuple[str, ...]]:
    """Return the place of every tile: an arena, or else the ground of its sector.

    Doors that no arena covers are not given to any yet.
    Sectors have the lower numbers, so that a door between a room and a corridor is the room's.
    """
    ids: dict[str, int] = {}
    grid = Grid(closed, np.zeros(closed.shape, np.int16))
    inside = tables.arenas.owner != NOBODY
    _mark(inside, doors)
    for table in (tables.sectors, tables.arenas):
        for place in table.places.values():
            mine = [(x, y) for x, y in place.tiles if table.get_owner((x, y)) is place]
            ground = [(x, y) for x, y in mine if not closed[y, x]]
            if table is tables.sectors:
                ground = [(x, y) for x, y in ground if not inside[y, x]]
            if ground:
                number = ids.setdefault(place.id, len(ids) + 1)
                for x, y in ground:
                    grid.arena[y, x] = number
    return grid, tuple(ids)


def _assign_doors(
    grid: Grid, places: tuple[str, ...], pieces: Iterable[MapPiece], arenas: PlaceTable
) -> Iterator[Fault]:
    """Give each door to the arena that it names or that covers it, else to a place beside it."""
    numbers = {fold(id_): number for number, id_ in enumerate(places, 1)}
    beside: list[Tile] = []
    for piece in pieces:
        try:
            named = read_keys("door", piece.properties).get(ARENA)
        except TiledRefusal as error:
            yield Fault(piece.where, error.text)
            continue
        if named is None:
            beside += [tile for tile in piece.tiles if arenas.get_owner(tile) is None]
        elif fold(str(named)) in (*numbers, _OUTSIDE):
            for x, y in piece.tiles:
                grid.arena[y, x] = numbers.get(fold(str(named)), GROUND)
        else:
            text = f"no place {quote(named)} is drawn; {suggest(str(named), places)}"
            yield Fault(piece.where, text)
    open_doors(grid, beside)


def _find_starts(spawns: PlaceTable) -> tuple[tuple[PersonStart, ...], list[Fault]]:
    """Return where people start by the map; nobody starts twice, and a picture is somebody's."""
    starts: dict[str, PersonStart] = {}
    faults = []
    for spawn in spawns.places.values():
        person, sprite = spawn.keys.get(PERSON), spawn.keys.get(SPRITE)
        if person is None and sprite is not None:
            text = f"property {quote(SPRITE)} without {quote(PERSON)}; say whose picture it is"
            faults.append(Fault(spawn.where, text))
        elif person is not None and fold(str(person)) in starts:
            faults.append(Fault(spawn.where, f"a second spawn of {quote(person)}; one is allowed"))
        elif person is not None:
            name, file = clean(str(person), NAME_LIMIT + 1), None if sprite is None else str(sprite)
            starts[fold(name)] = PersonStart(name, spawn.id, file, spawn.where)
    return tuple(starts.values()), faults


def _draw(tables: _Tables, grid: Grid, places: tuple[str, ...], doors: Iterable[Tile]) -> DrawnMap:
    objects, spawns = tables.objects.places.values(), tables.spawns.places.values()
    return DrawnMap(
        closed=grid.blocked,
        place=grid.arena.astype(np.int32),
        places=places,
        objects=tuple(DrawnObject(one.id, tuple(one.tiles), one.where) for one in objects),
        doors=tuple(doors),
        spawns=tuple(DrawnSpawn(one.id, next(iter(one.tiles)), one.where) for one in spawns),
    )


def _nest(tables: _Tables) -> list[SectorDrawing]:
    """Return the sectors with their arenas, and these with what is in them."""
    sectors = {key: SectorDrawing(place) for key, place in tables.sectors.places.items()}
    arenas: dict[tuple[str, ...], ArenaDrawing] = {}
    for key, place in tables.arenas.places.items():
        arenas[key] = ArenaDrawing(place)
        sectors[key[:1]].arenas.append(arenas[key])
    for key, place in tables.objects.places.items():
        arenas[key[:2]].objects.append(place)
    for key, place in tables.spawns.places.items():
        arenas[key[:2]].spawns.append(place)
    return list(sectors.values())


def _pick(pieces: list[MapPiece], kind: str) -> Iterator[MapPiece]:
    return (piece for piece in pieces if piece.kind == kind)


def _mark(layer: Bools, tiles: Iterable[Tile], value: bool = True) -> None:
    for x, y in tiles:
        layer[y, x] = value
