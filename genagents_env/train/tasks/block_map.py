"""A block drawn in tiles: one large building of wings and rooms, cut out of a rectangle.

The other kind of map beside `street_map`: rooms lie wall to wall, most are reached through others,
and ways lead round. What was learned along streets has to hold here, too.
"""

import numpy as np

from genagents_env.train.tasks.street_map import DOOR, GROUND, WALL, Lot, Tiles, join

ROOMS = (9, 12)
_SIDES = ((21, 29), (15, 21))  # tiles across and down, walls left out
_LEAST = 3  # tiles of a room, across and down
_WINGS = (2, 4)
_EXTRA_DOOR = 0.3  # chance of a door that no room needs
_STREET = 2  # tiles of open ground around
_Room = tuple[int, int, int, int]  # first and last row, first and last column


def draw_block(rng: np.random.Generator, rooms: int) -> tuple[list[Lot], Tiles]:
    """Return the wings and the tiles of a block of `rooms` rooms, numbered on from wing to wing."""
    while True:
        width, height = (int(rng.integers(low, high + 1)) for low, high in _SIDES)
        wings = _cut(
            rng, [(0, height - 1, 0, width - 1)], int(rng.integers(*_WINGS, endpoint=True))
        )
        shares = _share_out(rng, wings, rooms)
        parts = [_cut(rng, [wing], count) for wing, count in zip(wings, shares, strict=True)]
        if [len(part) for part in parts] == shares:
            break
    tiles = np.full((height + 2, width + 2), WALL, np.int16)
    every = [room for part in parts for room in part]
    for number, (top, bottom, left, right) in enumerate(every, 1):
        tiles[top + 1 : bottom + 2, left + 1 : right + 2] = number
    _open_doors(rng, tiles)
    tiles = np.pad(tiles, _STREET, constant_values=GROUND)
    return [Lot(tiles, len(part)) for part in parts], tiles


def _cut(rng: np.random.Generator, rooms: list[_Room], count: int) -> list[_Room]:
    """Cut the largest of the rooms in two until there are `count`, or none can be cut."""
    while len(rooms) < count:
        rooms.sort(key=_measure)
        top, bottom, left, right = room = rooms.pop()
        down = bottom - top > right - left
        first, last = (top, bottom) if down else (left, right)
        if last - first < 2 * _LEAST:
            return [*rooms, room]
        wall = int(rng.integers(first + _LEAST, last - _LEAST + 1))
        if down:
            rooms += [(top, wall - 1, left, right), (wall + 1, bottom, left, right)]
        else:
            rooms += [(top, bottom, left, wall - 1), (top, bottom, wall + 1, right)]
    return rooms


def _measure(room: _Room) -> tuple[int, _Room]:
    return (room[1] - room[0] + 1) * (room[3] - room[2] + 1), room


def _share_out(rng: np.random.Generator, wings: list[_Room], rooms: int) -> list[int]:
    """Return how many rooms each wing has: at least one, else by chance, by the room there is."""
    sizes = np.array([_measure(wing)[0] for wing in wings], dtype=np.float64)
    more = rng.choice(len(wings), size=rooms - len(wings), p=sizes / sizes.sum())
    shares: list[int] = (1 + np.bincount(more, minlength=len(wings))).tolist()
    return shares


def _open_doors(rng: np.random.Generator, tiles: Tiles) -> None:
    """Open doors in a random order: those that make a room reachable, and some others."""
    around = np.pad(tiles, 1, constant_values=GROUND)
    chances: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, column in np.argwhere(tiles == WALL).tolist():
        up, down = int(around[row, column + 1]), int(around[row + 2, column + 1])
        left, right = int(around[row + 1, column]), int(around[row + 1, column + 2])
        for a, b in ((up, down), (left, right)):
            if a != b and min(a, b) >= 0:
                chances.setdefault((min(a, b), max(a, b)), []).append((row, column))
    joined = list(range(int(tiles.max()) + 1))
    entrances = 0
    pairs = sorted(chances)
    for index in rng.permutation(len(pairs)):
        first, other = pairs[index]
        needed = join(joined, first, other)
        # 0 is what lies around, of which two doors lead inside at least.
        if needed or rng.random() < _EXTRA_DOOR or (first == 0 and entrances < 2):
            entrances += first == 0
            spots = chances[first, other]
            tiles[spots[rng.integers(len(spots))]] = DOOR
