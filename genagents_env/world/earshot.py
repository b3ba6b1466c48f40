"""Who is near enough to hear whom, found once for where people stand."""

import numpy as np

from genagents_env.world.snapshot import Bools
from genagents_env.world.tiles import Ground, Ints

_NOWHERE: Ints = np.zeros(0, dtype=np.int64)
_NOBODY: Bools = np.zeros(0, dtype=np.bool_)


class Earshot:
    """The hearers of everyone in one town, as asked for; kept while nobody moves.

    Args:
        ground: stood on.
        hearing: how far each hears, in tiles, shape (N,).
    """

    def __init__(self, ground: Ground, hearing: Ints) -> None:
        self._ground, self._hearing = ground, hearing
        self._tile, self._present = _NOWHERE, _NOBODY
        self._where = ground.sight[:, :0]
        self._near: dict[int, list[int]] = {}

    def find_hearers(self, i: int, tile: Ints, present: Bools) -> list[int]:
        """Return who is near enough to hear `i` (asleep or not), ascending; not to be changed.

        Args:
            i: who speaks.
            tile: of everyone, shape (N,).
            present: who is in town, shape (N,).
        """
        if tile is not self._tile or present is not self._present:
            self._stand(tile, present)
        near = self._near.get(i)
        if near is None:
            where = self._where
            x, y = np.abs(where - where[:, i : i + 1])
            heard = (x <= self._hearing) & (y <= self._hearing) & present
            heard[i] = False
            near = self._near[i] = heard.nonzero()[0].tolist()
        return near

    def _stand(self, tile: Ints, present: Bools) -> None:
        """Take where everyone is now; forget who hears whom unless they were there before."""
        same = np.array_equal(tile, self._tile) and np.array_equal(present, self._present)
        self._tile, self._present = tile, present
        if not same:
            self._where = self._ground.sight.take(tile, axis=1)
            self._near.clear()
