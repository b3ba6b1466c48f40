"""The observations of all people of a batch, as two arrays; each row is as from its town alone."""

from collections.abc import Sequence

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.observe.columns import (
    PERSON_SLOTS,
    ROOM,
    SIZE,
    THINGS,
    TILE,
)
from genagents_env.observe.knowledge_table import KnowledgeTable
from genagents_env.observe.menu import Near, find_hearers, find_nearest, list_bound_slots
from genagents_env.observe.portable_menu import PortableMenu, PortableSlots
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.observe.vector_obs import OwnColumns, find_company, put_people
from genagents_env.observe.vicinity import COLUMNS, OBJECT_CHOICES
from genagents_env.world.batched_world import BatchedWorld
from genagents_env.world.tiles import Bools, Ints


class BatchedTables:
    """The tables of one vision radius of T towns in one array each, rows town * tiles + tile."""

    def __init__(self, envs: Sequence[TownEnv], group: int) -> None:
        self._nearby = [env.parts.vicinity.groups[group][0] for env in envs]
        self.who = envs[0].parts.vicinity.groups[group][1]
        tiles = envs[0].world.town.ground.count
        self._start: Ints = (np.arange(len(envs)) * tiles)[:, None]
        self._tiles, rows = tiles, len(envs) * tiles
        self._numbers: Floats = np.zeros((rows, COLUMNS), dtype=np.float32)
        self._uses: Mask = np.zeros((rows, OBJECT_CHOICES), dtype=np.int8)
        self._ready = np.zeros(rows, dtype=np.bool_)
        for t, nearby in enumerate(self._nearby):
            part = slice(t * tiles, (t + 1) * tiles)
            nearby.move(self._numbers[part], self._uses[part], self._ready[part])

    def rows(self, tile: Ints, states: Sequence[tuple[str, ...]]) -> tuple[Floats, Mask]:
        """Return numbers and uses of those on `tile`, shape (T, W), in this order.

        Args:
            tile: of the people of this radius in each town.
            states: the objects' states in each town.
        """
        for nearby, now in zip(self._nearby, states, strict=True):
            if nearby.states is not now:
                nearby.forget(now)
        index = (tile + self._start).ravel()
        ready = self._ready[index]
        if np.count_nonzero(ready) < len(index):
            for row in dict.fromkeys(index[~ready].tolist()):
                self._nearby[row // self._tiles].fill(row % self._tiles)
        return self._numbers.take(index, axis=0), self._uses.take(index, axis=0)


class BatchedObservation:
    """Observations and masks of all people of T towns, rows town * N + person.

    Does what `VectorObservation.observe` and `Menu.mask` do for one town, bit for bit.
    """

    def __init__(self, envs: Sequence[TownEnv], batch: BatchedWorld) -> None:
        first = envs[0]
        self._envs, self._batch, self._count = envs, batch, batch.size
        self._menu, self._vector = first.parts.menu, first.parts.vector
        slots = len(envs) * batch.size
        self._tables = [BatchedTables(envs, g) for g in range(len(first.parts.vicinity.groups))]
        self._base: Mask = np.zeros((slots, self._menu.size), dtype=np.int8)
        self._talk: Ints = np.full(slots, -1, dtype=np.int64)
        self._talking = [False] * len(envs)
        self._hearing = np.tile(first.world.town.people.hearing, len(envs))
        self._clock: Floats = np.zeros((0, 3), dtype=np.float32)
        self.illegal: Ints = np.zeros(slots, dtype=np.int64)
        boards = [env.parts.reward.board for env in envs]
        town = first.parts.town
        self._knowledge = KnowledgeTable(batch.worlds, boards, town)
        self._own = OwnColumns(batch.worlds, self._knowledge, town, self._menu.columns)
        self._slots: PortableSlots | None = None
        if isinstance(self._menu, PortableMenu):
            self._slots = PortableSlots(batch.worlds, self._knowledge, town)
            for t, env in enumerate(envs):
                assert isinstance(env.parts.menu, PortableMenu)  # noqa: S101 (copies of the first)
                env.parts.menu.share(self._slots, self._knowledge, t * batch.size)

    def find_goals(self, chosen: Ints) -> Ints:
        """Return the places to which the choices of all slots lead, -1 for other choices."""
        return self._menu.find_goals(chosen)

    def look(self) -> tuple[Floats, Mask]:
        """Return numbers, shape (T * N, columns), and masks, (T * N, choices), of this tick.

        `illegal` is then 1 for everyone whose last action was never possible.
        """
        batch = self._batch
        self._knowledge.refresh()
        tile, arena = batch.tile.ravel(), batch.arena.ravel()
        out = self._own.start(arena)
        self._notice(out)
        out[:, :3] = self._times()
        out[:, 4] = self._talk >= 0
        out[:, 5] = batch.arrived.ravel()
        mask = self._base.copy()
        if len(batch.pairs[0]):
            self._people(out, mask, find_nearest(batch.pairs[1], batch.first))
        self._objects(out, mask)
        mask[:, self._menu.leave] = self._talk >= 0
        self._own.fill(out, tile, arena, batch.ticks.repeat(self._count))
        self._own.fill_things(out, tile)
        asleep = present = None
        if not batch.all_awake:
            asleep, present = batch.asleep.ravel(), batch.present.ravel()
            out[asleep, TILE + 2 : ROOM] = 0.0
            out[asleep, THINGS:SIZE] = 0.0
            out[:, 3] = asleep
            mask[asleep, self._menu.reach : self._menu.leave] = 0
            mask[~present, 1:] = 0
        if self._slots is not None and isinstance(self._menu, PortableMenu):
            self._menu.fill_slots(mask, self._slots, tile, arena, batch.pairs, asleep, present)
            self._slots.fill_columns(out[:, SIZE:])
        return out, mask

    def _notice(self, out: Floats) -> None:
        """Take over what changes in some towns only."""
        self.illegal = np.zeros(len(out), dtype=np.int64)
        for t, (env, world) in enumerate(zip(self._envs, self._batch.worlds, strict=True)):
            start = t * self._count
            if env.parts.menu.update_base(world.state.known):
                self._base[start : start + self._count] = env.parts.menu.base
            if world.state.conversations.open or self._talking[t]:
                self._talking[t] = bool(world.state.conversations.open)
                self._talk[start : start + self._count] = world.state.conversations.of
            for i, outcome in world.state.outcomes.items():
                if not outcome.ok:
                    out[start + i, 6] = 1.0
                    self.illegal[start + i] = outcome.illegal
            for i, sounds in world.state.heard.items():
                out[start + i, 7] = any(s.addressed for s in sounds)
                out[start + i, 8] = any(not s.addressed for s in sounds)

    def _times(self) -> Floats:
        """Return the columns of the hour and of the part that is over, by slot."""
        ticks = self._batch.ticks
        last = int(ticks.max())
        if last >= len(self._clock):
            more = [self._vector.measure_time(k) for k in range(len(self._clock), last + 256)]
            self._clock = np.concatenate([self._clock, np.array(more, dtype=np.float32)])
        return self._clock[ticks].repeat(self._count, axis=0)

    def _people(self, out: Floats, mask: Mask, near: Near) -> None:
        batch, menu = self._batch, self._menu
        slots = self._vector.locate_people(near, batch.tile.ravel())
        self._own.fill_people(slots, near)
        if not batch.all_awake:
            slots[:, 3] = near.there & batch.asleep.take(near.who, mode="clip")
        slots[:, 4] = find_company(near, self._talk)
        put_people(out, slots)
        mask[:, menu.approach : menu.talk] = near.there.reshape(-1, PERSON_SLOTS)
        may = near.there.copy()
        if not menu.all_heard:
            may = find_hearers(near, batch.pairs[2], self._hearing)
        self._refuse(may, near)
        mask[:, menu.talk : menu.reach] = may.reshape(-1, PERSON_SLOTS)

    def _refuse(self, may: Bools, near: Near) -> None:
        """Mask those one may not speak to now by a rule of conversation."""
        worlds, count = self._batch.worlds, self._count
        talks = [world.state.conversations for world in worlds]
        towns = [t for t, own in enumerate(talks) if own.open or own.until]
        if not towns:
            return
        bound = np.zeros(len(self._talk), dtype=np.bool_)
        bound[[t * count + i for t in towns for i in talks[t].list_bound()]] = True
        for i, j, slot in list_bound_slots(near, may, bound):
            t = i // count
            if talks[t].find_refusal(i % count, j % count, worlds[t].tick + 1) is not None:
                may[slot] = False

    def _objects(self, out: Floats, mask: Mask) -> None:
        menu, tile = self._menu, self._batch.tile
        states = [world.state.objects.states for world in self._batch.worlds]
        slots = np.arange(len(out)).reshape(tile.shape)
        for table in self._tables:
            numbers, uses = table.rows(tile[:, table.who], states)
            rows = slots[:, table.who].ravel() if len(self._tables) > 1 else slice(None)
            out[rows, TILE:ROOM] = numbers
            mask[rows, menu.reach : menu.leave] = uses
        if menu.owned:
            menu.mask_owned(mask, tile.ravel())
