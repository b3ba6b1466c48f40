"""A moment as numbers: what a network sees, float32 in [-1, 1]; `columns.py` says what each is."""

import math

import numpy as np

from genagents_env.act.menu import Menu, Near
from genagents_env.act.spaces import Floats
from genagents_env.observe.columns import (
    PEOPLE,
    PERSON_COLUMNS,
    ROOM,
    SIZE,
    THINGS,
    TILE,
)
from genagents_env.observe.knowledge_table import KnowledgeTable
from genagents_env.observe.own_columns import OwnColumns
from genagents_env.observe.town_columns import TownColumns
from genagents_env.observe.vicinity import Vicinity
from genagents_env.world.snapshot import Bools, Snapshot
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

_DAY = 2 * np.pi / 86_400
_NOWHERE = 1 << 40  # a code beyond all others, of a slot in which nobody is


class VectorObservation:
    """Turns snapshots of one world into observation vectors and the global state."""

    def __init__(
        self,
        world: World,
        vicinity: Vicinity,
        menu: Menu,
        knowledge: KnowledgeTable,
        town: TownColumns,
    ) -> None:
        self._vicinity, self._menu = vicinity, menu
        self._horizon = world.scenario.horizon
        self._own = OwnColumns([world], knowledge, town, menu.columns)
        self._state, self._count = world.state, world.count
        self._clock, self._objects = world.town.clock, world.plan.objects
        ground = world.town.ground
        self._scale = 1 / max(1, ground.width - 1), 1 / max(1, ground.height - 1)
        radius = int(world.town.people.vision.max())
        stride = max(ground.width, 2 * radius + 1)  # so that no two offsets in sight coincide
        # What stands for each tile: its own number, but in towns narrower than sight.
        wide = stride == ground.width
        self._code: Ints | None = None if wide else ground.y * stride + ground.x
        self._offsets, self._middle = _offset_table(radius, stride)
        self._codes: Ints = np.zeros(1, dtype=np.int64)
        self._now: Floats = np.zeros(3, dtype=np.float32)
        reach: Floats = (1 / world.town.people.vision).astype(np.float32)
        self._reach: Floats | None = None
        if len(set(reach.tolist())) > 1:
            self._reach = reach[:, None]
        else:
            self._offsets[:, 1:3] *= reach[0]
        self.state_size = 3 + 5 * world.count + len(world.plan.objects)

    def observe(self, snapshot: Snapshot, near: Near) -> Floats:
        """Return the vectors of all N people, shape (N, columns of the menu), a new array."""
        out = self._own.start(snapshot.arena)
        now = self._now
        now[0], now[1], now[2] = self.measure_time(snapshot.tick)
        out[:, :3] = now
        if np.count_nonzero(snapshot.arrived):
            out[:, 5] = snapshot.arrived
        for i in snapshot.talks:
            out[i, 4] = 1.0
        for i, outcome in snapshot.outcomes.items():
            if not outcome.ok:
                out[i, 6] = 1.0
        for i, sounds in snapshot.heard.items():
            out[i, 7] = any(s.addressed for s in sounds)
            out[i, 8] = any(not s.addressed for s in sounds)
        if len(snapshot.pairs[0]):
            slots = self.locate_people(near, snapshot.tile)
            self._own.fill_people(slots, near)
            if not snapshot.all_awake:
                slots[:, 3] = near.there & snapshot.asleep.take(near.who, mode="clip")
            if snapshot.talks:
                slots[:, 4] = find_company(near, np.array(self._state.conversations.of))
            put_people(out, slots)
        self._vicinity.fill_vectors(snapshot.tile, out[:, TILE:ROOM])
        self._own.fill(out, snapshot.tile, snapshot.arena, snapshot.tick)
        self._own.fill_things(out, snapshot.tile)
        self._menu.fill_columns(out[:, SIZE:])
        if not snapshot.all_awake:
            out[snapshot.asleep, TILE + 2 : ROOM] = 0.0
            out[snapshot.asleep, THINGS:SIZE] = 0.0
            out[:, 3] = snapshot.asleep
        return out

    def observe_state(self, snapshot: Snapshot) -> Floats:
        """Return the global state for central critics, shape (state_size,)."""
        people = np.stack(
            [
                snapshot.x * self._scale[0],
                snapshot.y * self._scale[1],
                snapshot.asleep,
                snapshot.present,
                [i in snapshot.talks for i in range(self._count)],
            ],
            axis=1,
        )
        states = [
            item.states.index(state) / len(item.states) if state in item.states else 1.0
            for item, state in zip(self._objects, snapshot.object_states, strict=True)
        ]
        parts = [*self.measure_time(snapshot.tick), *people.ravel().tolist(), *states]
        return np.array(parts, dtype=np.float32)

    def measure_time(self, tick: int) -> tuple[float, float, float]:
        """Return the first three columns at `tick`."""
        angle = self._clock.second(tick) * _DAY
        return math.sin(angle), math.cos(angle), min(1.0, tick / self._horizon)

    def locate_people(self, near: Near, tile: Ints) -> Floats:
        """Return who is there and where, shape (P * PERSON_SLOTS, PERSON_COLUMNS); the rest is 0.

        Args:
            near: who fills the person slots of P people: all of this town, or those of several
                towns, one town after another.
            tile: where they are, shape (P,).
        """
        if len(self._codes) != len(tile) + 1:
            self._codes = np.full(len(tile) + 1, _NOWHERE)
        codes = self._codes
        codes[:-1] = tile if self._code is None else self._code[tile]
        apart = codes[near.who] - codes[near.viewer]
        apart += self._middle
        slots: Floats = self._offsets.take(apart, axis=0, mode="clip")
        if self._reach is not None:
            slots[:, 1:3] *= self._reach[near.viewer % self._count]
        return slots


def find_company(near: Near, talk: Ints) -> Bools:
    """Return who in the slots is in one's own conversation, shape as `near.there`.

    Args:
        near: who fills the person slots.
        talk: in which conversation each of the P people is, -1 for none.
    """
    mine = talk[near.viewer]
    together: Bools = (mine >= 0) & (talk.take(near.who, mode="clip") == mine)
    return near.there & together


def put_people(out: Floats, slots: Floats) -> None:
    """Write the slots of people in sight into the vectors of those who see them."""
    out[:, PEOPLE:TILE] = slots.reshape(len(out), -1)


def _offset_table(radius: int, stride: int) -> tuple[Floats, int]:
    """Return rows (1, x, y, 0, ...) by the difference of two codes y * stride + x; the row of 0.

    The row after that of the largest difference in sight is 0, for slots in which nobody is.
    """
    span = np.arange(-radius, radius + 1)
    middle = radius * stride + radius
    table = np.zeros((2 * middle + 2, PERSON_COLUMNS), dtype=np.float32)
    rows = span[:, None] * stride + span + middle
    table[:-1, 0] = 1.0
    table[rows, 1], table[rows, 2] = span, span[:, None]
    return table, middle
