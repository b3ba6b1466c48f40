"""Where everyone last saw everyone else: noted every tick, looked up rarely."""

from collections.abc import Callable
from typing import Any

import numpy as np

from genagents_env.world.tiles import Ints

_PENDING = 64  # ticks of sightings held back, because writing many at once is cheap


class Sightings:
    """For N people the tile on which each last saw each, or -1."""

    def __init__(self, count: int) -> None:
        self._tiles: Ints = np.full((count, count), -1, dtype=np.int64)
        self._pending: list[tuple[Ints, Ints, Ints]] = []
        self._before: Callable[[], None] | None = None

    def share(self, tiles: Ints, before: Callable[[], None]) -> None:
        """Keep what is known in `tiles`, shape (N, N), where another writes too.

        Args:
            tiles: overwritten with what is known so far.
            before: called before each look at `tiles`: lets the other write what it holds back.
        """
        self._write()
        tiles[:] = self._tiles
        self._tiles, self._before = tiles, before

    def note(self, viewer: Ints, seen: Ints, tile: Ints) -> None:
        """Remember that each `viewer` saw `seen`, shapes (M,), where `tile`, shape (N,), says."""
        self._pending.append((viewer, seen, tile))
        if len(self._pending) == _PENDING:
            self._write()

    def last(self, i: int, j: int) -> int:
        """Return the tile on which `i` last saw `j`, -1 if never."""
        self._write()
        return int(self._tiles[i, j])

    def state(self) -> list[list[int]]:
        """Return everything, as JSON values."""
        self._write()
        rows, columns = np.nonzero(self._tiles >= 0)
        return [rows.tolist(), columns.tolist(), self._tiles[rows, columns].tolist()]

    def load_state(self, state: Any) -> None:
        """Go on from `state`."""
        self._pending = []
        self._tiles[:] = -1
        rows, columns, tiles = state
        self._tiles[rows, columns] = tiles

    def _write(self) -> None:
        if self._before is not None:
            self._before()
        for viewer, seen, tile in self._pending:
            self._tiles[viewer, seen] = tile[seen]
        self._pending = []
