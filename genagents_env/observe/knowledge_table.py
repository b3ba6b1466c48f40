"""What the people of one town or of several know, and have to achieve, as arrays."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.goals import GoalBoard
from genagents_env.observe.columns import GOAL_SLOTS
from genagents_env.observe.goal_objects import GoalObjects
from genagents_env.observe.town_columns import TownColumns
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

Bools = npt.NDArray[np.bool_]
_PARTS = ("kind", "place", "object", "state", "person", "fact", "start", "end", "done")
_SHOWN = {"done": "noticed"}  # what stands on the board under another name


class KnowledgeTable:
    """Knowledge and goals of the people of T towns of one scenario, rows town * N + person.

    `refresh` brings all of it up to date. `kind` to `end` are those of `GoalBoard`, `done` its
    `noticed`, one board under the other, shape (T * N, GOAL_SLOTS).

    Attributes:
        has_goals: whether anybody ever has a goal.
        tile: where the target of each goal is as far as the person knows, -1 where unknown.
        person_tile: where they saw the goal's person last, -1 if never.
        knows: which facts they know, shape (T * N, F + 1); nobody knows the last.
        things: the objects that goals are about; None where there are none.
        suspects: of whom they know a fact, shape (T * N, N).
        changes: by town, how often anything but the two tiles has changed.

    Args:
        worlds: the towns.
        boards: the goals of each.
        town: what never changes of it.
    """

    def __init__(
        self, worlds: Sequence[World], boards: Sequence[GoalBoard], town: TownColumns
    ) -> None:
        self._worlds, self._boards = worlds, boards
        self._count, self._about = worlds[0].count, town.about
        rows = len(worlds) * self._count
        self.has_goals = any(map(bool, boards))
        blank: Ints = np.full((rows, GOAL_SLOTS), -1, dtype=np.int64)
        self.kind, self.done = np.zeros_like(blank), np.zeros_like(blank)
        self.place, self.object, self.state = blank.copy(), blank.copy(), blank.copy()
        self.person, self.fact = blank.copy(), blank.copy()
        self.start, self.end = blank.copy(), blank.copy()
        self.tile, self.person_tile = blank.copy(), blank
        self.knows: Bools = np.zeros((rows, len(town.about) + 1), dtype=np.bool_)
        objects = {o for board in boards for o in board.object.ravel().tolist() if o >= 0}
        self.things = GoalObjects(worlds, sorted(objects)) if objects else None
        self.suspects: Bools = np.zeros((rows, self._count), dtype=np.bool_)
        self.has_suspects = bool((town.about >= 0).any())
        self.changes = [0] * len(worlds)
        self._facts: list[list[int]] = [[] for _ in worlds]
        self._versions = [-1] * len(worlds)
        self._places: list[object] = [None] * len(worlds)
        self._seeks = [False] * len(worlds)

    def rows(self, t: int) -> slice:
        """Return the rows of one town."""
        return slice(t * self._count, (t + 1) * self._count)

    def refresh(self) -> None:
        """Take over what changed on the boards, and in what people know."""
        for t, world in enumerate(self._worlds):
            if self._facts[t] != world.state.facts:
                self._facts[t] = list(world.state.facts)
                self._write_facts(self.rows(t), self._facts[t])
                self.changes[t] += 1
            if self.has_goals:
                self._refresh_goals(t, world, self._boards[t])
        if self.things is not None:
            self.things.refresh()

    def _write_facts(self, rows: slice, facts: list[int]) -> None:
        knows, suspects = self.knows[rows], self.suspects[rows]
        suspects[:] = False
        for f, j in enumerate(self._about.tolist()):
            knows[:, f] = [bits >> f & 1 for bits in facts]
            if j >= 0:
                suspects[:, j] |= knows[:, f]

    def _refresh_goals(self, t: int, world: World, board: GoalBoard) -> None:
        rows, places = self.rows(t), world.state.known
        new = self._versions[t] != board.version
        if new:
            self._versions[t] = board.version
            self.changes[t] += 1
            for part in _PARTS:
                getattr(self, part)[rows] = getattr(board, _SHOWN.get(part, part))
            self._seeks[t] = bool((board.person >= 0).any())
            self.person_tile[rows] = -1
        if new or self._seeks[t] or self._places[t] is not places:
            self._places[t] = places
            self.tile[rows] = board.locate(world)
        if self._seeks[t]:
            viewer, slot = (board.person >= 0).nonzero()
            seen = world.state.sightings.list_last(viewer, board.person[viewer, slot])
            self.person_tile[t * self._count + viewer, slot] = seen
