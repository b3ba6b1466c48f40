"""What every way of finding paths answers: the tiles of a shortest path, and its first step."""

from typing import Protocol


class PathFinder(Protocol):
    """Finds shortest paths over a ground, sideways steps only; all finders' are equally long."""

    def find_path(self, tile: int, targets: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the tiles stepped on from `tile` to the nearest of `targets`.

        Returns:
            Tiles, the last of them a target; empty at a target, None where there is no way.
        """
