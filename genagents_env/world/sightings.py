"""Where everyone last saw everyone else: noted every tick, looked up rarely."""

import numpy as np

from genagents_env.world.tiles import Ints

_PENDING = 64  # ticks of sightings held back, because writing many at once is faster


class Sightings:
    """For N people the tile on which each last saw each, or -1.

    Args:
        count: N.
        towns: several towns note together, in rows town * N + person: see `share`.
    """

    def __init__(self, count: int, towns: int = 1) -> None:
        self._count = count
        self._tiles: Ints = np.full((towns * count, count), -1, dtype=np.int64)
        self._pending: list[tuple[Ints, Ints, Ints]] = []
        self._shared: Sightings | None = None

    def share(self, shared: "Sightings", town: int) -> None:
        """Keep what is known in the rows of `town` in `shared`, which is used from now on."""
        self._write()
        shared._write()
        rows = shared._tiles[town * self._count : (town + 1) * self._count]
        rows[:] = self._tiles
        self._tiles, self._shared = rows, shared

    def note(self, viewer: Ints, seen: Ints, tile: Ints) -> None:
        """Remember that each `viewer` saw `seen`, shapes (M,), where `tile`, by person, says."""
        self._pending.append((viewer, seen, tile))
        if len(self._pending) == _PENDING:
            self._write()

    def last(self, i: int, j: int) -> int:
        """Return the tile on which `i` last saw `j`, -1 if never."""
        self._write()
        return int(self._tiles[i, j])

    def list_last(self, viewers: Ints, seen: Ints) -> Ints:
        """Return the tile on which each of `viewers` last saw each of `seen`, -1 if never."""
        self._write()
        tiles: Ints = self._tiles[viewers, seen]
        return tiles

    def state(self) -> list[list[int]]:
        """Return everything, as JSON values."""
        self._write()
        rows, columns = np.nonzero(self._tiles >= 0)
        return [rows.tolist(), columns.tolist(), self._tiles[rows, columns].tolist()]

    def load_state(self, state: list[list[int]]) -> None:
        """Resume from `state`."""
        self._pending = []
        self._tiles[:] = -1
        rows, columns, tiles = state
        self._tiles[rows, columns] = tiles

    def _write(self) -> None:
        if self._shared is not None:
            self._shared._write()
        if self._pending:
            viewers, seen, tiles = zip(*self._pending, strict=True)
            whom = np.concatenate(seen)
            where = np.concatenate([t.ravel()[s] for s, t in zip(seen, tiles, strict=True)])
            # Of what is assigned to one element several times, the last stays.
            self._tiles[np.concatenate(viewers), whom % self._count] = where
            self._pending = []
