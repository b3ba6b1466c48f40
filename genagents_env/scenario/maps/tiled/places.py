"""Gather the pieces of a Tiled map into named places, with their keys and parts."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.faults import Fault, Loc, quote, suggest
from genagents_env.scenario.fields import NAME_LIMIT
from genagents_env.scenario.maps.drawn import Tile
from genagents_env.scenario.maps.tiled.parts import PropertyValue, TiledRefusal
from genagents_env.scenario.maps.tiled.pieces import MapPiece
from genagents_env.text import clean, fold

PART, SECTOR, ARENA, PERSON, SPRITE, NEXT = "part", "sector", "arena", "person", "sprite", "next."
OPEN_AIR = "open_air"
_SHARED = {"hours": list, "users": list, "capacity": int}
# The custom properties of each kind of place; a list is text with commas, or with an entry a line.
KEYS: Mapping[str, Mapping[str, type]] = {
    "collision": {},
    "sector": {**_SHARED, "common": bool, OPEN_AIR: bool, PART: bool},
    "arena": {**_SHARED, SECTOR: str, OPEN_AIR: bool, PART: bool},
    "object": {
        **dict.fromkeys(("states", "users", "lasting"), list),
        **dict.fromkeys((ARENA, "state", "sleep_state"), str),
        **dict.fromkeys(("free_text", "solid", PART), bool),
    },
    "spawn": {ARENA: str, PERSON: str, SPRITE: str},
    "door": {ARENA: str},
}
_WANTED = {list: "text", str: "text", bool: "true or false", int: "a whole number"}
_NOBODY = -1

KeyValue = str | float | bool | list[str] | dict[str, list[str]]
_Key = tuple[str, ...]  # the folded names of sector, arena, object: what is called alike is one


def read_keys(kind: str, properties: Mapping[str, PropertyValue]) -> dict[str, KeyValue]:
    """Read the properties of a place as keys of a scenario.

    Raises:
        TiledRefusal: one is unknown, or no such value.
    """
    keys: dict[str, KeyValue] = {}
    follows: dict[str, list[str]] = {}
    for name, value in properties.items():
        is_next = kind == "object" and name.startswith(NEXT)
        wanted = list if is_next else KEYS[kind].get(name)
        if wanted is None:
            raise TiledRefusal(f"property {quote(name)} is unknown; {suggest(name, [*KEYS[kind]])}")
        type_ = str if wanted is list else wanted
        if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
            text = f"property {quote(name)} is {quote(value, 30)}; {_WANTED[wanted]} is wanted"
            raise TiledRefusal(text)
        if is_next:
            follows[name.removeprefix(NEXT)] = split_list(str(value))
        else:
            keys[name] = split_list(str(value)) if wanted is list else value
    return {**keys, "next": follows} if follows else keys


def split_list(text: str) -> list[str]:
    """Return the entries of a list: one a line where there are lines, else between commas."""
    mark = "\n" if "\n" in text else ","
    return [part for entry in text.split(mark) if (part := entry.strip())]


@dataclass(slots=True, eq=False)
class DrawnPlace:
    """A sector, an arena, an object or a spawn, of one piece or of several.

    Attributes:
        kind: what it is.
        names: of the sector, the arena and itself.
        where: its place in the map.
        number: among those of its kind.
        tiles: in the order in which they were drawn.
        keys: what its properties say.
        wheres: the place in the map of each of `keys`.
        parts: what is in it: arenas, or objects and spawns.
    """

    kind: str
    names: tuple[str, ...]
    where: Loc
    number: int
    tiles: dict[Tile, None] = field(default_factory=dict)
    keys: dict[str, KeyValue] = field(default_factory=dict)
    wheres: dict[str, Loc] = field(default_factory=dict)
    parts: "list[DrawnPlace]" = field(default_factory=list)

    @property
    def id(self) -> str:
        """Return `sector/arena/object`; a sector whose arena bears its name stands once."""
        first, *rest = self.names
        rest = rest[1:] if rest and rest[0] == first else rest
        return "/".join((first, *rest))


class PlaceTable:
    """Gathers the pieces of one kind into places, and knows the place of each tile.

    Args:
        kind: what they are.
        shared: shape (height, width), true for tiles that several may cover, as rooms do the wall
            between them and the door in it; such a tile is the last one's.
    """

    def __init__(self, kind: str, shared: npt.NDArray[np.bool_]) -> None:
        self.kind, self.shared = kind, shared
        self.places: dict[_Key, DrawnPlace] = {}
        self.faults: list[Fault] = []
        self._owner: npt.NDArray[np.int32] = np.full(shared.shape, _NOBODY, np.int32)
        self._order: list[DrawnPlace] = []
        self._clashes: set[tuple[int, int]] = set()

    @property
    def is_owned(self) -> npt.NDArray[np.bool_]:
        """Which tiles belong to a place, shape (height, width)."""
        return np.asarray(self._owner != _NOBODY)

    def get_owner(self, tile: Tile) -> DrawnPlace | None:
        """Return the place that a tile belongs to."""
        index = int(self._owner[tile[1], tile[0]])
        return None if index == _NOBODY else self._order[index]

    def add(self, piece: MapPiece, parent: DrawnPlace | None, tiles: Iterable[Tile]) -> None:
        """Add a piece, or some tiles of it, that belongs to the place `parent`."""
        try:
            keys = read_keys(self.kind, piece.properties)
        except TiledRefusal as refusal:
            self.faults.append(Fault(piece.where, refusal.text))
            return
        apart = keys.pop(PART, False) or piece.painted
        keys = {key: value for key, value in keys.items() if key not in (SECTOR, ARENA)}
        names = (*(parent.names if parent else ()), clean(piece.name, NAME_LIMIT + 1))
        place, tiles = self.places.get(tuple(map(fold, names))), tuple(tiles)
        if place is None:
            place = self.begin(names, piece.where, parent)
        elif not apart and not _touch(place.tiles, tiles):
            text = f"a second {self.kind} {quote(names[-1])}, apart from the first; call it"
            text += f" otherwise, or give it the property {quote(PART)}, true, if they are one"
            self.faults.append(Fault(piece.where, text))
            return
        self._claim(place, piece.where, tiles)
        self._join(place, keys, piece.where)

    def add_inside(self, pieces: Iterable[MapPiece], around: "PlaceTable") -> None:
        """Add pieces, each to the place of the table `around` that it names or lies in."""
        ids = {fold(place.id): place for place in around.places.values()}
        for piece in pieces:
            named = piece.properties.get(around.kind)
            if isinstance(named, str) and named.strip():
                if fold(named) not in ids and around.kind == SECTOR:
                    names = (clean(named, NAME_LIMIT + 1),)
                    ids[fold(named)] = around.begin(names, piece.where, None)
                if fold(named) in ids:
                    self.add(piece, ids[fold(named)], piece.tiles)
                else:
                    text = f"no {around.kind} {quote(named)} is drawn; {suggest(named, [*ids])}"
                    self.faults.append(Fault(piece.where, text))
                continue
            for parent, tiles in _split(piece, around):
                if isinstance(parent, DrawnPlace):
                    self.add(piece, parent, tiles)
                else:
                    x, y = tiles[0]
                    text = f"it lies in {parent} {around.kind}, at tile {x}, {y}; draw it inside"
                    text += f" one, or say which by its property {quote(around.kind)}"
                    self.faults.append(Fault(piece.where, text))

    def begin(self, names: tuple[str, ...], where: Loc, parent: DrawnPlace | None) -> DrawnPlace:
        """Return a new place without tiles."""
        place = DrawnPlace(self.kind, names, where, len(self._order))
        self.places[tuple(map(fold, names))] = place
        self._order.append(place)
        if parent is not None:
            parent.parts.append(place)
        return place

    def _claim(self, place: DrawnPlace, where: Loc, tiles: tuple[Tile, ...]) -> None:
        for x, y in tiles:
            other = int(self._owner[y, x])
            if other in (_NOBODY, place.number) or self.shared[y, x]:
                self._owner[y, x] = place.number
                place.tiles[x, y] = None
            elif (other, place.number) not in self._clashes:
                self._clashes.add((other, place.number))
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


def _touch(some: Container[Tile], others: Iterable[Tile]) -> bool:
    """Return True if two sets of tiles overlap or lie side by side."""
    steps = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))
    return any((x + dx, y + dy) in some for x, y in others for dx, dy in steps)


def _split(
    piece: MapPiece, table: PlaceTable
) -> Iterator[tuple[DrawnPlace | str, tuple[Tile, ...]]]:
    """Yield the tiles of a piece by the place around them, or "no" or "more than one".

    A drawn shape lies in one place, by its unshared tiles; a painted one may lie in several.
    """
    sure = tuple(tile for tile in piece.tiles if not table.shared[tile[1], tile[0]])
    owners: dict[DrawnPlace | None, list[Tile]] = {}
    for tile in piece.tiles if piece.painted else sure or piece.tiles:
        owners.setdefault(table.get_owner(tile), []).append(tile)
    if piece.painted:
        for owner, tiles in owners.items():
            yield owner or "no", tuple(tiles)
    elif None in owners:
        yield "no", tuple(owners[None])
    elif len(owners) > 1:
        yield "more than one", piece.tiles
    else:
        yield from ((owner, piece.tiles) for owner in owners if owner is not None)
