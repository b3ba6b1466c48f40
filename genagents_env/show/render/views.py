"""The part of a town that a picture shows: a place, or the surroundings of a person."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import TownPlan
from genagents_env.world.places import is_within

Positions = npt.NDArray[np.integer] | npt.NDArray[np.floating]
MARGIN = 2  # tiles around a place
FEWEST = 16  # columns
LOW, HIGH = 0.5, 0.66  # rows for each column
AROUND = 26  # columns around a person
FREE = 0.22  # of a view, to each side of its middle: how far who is followed walks before it moves


@dataclass(frozen=True, slots=True)
class StillView:
    """The same part of the map all the time; `columns` and `rows` in tiles."""

    columns: float
    rows: float
    middle: tuple[float, float]

    def find_middle(self, positions: Positions) -> tuple[float, float]:
        """Return the middle, wherever people are."""
        return self.middle


@dataclass(slots=True)
class FollowingView:
    """The surroundings of a person; they move when the person leaves their middle.

    Attributes:
        who: the index of the person.
    """

    who: int
    columns: float = AROUND
    rows: float = AROUND * 0.6
    _at: tuple[float, float] | None = None

    def find_middle(self, positions: Positions) -> tuple[float, float]:
        """Return the middle for people at `positions`, shape (N, 2); it depends on those before."""
        x, y = positions[self.who].tolist()
        before = self._at or (x, y)
        free = (self.columns * FREE, self.rows * FREE)
        self._at = (_pull(before[0], x, free[0]), _pull(before[1], y, free[1]))
        return self._at

    def reset(self) -> None:
        """Begin with the person in the middle."""
        self._at = None


MapView: TypeAlias = StillView | FollowingView


def _pull(middle: float, at: float, free: float) -> float:
    """Return the value next to `middle` that is at most `free` away from `at`."""
    return min(max(middle, at - free), at + free)


def view_town(plan: TownPlan) -> StillView:
    """Return the view of a whole town."""
    return StillView(plan.width, plan.height, (plan.width / 2, plan.height / 2))


def view_place(plan: TownPlan, place: str) -> StillView:
    """Return the view of a place, with what is next to it.

    Args:
        plan: of the town.
        place: the id of a sector or of an arena that has tiles.
    """
    rooms = [index for index in range(len(plan.arenas)) if is_within(plan.arena_id(index), place)]
    ys, xs = np.nonzero(np.isin(plan.arena, rooms))
    left, right, top, bottom = (int(n) for n in (xs.min(), xs.max() + 1, ys.min(), ys.max() + 1))
    deep = bottom - top + 2 * MARGIN
    columns = max(FEWEST, right - left + 2 * MARGIN, deep / HIGH)
    rows = min(max(deep, columns * LOW), columns * HIGH)
    return StillView(columns, rows, ((left + right) / 2, (top + bottom) / 2))


def list_places(plan: TownPlan) -> list[str]:
    """Return the ids of what `view_place` can show: sectors, then arenas, that have tiles."""
    shown = [index for index in range(len(plan.arenas)) if (plan.arena == index).any()]
    sectors = sorted({plan.arenas[index].sector for index in shown})
    ids = [plan.sectors[index].name for index in sectors]
    return ids + [id_ for index in shown if (id_ := plan.arena_id(index)) not in ids]
