"""From the pieces of a Tiled map to places with names: whose part is what, and no two overlap."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Fault, Loc, quote, suggest
from genagents_env.scenario.fields import NAME_LIMIT
from genagents_env.scenario.grid import Tile
from genagents_env.scenario.tiled.pieces import MapPiece
from genagents_env.scenario.tiled.place_keys import ARENA, PART, SECTOR, KeyValue, read_keys
from genagents_env.scenario.tiled.refusal import TiledRefusal
from genagents_env.text import clean, fold

Key = tuple[str, ...]  # the folded names of sector, arena, object: what is called alike is one
NOBODY = -1


@dataclass(slots=True, eq=False)
class DrawnPlace:
    """A sector, an arena, an object or a spawn, of one piece or of several.

    `names`: of the sector, the arena and itself. `number`: among those of its kind. `wheres`: the
    place in the map of each of `keys`; `where` that of the whole.
    """

    names: tuple[str, ...]
    where: Loc
    number: int
    tiles: dict[Tile, None] = field(default_factory=dict)
    keys: dict[str, KeyValue] = field(default_factory=dict)
    wheres: dict[str, Loc] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Return `sector/arena/object`; a sector whose arena bears its name stands once."""
        first, *rest = self.names
        rest = rest[1:] if rest and rest[0] == first else rest
        return "/".join((first, *rest))


class PlaceTable:
    """Gathers the pieces of one kind into places, and says to which of them each tile belongs.

    Args:
        kind: what they are.
        shared: shape (height, width), true for tiles that several may cover, as rooms do the wall
            between them and the door in it; such a tile is the last one's.
    """

    def __init__(self, kind: str, shared: npt.NDArray[np.bool_]) -> None:
        self.kind, self.shared = kind, shared
        self.places: dict[Key, DrawnPlace] = {}
        self.faults: list[Fault] = []
        self.owner: npt.NDArray[np.int32] = np.full(shared.shape, NOBODY, np.int32)
        self._order: list[DrawnPlace] = []
        self._clashes: set[tuple[int, int]] = set()

    def get_owner(self, tile: Tile) -> DrawnPlace | None:
        """Return the place that a tile belongs to."""
        index = int(self.owner[tile[1], tile[0]])
        return None if index == NOBODY else self._order[index]

    def group(self, tiles: Iterable[Tile]) -> list[tuple[DrawnPlace | None, list[Tile]]]:
        """Return tiles by the places that they belong to."""
        found: dict[int, list[Tile]] = {}
        for x, y in tiles:
            found.setdefault(int(self.owner[y, x]), []).append((x, y))
        return [
            (None if index == NOBODY else self._order[index], part) for index, part in found.items()
        ]

    def add(self, piece: MapPiece, parents: tuple[str, ...], tiles: Iterable[Tile]) -> None:
        """Add a piece that belongs to the places called `parents`."""
        try:
            keys = read_keys(self.kind, piece.properties)
        except TiledRefusal as error:
            self.faults.append(Fault(piece.where, error.text))
            return
        apart = keys.pop(PART, False) or piece.painted
        keys = {key: value for key, value in keys.items() if key not in (SECTOR, ARENA)}
        names = (*parents, clean(piece.name, NAME_LIMIT + 1))
        key, tiles = tuple(map(fold, names)), tuple(tiles)
        place = self.places.get(key)
        if place is None:
            place = self.begin(names, piece.where)
        elif not apart and not touch(place.tiles, tiles):
            text = f"a second {self.kind} {quote(names[-1])}, apart from the first; call it"
            text += f" otherwise, or give it the property {quote(PART)}, true, if they are one"
            self.faults.append(Fault(piece.where, text))
            return
        self._claim(place, piece.where, tiles)
        self._join(place, keys, piece.where)

    def begin(self, names: tuple[str, ...], where: Loc) -> DrawnPlace:
        """Return a new place without tiles."""
        place = DrawnPlace(names, where, len(self._order))
        self.places[tuple(map(fold, names))] = place
        self._order.append(place)
        return place

    def _claim(self, place: DrawnPlace, where: Loc, tiles: tuple[Tile, ...]) -> None:
        index = place.number
        for x, y in tiles:
            other = int(self.owner[y, x])
            if other in (NOBODY, index) or self.shared[y, x]:
                self.owner[y, x] = index
                place.tiles[x, y] = None
            elif (other, index) not in self._clashes:
                self._clashes.add((other, index))
                text = f"{quote(place.id)} and {quote(self._order[other].id)} overlap at tile"
                self.faults.append(Fault(where, f"{text} {x}, {y}; a tile belongs to one"))

    def _join(self, place: DrawnPlace, keys: dict[str, KeyValue], where: Loc) -> None:
        for key, value in keys.items():
            if key in place.keys and place.keys[key] != value:
                text = f"{quote(key)} of {quote(place.id)} is said twice, and not alike"
                self.faults.append(Fault(where, f"{text}; say it on one piece"))
            else:
                place.keys[key] = value
                place.wheres.setdefault(key, where)


def touch(some: Container[Tile], others: Iterable[Tile]) -> bool:
    """Return whether two sets of tiles overlap or lie side by side."""
    steps = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))
    return any((x + dx, y + dy) in some for x, y in others for dx, dy in steps)


def add_sectors(table: PlaceTable, pieces: Iterable[MapPiece]) -> None:
    """Add the sectors that are drawn."""
    for piece in pieces:
        table.add(piece, (), piece.tiles)


def add_arenas(table: PlaceTable, pieces: Iterable[MapPiece], sectors: PlaceTable) -> None:
    """Add the arenas that are drawn, each to the sector that it names or lies in."""
    for piece in pieces:
        named = piece.properties.get(SECTOR)
        if isinstance(named, str) and named.strip():
            names = (clean(named, NAME_LIMIT + 1),)
            known = sectors.places.get((fold(names[0]),)) or sectors.begin(names, piece.where)
            table.add(piece, known.names, piece.tiles)
            continue
        for parent, tiles in _split(piece, sectors):
            if isinstance(parent, DrawnPlace):
                table.add(piece, parent.names, tiles)
            else:
                how = f"draw one around it, or say which by its property {quote(SECTOR)}"
                table.faults.append(Fault(piece.where, f"it lies in {parent} sector; {how}"))


def add_things(table: PlaceTable, pieces: Iterable[MapPiece], arenas: PlaceTable) -> None:
    """Add objects or spawns, each to the arena that it names or lies in."""
    ids = {fold(place.id): place for place in arenas.places.values()}
    for piece in pieces:
        named = piece.properties.get(ARENA)
        if isinstance(named, str) and named.strip():
            place = ids.get(fold(named))
            if place is None:
                text = f"no arena {quote(named)} is drawn; {suggest(named, [*ids])}"
                table.faults.append(Fault(piece.where, text))
            else:
                table.add(piece, place.names, piece.tiles)
            continue
        for parent, tiles in _split(piece, arenas):
            if isinstance(parent, DrawnPlace):
                table.add(piece, parent.names, tiles)
            else:
                x, y = next(iter(tiles))
                how = f"put it into one, or say which by its property {quote(ARENA)}"
                text = f"it lies in {parent} arena, at tile {x}, {y}; {how}"
                table.faults.append(Fault(piece.where, text))


def _split(piece: MapPiece, table: PlaceTable) -> Iterator[tuple[DrawnPlace | str, Iterable[Tile]]]:
    """Yield the tiles of a piece by the place that they lie in, or in how many it lies.

    A drawn shape lies in one, and its tiles that nobody can share decide in which; what is painted
    may be in several, a part of it in each.
    """
    sure = [tile for tile in piece.tiles if not table.shared[tile[1], tile[0]]] or [*piece.tiles]
    owners = table.group(piece.tiles if piece.painted else sure)
    if piece.painted:
        for owner, tiles in owners:
            yield ("no" if owner is None else owner), tiles
    elif len(owners) == 1:
        owner = owners[0][0]
        yield ("no" if owner is None else owner), piece.tiles
    else:
        outside = next((tiles for owner, tiles in owners if owner is None), None)
        yield ("more than one" if outside is None else "no"), outside or piece.tiles
