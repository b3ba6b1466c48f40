"""The floor during a tick: who stands on which tile."""

from collections.abc import Callable, Container, Iterable, Sequence

from genagents_env.world.tiles import Ground

NOBODY: Sequence[int] = ()


class Floor:
    """Who stands where in one town.

    Attributes:
        tile: of everyone, present or not.
        taken: who stands on each tile that is taken; empty where bodies do not block.
    """

    def __init__(
        self, ground: Ground, tiles: Iterable[int], present: Iterable[int], *, bodies_block: bool
    ) -> None:
        self._ground, self._bodies_block = ground, bodies_block
        self.tile = list(tiles)
        self.taken: dict[int, list[int]] = {}
        for i in present if bodies_block else NOBODY:
            self.taken.setdefault(self.tile[i], []).append(i)

    def move(self, tiles: dict[int, int]) -> None:
        """Stand people on other tiles, all at once."""
        if not self._bodies_block:
            for i, tile in tiles.items():
                self.tile[i] = tile
            return
        for i in tiles:
            others = self.taken[self.tile[i]]
            others.remove(i)
            if not others:
                del self.taken[self.tile[i]]
        for i, tile in tiles.items():
            self.tile[i] = tile
            self.taken.setdefault(tile, []).append(i)

    def find_other(self, i: int, tile: int) -> int | None:
        """Return somebody else than `i` on `tile`."""
        return next((j for j in self.taken.get(tile, NOBODY) if j != i), None)

    def find_row(
        self, first: int, closed: Container[int], may_move: Callable[[int], bool]
    ) -> dict[int, int] | None:
        """Return how people in a row could each move up by a tile, the last onto a free one.

        Args:
            first: in the row.
            closed: tiles onto which nobody may.
            may_move: whether somebody could be asked to.

        Returns:
            The new tile of each, first to last, all in one arena; None where no row is so.
        """
        ground, start = self._ground, self.tile[first]
        before, level = {start: start}, [start]
        while level:
            beyond: list[int] = []
            for tile in level:
                for near in ground.neighbours[:, tile].tolist():
                    if near < 0 or near in before or near in closed:
                        continue
                    if ground.arena[near] != ground.arena[start]:
                        continue
                    before[near] = tile
                    if near not in self.taken:
                        return self._line_up(before, near)
                    if all(map(may_move, self.taken[near])):
                        beyond.append(near)
            level = beyond
        return None

    def _line_up(self, before: dict[int, int], tile: int) -> dict[int, int]:
        row = {}
        while before[tile] != tile:
            row[self.taken[before[tile]][0]] = tile
            tile = before[tile]
        return dict(reversed(row.items()))
