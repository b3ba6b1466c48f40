"""Arrays of many towns in one, so that what is common to all is computed in one call."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from genagents_env.world.state import WorldState

Shared: TypeAlias = Literal["tile", "arena", "asleep", "present", "arrived", "shown"]


class SharedArray:
    """One attribute of T towns as one array, shape (T, N), whose rows the towns hold.

    Like the towns' own arrays it is replaced and never written again: snapshots keep the rows.
    """

    def __init__(self, states: Sequence[WorldState], name: Shared) -> None:
        self._states, self._name = states, name
        self._rows = [getattr(state, name) for state in states]
        self.array: Any = np.stack(self._rows)

    def share(self, array: Any) -> None:
        """Take `array` instead, and let each town hold its row."""
        self.array, self._rows = array, list(array)
        for state, row in zip(self._states, self._rows, strict=True):
            setattr(state, self._name, row)

    def collect(self) -> None:
        """Take over what towns hold instead of their rows."""
        name, changed = self._name, []
        for t, (state, row) in enumerate(zip(self._states, self._rows, strict=True)):
            now = getattr(state, name)
            if now is not row:
                self._rows[t] = now
                changed.append(t)
        if changed:
            self.array = self.array.copy()
            for t in changed:
                self.array[t] = self._rows[t]
