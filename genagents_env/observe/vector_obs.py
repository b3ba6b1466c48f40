"""A moment as numbers: what a network sees, float32 in [-1, 1]; `columns.py` says what each is."""

import math

import numpy as np

from genagents_env.observe.columns import (
    FACT_COLUMNS,
    FACT_SLOTS,
    FACTS,
    GOAL_COLUMNS,
    GOAL_FIXED,
    GOAL_SLOTS,
    GOALS,
    OBJECT_SLOTS,
    PEOPLE,
    PERSON_COLUMNS,
    ROOM,
    SELF,
    SIZE,
    STATE_SLOTS,
    THING_COLUMNS,
    THINGS,
    TILE,
)
from genagents_env.observe.knowledge_table import KnowledgeTable, TownColumns
from genagents_env.observe.menu import Menu, Near
from genagents_env.observe.spaces import Floats
from genagents_env.observe.thing_tables import ThingTables
from genagents_env.observe.vicinity import Vicinity
from genagents_env.scenario.schema import GOAL_KINDS
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

_KINDS = len(GOAL_KINDS)
_ACCUSE = 1 + GOAL_KINDS.index("accuse")
_PART_KNOWN = 9  # the column of the part of all facts that one knows
_OTHERS, _TOLD, _ABOUT = 6, 8, 10  # of a person slot: of goal 1, told goal 1, in a fact


class OwnColumns:
    """Fills them for the N people of a town.

    Args:
        world: the town.
        knowledge: of its people.
        town: its constants.
        size: columns of a whole vector.
    """

    def __init__(
        self, world: World, knowledge: KnowledgeTable, town: TownColumns, size: int
    ) -> None:
        self._table, self._world, self._town = knowledge, world, town
        self._horizon, self._count = world.scenario.horizon, world.count
        self._rooms: Ints = np.arange(self._count) * town.arenas
        # By who fills a slot; the last stands for nobody.
        self._index: Floats = np.append(town.index, np.float32(0))
        self._base: Floats = np.zeros((self._count, size), dtype=np.float32)
        self._base[:, SELF] = town.index
        self._base[:, SELF + 1] = town.count
        self._changes = -1
        self._arena: Ints | None = None  # of which the rooms stand in `_base`
        vision = world.town.people.vision
        around = world.town.surroundings.items()
        self._groups = [(np.flatnonzero(vision == r), a) for r, a in around]

    def start(self, arena: Ints) -> Floats:
        """Return new vectors, shape (N, size), that hold what rarely changes.

        That is which room people are in, `arena` of shape (N,), and what they know.
        """
        if self._changes != self._table.changes:
            self._write()
            self._changes = self._table.changes
        if arena is not self._arena:
            self._arena = arena
            self._base[:, ROOM:SELF] = self._town.room.take(self._rooms + arena, axis=0)
        return self._base.copy()

    def fill(self, out: Floats, tile: Ints, arena: Ints, tick: int) -> None:
        """Write the goals of everyone into `out`.

        Args:
            out: of `start`.
            tile: where everyone is, shape (N,).
            arena: and in which arena.
            tick: the present one.
        """
        if self._table.has_goals:
            slots = out[:, GOALS:FACTS].reshape(len(out), GOAL_SLOTS, GOAL_COLUMNS)
            self._fill_goals(slots[..., GOAL_FIXED:], tile, arena, tick)

    def fill_people(self, slots: Floats, near: Near) -> None:
        """Write who the people in sight are.

        Args:
            slots: of everyone, shape (N * PERSON_SLOTS, PERSON_COLUMNS).
            near: who fills them.
        """
        table = self._table
        slots[:, 5] = self._index[near.who]
        if table.has_goals:
            j = near.who
            slots[:, _OTHERS:_TOLD] = table.person[near.viewer] == j[:, None]
            about = near.there & (table.fact[near.viewer] >= 0).any(axis=1)
            for k in about.nonzero()[0].tolist():
                row, seen = int(near.viewer[k]), int(j[k])
                if self._town.sees_hearers[row, seen]:
                    slots[k, _TOLD:_ABOUT] = self._find_told(row, seen)
        if table.has_suspects:
            shown = near.there.nonzero()[0]
            j = near.who[shown]
            slots[shown, _ABOUT] = table.suspects[near.viewer[shown], j]

    def fill_things(self, out: Floats, tile: Ints) -> None:
        """Write which of the objects in sight matter to one's goals."""
        table = self._table
        if table.things is None:
            return
        slots = out[:, THINGS:SIZE].reshape(len(out), OBJECT_SLOTS, THING_COLUMNS)
        for who, around in self._groups:
            near = self._town.find_nearest(tile[who], around)
            mine = near[:, :, None] == table.object[who][:, None, :]
            mine &= (near >= 0)[:, :, None]
            at, k, g = mine.nonzero()
            if len(at):
                self._fill_things(slots, table.things, who[at], k, g)

    def _write(self) -> None:
        """Write what people know, and what they have to achieve."""
        table, town, base = self._table, self._town, self._base
        slots = base[:, FACTS:THINGS].reshape(len(base), FACT_SLOTS, FACT_COLUMNS)
        shown = min(FACT_SLOTS, len(town.about))
        known, about = table.knows[:, :shown], town.about[:shown]
        base[:, _PART_KNOWN] = table.knows.sum(axis=1) / max(1, len(town.about))
        slots[:, :shown, 0] = known
        slots[:, :shown, 1] = np.where(known & (about >= 0), town.index[about], 0)
        if table.has_goals:
            slots[:, :shown, 2:] = table.fact[:, None, :] == np.arange(shown)[:, None]
            self._write_goals(base[:, GOALS:FACTS].reshape(len(base), GOAL_SLOTS, GOAL_COLUMNS))

    def _write_goals(self, slots: Floats) -> None:
        table, town = self._table, self._town
        kind, o, person, fact = table.kind, table.object, table.person, table.fact
        slots[..., :_KINDS] = kind[..., None] == np.arange(1, _KINDS + 1)
        slots[..., _KINDS] = table.done
        objects = self._world.plan.objects
        states = np.array([max(1, len(item.states)) for item in objects] or [1])
        wanted = table.state
        slots[..., _KINDS + 1] = np.where(wanted >= 0, (wanted + 1) / states[o], 0)
        slots[..., _KINDS + 2] = np.where(person >= 0, town.index[person], 0)
        slots[..., _KINDS + 3] = np.where(fact >= 0, (fact + 1) / max(1, len(town.about)), 0)
        slots[..., _KINDS + 4] = np.take_along_axis(table.knows, fact, axis=1)

    def _fill_goals(self, slots: Floats, tile: Ints, arena: Ints, tick: int) -> None:
        """Write what changes as one walks and as time goes by; `slots` of shape (N, 2, 10)."""
        goals, town, here = self._table, self._town, tile[:, None]
        located, seen = goals.tile >= 0, goals.person_tile >= 0
        slots[..., 0] = located
        for k, part in enumerate(town.measure_offsets(here, goals.tile)):
            slots[..., 1 + k] = part * located
        slots[..., 4] = town.covers[goals.place, arena[:, None]]
        timed = (goals.start >= 0, goals.end >= 0)
        for k, (moment, has) in enumerate(zip((goals.start, goals.end), timed, strict=True)):
            left = np.clip((moment - tick) / self._horizon, -1.0, 1.0)
            slots[..., 5 + k] = np.where(has, left, k * (goals.kind > 0))
        slots[..., 7] = seen
        east, south, _ = town.measure_offsets(here, goals.person_tile)
        slots[..., 8], slots[..., 9] = east * seen, south * seen

    def _find_told(self, row: int, j: int) -> tuple[bool, ...]:
        """Return True if `j` heard the facts of the goals of `row` from that person."""
        told = self._world.state.told
        return tuple((row, j, fact) in told for fact in self._table.fact[row].tolist())

    def _fill_things(self, slots: Floats, things: ThingTables, row: Ints, k: Ints, g: Ints) -> None:
        """Write what goal `g` of `row` wants of the object in its slot `k`; all shapes (M,)."""
        table = self._table
        slots[row, k, g] = 1.0
        o, wanted = table.object[row, g], table.state[row, g]
        known, now = wanted >= 0, table.now[o]
        slots[row, k, GOAL_SLOTS + g] = known & (now == wanted)
        s = np.where(known, things.number_of[0, o, now, wanted], -1)
        fits = (s >= 0) & (s < STATE_SLOTS)
        slots[row[fits], k[fits], 2 * GOAL_SLOTS + s[fits]] = 1.0
        accuses = table.kind[row, g] == _ACCUSE
        if accuses.any():
            row, k = row[accuses], k[accuses]
            named = things.find_named(np.zeros_like(o), o, now)[accuses]
            suspected = table.suspects[row[:, None], named] & (named >= 0)
            shown = slots[row, k]
            np.maximum(shown[:, 2 * GOAL_SLOTS :], suspected, out=shown[:, 2 * GOAL_SLOTS :])
            slots[row, k] = shown


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
        self._world, self._vicinity, self._menu = world, vicinity, menu
        self._own = OwnColumns(world, knowledge, town, menu.columns)
        self._state, self._count = world.state, world.count
        self._objects = world.plan.objects
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
        now[0], now[1], now[2] = measure_time(self._world, snapshot.tick)
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
        parts = [*measure_time(self._world, snapshot.tick), *people.ravel().tolist(), *states]
        return np.array(parts, dtype=np.float32)

    def locate_people(self, near: Near, tile: Ints) -> Floats:
        """Fill the slots with presence and offsets, shape (P * PERSON_SLOTS, PERSON_COLUMNS).

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


def measure_time(world: World, tick: int) -> tuple[float, float, float]:
    """Return the first three columns at `tick`."""
    angle = world.town.clock.second(tick) * _DAY
    return math.sin(angle), math.cos(angle), min(1.0, tick / world.scenario.horizon)


def find_company(near: Near, talk: Ints) -> Bools:
    """Mark the people in the slots who share the viewer's conversation, shape as `near.there`.

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
