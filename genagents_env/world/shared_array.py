"""Arrays of many towns in one, so that what is common to all is computed in one call."""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from genagents_env.world.snapshot import Bools
from genagents_env.world.state import WorldState
from genagents_env.world.tiles import Ints

ArrayT = TypeVar("ArrayT", Ints, Bools)


class SharedArray(Generic[ArrayT]):
    """One attribute of T towns as one array, shape (T, N), whose rows the towns hold.

    Like the towns' own arrays it is replaced and never written again: snapshots keep the rows.
    """

    def __init__(self, states: Sequence[WorldState], name: str) -> None:
        self._states, self._name = states, name
        self._rows: list[ArrayT] = [getattr(state, name) for state in states]
        self.array: ArrayT = np.stack(self._rows)

    def share(self, array: ArrayT) -> None:
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


SharedByName: TypeAlias = dict[str, SharedArray[Any]]


class SharedArrays(Protocol):
    """What has shared arrays, by the names of the attributes."""

    shared: SharedByName


class SharedAttribute(Generic[ArrayT]):
    """An attribute that reads and replaces the shared array of its name."""

    def __set_name__(self, owner: type[SharedArrays], name: str) -> None:
        self._name = name

    def __get__(self, holder: SharedArrays, owner: type[SharedArrays]) -> ArrayT:
        array: ArrayT = holder.shared[self._name].array
        return array

    def __set__(self, holder: SharedArrays, array: ArrayT) -> None:
        holder.shared[self._name].share(array)
