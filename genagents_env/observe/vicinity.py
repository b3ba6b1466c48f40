"""The objects around each tile, as the three formats show them: computed once a tile and state.

Objects do not move, so what someone on a tile perceives of them is a table row, refilled only
after an object in sight of that tile changed.
"""

import numpy as np
import numpy.typing as npt

from genagents_env.observe.columns import OBJECT_COLUMNS, OBJECT_SLOTS, STATE_SLOTS
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.world.sight import Surroundings
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

COLUMNS = 2 + OBJECT_SLOTS * OBJECT_COLUMNS
OBJECT_CHOICES = OBJECT_SLOTS * (1 + STATE_SLOTS)
AWAY = tuple(f", {d} tile{'s' * (d != 1)} away" for d in range(65))


Rows = dict[tuple[int, tuple[str, ...]], tuple[Floats, Mask]]
_KEPT = 10_000  # rows kept to be used again


class VicinityTable:
    """Tables by tile for one vision radius: numbers, possible uses, and words."""

    def __init__(self, world: World, around: Surroundings, rows: Rows) -> None:
        """`rows`: by tile and the states in sight of it; fresh copies share them."""
        ground = world.town.ground
        self._plan, self._things, self._ground = world.plan, world.state.objects, ground
        self.around, self.rows = around, rows
        self.states: tuple[str, ...] = ()
        self._ready: npt.NDArray[np.bool_] = np.zeros(ground.count, dtype=np.bool_)
        self._numbers: Floats = np.zeros((ground.count, COLUMNS), dtype=np.float32)
        self._numbers[:, 0] = ground.x / max(1, ground.width - 1)
        self._numbers[:, 1] = ground.y / max(1, ground.height - 1)
        self._uses: Mask = np.zeros((ground.count, OBJECT_CHOICES), dtype=np.int8)
        self._texts: list[str | None] = [None] * ground.count

    def refresh(self, snapshot: Snapshot, tiles: Ints) -> None:
        """Bring the rows of `tiles` up to date with the snapshot's object states."""
        states = snapshot.object_states
        if states is not self.states:
            self.forget(states)
        ready = self._ready[tiles]
        if np.count_nonzero(ready) < len(tiles):
            for tile in set(tiles[~ready].tolist()):
                self.fill(tile)

    def vectors(self, tiles: Ints) -> Floats:
        """Return own column and row, and the objects around, shape (len(tiles), COLUMNS)."""
        return self._numbers.take(tiles, axis=0)

    def uses(self, tiles: Ints) -> Mask:
        """Return the mask of objects to go to and of their uses: int8, (len(tiles), O + O * S)."""
        return self._uses.take(tiles, axis=0)

    def object(self, tile: int, slot: int) -> int:
        """Return the object that fills a slot."""
        return self.around.objects(tile)[slot][0]

    def describe(self, tiles: list[int]) -> list[str]:
        """Return the lines about the things and the ways around each of `tiles`."""
        known = self._texts
        return [self._format_tile(t) if (line := known[t]) is None else line for t in tiles]

    def forget(self, states: tuple[str, ...]) -> None:
        """Drop the rows that the change to `states` makes outdated."""
        if len(self.states) != len(states):
            self._ready[:] = False
        else:
            shape = (self._ground.height, self._ground.width)
            ready, r = self._ready.reshape(shape), self.around.radius
            for o, (old, new) in enumerate(zip(self.states, states, strict=True)):
                if old is not new and old != new:
                    for x, y in self._plan.objects[o].tiles:
                        ready[max(0, y - r) : y + r + 1, max(0, x - r) : x + r + 1] = False
        self.states = states

    def fill(self, tile: int) -> None:
        """Bring the row of `tile` up to date."""
        key = (tile, tuple([self.states[o] for o, _ in self.around.objects(tile)]))
        row = self.rows.get(key)
        if row is None:
            if len(self.rows) == _KEPT:
                self.rows.clear()
            row = self.rows[key] = self._make_row(tile)
        self._numbers[tile, 2:], self._uses[tile] = row
        self._texts[tile] = None
        self._ready[tile] = True

    def _make_row(self, tile: int) -> tuple[Floats, Mask]:
        things = self.around.objects(tile)
        x, y = self._ground.xy(tile)
        numbers = np.zeros((OBJECT_SLOTS, OBJECT_COLUMNS), dtype=np.float32)
        uses = np.zeros((OBJECT_SLOTS, STATE_SLOTS), dtype=np.int8)
        there = np.arange(OBJECT_SLOTS) < len(things)
        reach = self.around.radius
        for k, (o, d) in enumerate(things[:OBJECT_SLOTS]):
            item, state = self._plan.objects[o], self.states[o]
            near = item.find_nearest_tile(x, y)
            dx, dy = (near[0] - x) / reach, (near[1] - y) / reach
            number = item.states.index(state) / len(item.states) if state in item.states else 1.0
            which = (o + 1) / len(self._plan.objects)
            numbers[k] = (1.0, dx, dy, number, d <= 1, which)
            if d <= 1:
                uses[k, : len(self._things.next_states(o, state))] = 1
        return numbers.ravel(), np.concatenate([there.astype(np.int8), uses.ravel()])

    def _format_tile(self, tile: int) -> str:
        things = [self._format_object(o, d) for o, d in self.around.objects(tile)]
        exits = [self._plan.arena_id(a) for a in self.around.exits(tile)]
        line = f"Things here: {'; '.join(things)}.\n" if things else ""
        line += f"From here you can walk to: {', '.join(exits)}.\n" if exits else ""
        self._texts[tile] = line
        return line

    def _format_object(self, o: int, distance: int) -> str:
        item, state = self._plan.objects[o], self.states[o]
        if distance > 1:
            return f"{item.name} ({state}){AWAY[distance]}"
        options = self._things.next_states(o, state)
        change = f"; can become: {', '.join(options)}" if options else ""
        return f"{item.name} ({state}{change}) within reach"


class Vicinity:
    """The tables of every vision radius in a world, asked for all its people at once.

    Args:
        world: the people and the things.
        like: of a fresh copy of `world`; rows worked out for one serve the other too.
    """

    def __init__(self, world: World, like: "Vicinity | None" = None) -> None:
        radii = world.town.people.vision.tolist()
        self.rows: dict[int, Rows] = (
            {r: {} for r in world.town.surroundings} if like is None else like.rows
        )
        tables = {
            r: VicinityTable(world, a, self.rows[r]) for r, a in world.town.surroundings.items()
        }
        self.of = tuple(tables[r] for r in radii)
        # Each table with the rows of those who see so far.
        self.groups: tuple[tuple[VicinityTable, Ints | slice], ...] = tuple(
            (table, np.flatnonzero(world.town.people.vision == r)) for r, table in tables.items()
        )
        if len(tables) == 1:
            self.groups = ((self.of[0], slice(None)),)

    def refresh(self, snapshot: Snapshot) -> None:
        """Bring the rows of everyone's tile up to date."""
        for table, who in self.groups:
            table.refresh(snapshot, snapshot.tile[who])

    def fill_vectors(self, tiles: Ints, out: Floats) -> None:
        """Write everyone's own place and objects into `out`, shape (N, COLUMNS)."""
        for table, who in self.groups:
            out[who] = table.vectors(tiles[who])

    def fill_uses(self, tiles: Ints, out: Mask) -> None:
        """Write everyone's possible uses of objects into `out`, shape (N, O + O * S)."""
        for table, who in self.groups:
            out[who] = table.uses(tiles[who])

    def describe(self, tiles: list[int]) -> list[str]:
        """Return everyone's lines about the things and the ways around."""
        if len(self.groups) == 1:
            return self.of[0].describe(tiles)
        return [table.describe([tile])[0] for table, tile in zip(self.of, tiles, strict=True)]
