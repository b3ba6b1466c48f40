"""A small town drawn in tiles: houses of one to three rooms and a green along a street.

Tiles are numbers until the town is written as text: GROUND, WALL, DOOR, or 1 + the room's number.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

GROUND, WALL, DOOR = 0, -1, -2
Tiles = npt.NDArray[np.int16]
_Side = tuple[int, int]  # first and last column of a room in its band
# How many rooms are at the front of a house and behind them, by the number of its rooms.
_BANDS = {1: ((1, 0),), 2: ((2, 0), (1, 1)), 3: ((3, 0), (2, 1), (1, 2))}
MOST_ROOMS = max(_BANDS)
_WIDTHS, _DEPTHS = (3, 5), (3, 4)  # tiles of a room
_EXTRA_DOOR = 0.25  # chance of a door that no room needs
_ONE_ROW = 5  # rooms that may lie along one side of the street


@dataclass(frozen=True, slots=True)
class Lot:
    """A house or a green: its tiles, the street at the bottom, and how many rooms it has."""

    tiles: Tiles
    rooms: int
    green: bool = False


def draw_house(rng: np.random.Generator, rooms: int) -> Lot:
    """Return a house of 1 to MOST_ROOMS rooms, each of which can be reached from the street."""
    front, back = _BANDS[rooms][rng.integers(len(_BANDS[rooms]))]
    width = sum(_draw(rng, _WIDTHS) + 1 for _ in range(max(front, back))) - 1
    depths = [_draw(rng, _DEPTHS) for count in (back, front) if count]
    tiles = np.full((sum(depths) + len(depths) + 1, width + 2), WALL, np.int16)
    bands: list[list[_Side]] = []
    number, bottom = 1, tiles.shape[0] - 1
    for count, depth in zip((front, back), reversed(depths), strict=False):
        band = _split(rng, width, count)
        for first, last in band:
            tiles[bottom - depth : bottom, first : last + 1] = number
            number += 1
        bands.append(band)
        bottom -= depth + 1
    _open_doors(rng, tiles, bands, depths[::-1])
    return Lot(tiles, rooms)


def draw_green(rng: np.random.Generator) -> Lot:
    """Return open ground with a name."""
    return Lot(np.full((_draw(rng, _DEPTHS), _draw(rng, _WIDTHS)), 1, np.int16), 1, green=True)


def join_lots(rng: np.random.Generator, lots: Sequence[Lot]) -> Tiles:
    """Return the town of these lots along one street, turned and mirrored by chance.

    Rooms are numbered on from lot to lot.
    """
    rows: list[list[Tiles]] = [[], []]
    few = sum(lot.rooms for lot in lots) <= _ONE_ROW
    sides = 1 if few and rng.integers(3) == 0 else 2
    widths, number = [0, 0], 0
    for lot in lots:
        side = min(range(sides), key=widths.__getitem__)
        tiles = np.where(lot.tiles > 0, lot.tiles + np.int16(number), lot.tiles)
        gap = int(rng.integers(3)) if rows[side] else 0
        rows[side] += [np.full((1, gap), GROUND, np.int16), tiles]
        widths[side] += gap + tiles.shape[1]
        number += lot.rooms
    upper, lower = (_align(row, max(widths)) for row in rows)
    street = np.full((_draw(rng, (1, 3)), max(widths)), GROUND, np.int16)
    town = np.pad(np.vstack([upper, street, lower[::-1]]), _draw(rng, (0, 1)))
    if rng.integers(2):
        town = town.T
    return town[:: _draw_sign(rng), :: _draw_sign(rng)]


def measure_walks(tiles: Tiles, starts: Sequence[tuple[int, int]]) -> npt.NDArray[np.int32]:
    """Count the steps between each two of these tiles, as (row, column); -1: no way."""
    free = np.pad(tiles != WALL, 1)
    reached = np.zeros((len(starts), *free.shape), np.bool_)
    rows, columns = np.array(starts).T + 1
    reached[range(len(starts)), rows, columns] = True
    walks = np.full((len(starts), len(starts)), -1, np.int32)
    steps = 0
    while True:
        here = reached[:, rows, columns]
        walks[here & (walks < 0)] = steps
        wider = reached.copy()
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider[:, :, 1:] |= reached[:, :, :-1]
        wider[:, :, :-1] |= reached[:, :, 1:]
        wider &= free
        if here.all() or (wider == reached).all():
            return walks
        reached, steps = wider, steps + 1


def _draw(rng: np.random.Generator, span: tuple[int, int]) -> int:
    return int(rng.integers(span[0], span[1] + 1))


def _draw_sign(rng: np.random.Generator) -> int:
    return 1 if rng.integers(2) else -1


def _split(rng: np.random.Generator, width: int, count: int) -> list[_Side]:
    """Return the columns of `count` rooms with walls between them; each has its least width."""
    spare = width - count * _WIDTHS[0] - (count - 1)
    cuts = np.sort(rng.integers(spare + 1, size=count - 1)).tolist()
    sides, first = [], 1
    for more, before in zip([*cuts, spare], [0, *cuts], strict=True):
        last = first + _WIDTHS[0] + more - before - 1
        sides.append((first, last))
        first = last + 2
    return sides


def _open_doors(
    rng: np.random.Generator, tiles: Tiles, bands: list[list[_Side]], depths: list[int]
) -> None:
    """Open doors in a random order: those that make a room reachable, and some others."""
    chances = _list_doors(rng, tiles.shape[0], bands, depths)
    joined = list(range(sum(map(len, bands)) + 1))  # by room; 0 is the street
    for index in rng.permutation(len(chances)):
        (first, other), tile = chances[index]
        if join(joined, first, other) or rng.random() < _EXTRA_DOOR:
            tiles[tile] = DOOR


def join(joined: list[int], first: int, other: int) -> bool:
    """Let two rooms be of one group; return True if they were not. `joined`: the group of each."""
    before, after = joined[first], joined[other]
    joined[:] = [after if group == before else group for group in joined]
    return before != after


def _list_doors(
    rng: np.random.Generator, height: int, bands: list[list[_Side]], depths: list[int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """List the possible doors between two rooms, or a room and the street: the two, the tile."""
    doors = []
    number, bottom = 1, height - 1
    for level, (band, depth) in enumerate(zip(bands, depths, strict=True)):
        for i, (first, last) in enumerate(band):
            if level == 0:
                doors.append(((0, number), (bottom, _draw(rng, (first, last)))))
            for j, (left, right) in enumerate(bands[level - 1] if level else ()):
                if (low := max(first, left)) <= (high := min(last, right)):
                    doors.append(((j + 1, number), (bottom, _draw(rng, (low, high)))))
            if i:
                row = bottom - _draw(rng, (1, depth))
                doors.append(((number - 1, number), (row, first - 1)))
            number += 1
        bottom -= depth + 1
    return doors


def _align(row: list[Tiles], width: int) -> Tiles:
    """Return a row of lots that stand on the street at the bottom."""
    height = max((tiles.shape[0] for tiles in row), default=0)
    out = np.full((height, width), GROUND, np.int16)
    left = 0
    for tiles in row:
        if tiles.size:
            out[height - tiles.shape[0] :, left : left + tiles.shape[1]] = tiles
        left += tiles.shape[1]
    return out
