"""How far those have planned their way who walk one by one, and how they get on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.world.events import JSON

DETOUR = 16  # tiles that getting round others may add to a walk, twice the usual radius of sight
SavedWay: TypeAlias = list[JSON]


@dataclass(slots=True)
class Way:
    """A planned way; it holds only for one who still stands `at` its beginning.

    Attributes:
        goals: the tiles walked to.
        at: the tile from which it leads on.
        ahead: the tiles to step on, the next one last.
        aside: whether it ends beside the goals, since people stand on all of them.
        waited: steps that others have kept one from taking, in a row.
        slack: tiles by which getting round others may still make it longer.
    """

    goals: frozenset[int]
    at: int
    ahead: list[int]
    aside: bool = False
    waited: int = 0
    slack: int = DETOUR

    @property
    def end(self) -> int:
        """The tile to which it leads."""
        return self.ahead[0] if self.ahead else self.at


def save_ways(ways: dict[int, Way]) -> list[SavedWay]:
    """Return everyone's way as JSON values."""
    return [
        [i, sorted(way.goals), way.at, way.ahead, way.aside, way.waited, way.slack]
        for i, way in sorted(ways.items())
    ]


def load_ways(saved: Sequence[SavedWay]) -> dict[int, Way]:
    """Return the ways that `save_ways` saved."""
    return {
        i: Way(frozenset(goals), at, list(ahead), *rest) for i, goals, at, ahead, *rest in saved
    }
