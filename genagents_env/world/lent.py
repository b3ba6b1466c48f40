"""Arrays of many worlds in one, so that what is common to all is computed in one call."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from genagents_env.world.town import World


class Lent:
    """One attribute of T worlds as one array, shape (T, N), whose rows the worlds hold.

    Like the worlds' own arrays it is replaced and never written again: snapshots keep the rows.
    """

    def __init__(self, worlds: Sequence[World], name: str) -> None:
        self._worlds, self._name = worlds, name
        self._rows = [getattr(world, name) for world in worlds]
        self.array: Any = np.stack(self._rows)

    def lend(self, array: Any) -> None:
        """Take `array` instead, and let each world hold its row."""
        self.array, self._rows = array, list(array)
        for world, row in zip(self._worlds, self._rows, strict=True):
            setattr(world, self._name, row)

    def collect(self) -> list[int]:
        """Take over what worlds hold instead of their rows; return which worlds do."""
        name, changed = self._name, []
        for t, (world, row) in enumerate(zip(self._worlds, self._rows, strict=True)):
            now = getattr(world, name)
            if now is not row:
                self._rows[t] = now
                changed.append(t)
        if changed:
            self.array = self.array.copy()
            for t in changed:
                self.array[t] = self._rows[t]
        return changed
