"""A moment as numbers: what a network sees, float32 in [-1, 1]; `columns.py` says what each is."""

import math

import numpy as np

from genagents_env.act.menu import Menu, Near
from genagents_env.act.spaces import Floats
from genagents_env.observe.columns import (
    PEOPLE,
    PERSON_COLUMNS,
    PERSON_SLOTS,
    ROOM,
    SIZE,
    THINGS,
    TILE,
)
from genagents_env.observe.knowledge_table import KnowledgeTable
from genagents_env.observe.own_columns import OwnColumns
from genagents_env.observe.town_columns import TownColumns
from genagents_env.observe.vicinity import Vicinity
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

_DAY = 2 * np.pi / 86_400


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
        self._code: Ints = ground.y * stride + ground.x
        self._offsets, self._middle = _offset_table(radius, stride)
        reach: Floats = (1 / world.town.people.vision).astype(np.float32)[:, None]
        self._reach = reach if len(set(reach.ravel().tolist())) > 1 else reach[0, 0]
        self.state_size = 3 + 5 * world.count + len(world.plan.objects)

    def observe(self, snapshot: Snapshot, near: Near) -> Floats:
        """Return the vectors of all N people, shape (N, columns of the menu), a new array."""
        out = self._own.start()
        out[:, 0], out[:, 1], out[:, 2] = self.measure_time(snapshot.tick)
        out[:, 5] = snapshot.arrived
        for i in snapshot.talks:
            out[i, 4] = 1.0
        for i, outcome in snapshot.outcomes.items():
            if not outcome.ok:
                out[i, 6] = 1.0
        for i, sounds in snapshot.heard.items():
            out[i, 7] = any(s.addressed for s in sounds)
            out[i, 8] = any(not s.addressed for s in sounds)
        if len(near.slot):
            slots = self.locate_people(near, snapshot.tile)
            self._own.fill_people(slots, near)
            if not snapshot.all_awake:
                slots[:, 3] = snapshot.asleep[near.seen]
            if snapshot.talks:
                of = self._state.conversations.of
                pairs = zip(near.viewer.tolist(), near.seen.tolist(), strict=True)
                slots[:, 4] = [of[i] >= 0 and of[i] == of[j] for i, j in pairs]
            put_people(out, near, slots)
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
        """Return where people in sight are, shape (M, PERSON_COLUMNS); the rest is left to write.

        Args:
            near: who fills the person slots of P people: all of this town, or those of several
                towns, one town after another.
            tile: where they are, shape (P,).
        """
        viewers, seen = near.viewer, near.seen
        code = self._code[tile]
        slots: Floats = self._offsets.take(code[seen] - code[viewers] + self._middle, axis=0)
        if isinstance(self._reach, np.ndarray):
            slots *= self._reach[viewers % self._count]
        else:
            slots *= self._reach
        slots[:, 0] = 1.0
        return slots


def put_people(out: Floats, near: Near, slots: Floats) -> None:
    """Write the slots of people in sight into the vectors of those who see them.

    Args:
        out: the vectors of P people, zero there.
        near: who sees whom, M pairs.
        slots: shape (M, PERSON_COLUMNS).
    """
    places = out[:, PEOPLE:TILE].reshape(len(out), PERSON_SLOTS, PERSON_COLUMNS)
    places[near.viewer, near.slot - near.viewer * PERSON_SLOTS] = slots


def _offset_table(radius: int, stride: int) -> tuple[Floats, int]:
    """Return rows (0, x, y, 0, ...) by the difference of two codes y * stride + x; the row of 0."""
    span = np.arange(-radius, radius + 1)
    middle = radius * stride + radius
    table = np.zeros((2 * middle + 1, PERSON_COLUMNS), dtype=np.float32)
    rows = span[:, None] * stride + span + middle
    table[rows, 1], table[rows, 2] = span, span[:, None]
    return table, middle
