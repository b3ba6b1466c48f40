"""What fills the slots of the portable menu: places by role and nearness, facts to tell, goals.

The same code fills them for one town and for many that are stepped together: rows count through
all towns, town * N + person.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.act.spaces import Floats, Mask
from genagents_env.observe.columns import (
    GOAL_SLOTS,
    PLACE_COLUMNS,
    PLACE_ROLES,
    PLACE_SLOTS,
    SIZE,
    TELL_COLUMNS,
    TELL_SLOTS,
    TELLS,
)
from genagents_env.observe.knowledge_table import KnowledgeTable
from genagents_env.observe.town_columns import TownColumns
from genagents_env.scenario.schema import GOAL_KINDS
from genagents_env.world.sight import Pairs
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

Bools = npt.NDArray[np.bool_]
_FAR = np.iinfo(np.int64).max
_USE = 1 + GOAL_KINDS.index("use")


class PortableSlots:
    """The slots of the people of T towns of one scenario.

    Attributes:
        places: the place in each place slot, -1 where one may not go, shape (T * N, PLACE_SLOTS).
        facts: the fact in each slot of facts to tell, -1 for none, shape (T * N, TELL_SLOTS).

    Args:
        worlds: the towns.
        knowledge: of their people.
        town: the constants of the town.
    """

    def __init__(
        self, worlds: Sequence[World], knowledge: KnowledgeTable, town: TownColumns
    ) -> None:
        self._worlds, self._table, self._town = worlds, knowledge, town
        self._count, self.has_goals = worlds[0].count, knowledge.has_goals
        self._who: Ints = np.tile(np.arange(self._count), len(worlds))
        rows, places = len(self._who), len(worlds[0].town.places.all)
        self._allowed: Bools = np.zeros((rows, places + 1), dtype=np.bool_)
        self.places: Ints = np.full((rows, PLACE_SLOTS), -1, dtype=np.int64)
        self._roles: Ints = np.full((rows, len(PLACE_ROLES)), -1, dtype=np.int64)
        self._roles[:, 2], self._roles[:, 3] = town.home[self._who], town.workplace[self._who]
        self._new: Bools = np.ones(rows, dtype=np.bool_)
        self._tile: Ints = np.full(rows, -1, dtype=np.int64)
        self._arena = self._tile
        self.facts: Ints = np.full((rows, TELL_SLOTS), -1, dtype=np.int64)
        self._tells: Floats = np.zeros((rows, TELL_SLOTS, TELL_COLUMNS), dtype=np.float32)
        self._changes = [-1] * len(worlds)

    def allow(self, t: int, allowed: Mask) -> None:
        """Take over which places the people of town `t` know and may enter, shape (N, P)."""
        rows = self._table.rows(t)
        self._allowed[rows, :-1] = allowed
        self._new[rows] = True

    def fill_places(self, tile: Ints, arena: Ints) -> Mask:
        """Bring `places` up to date for people on `tile`, in `arena`; return which of them are."""
        table, roles = self._table, self._roles
        if table.has_goals:
            ground, of_arena = self._worlds[0].town.ground, self._town.of_arena
            seen = np.where(table.person_tile < 0, -1, of_arena[ground.arena[table.person_tile]])
            wanted = np.where(table.place < 0, seen, table.place)
            self._new |= (wanted != roles[:, :GOAL_SLOTS]).any(axis=1)
            roles[:, :GOAL_SLOTS] = wanted
        rows = (self._new | (tile != self._tile)).nonzero()[0]
        if len(rows):
            own = roles[rows]
            fits = np.take_along_axis(self._allowed[rows], own, axis=1)
            self.places[rows, : len(PLACE_ROLES)] = np.where(fits, own, -1)
            self.places[rows, len(PLACE_ROLES) :] = self._find_nearest(rows, tile[rows], own)
        self._new[:] = False
        self._tile, self._arena = tile, arena
        return (self.places >= 0).astype(np.int8)

    def fill_facts(self) -> Mask:
        """Bring `facts` up to date; return which of them are."""
        table = self._table
        if self._changes != table.changes:
            for t, changes in enumerate(table.changes):
                if self._changes[t] != changes:
                    self._write_facts(range(len(self._who))[table.rows(t)])
            self._changes = list(table.changes)
        return (self.facts >= 0).astype(np.int8)

    def find_seekers(self, pairs: Pairs) -> Mask:
        """Return who may go to the person of each goal, in sight or where last seen; (T * N, 2)."""
        table = self._table
        last = table.person_tile
        if not (last >= 0).any():
            return np.zeros(last.shape, dtype=np.int8)
        viewer, seen, _ = pairs
        in_sight = np.zeros(last.shape, dtype=np.bool_)
        there = (table.person[viewer] == self._who[seen][:, None]).nonzero()
        in_sight[viewer[there[0]], there[1]] = True
        town, here = self._worlds[0].town, self._tile[:, None]
        ground = town.ground
        apart = np.maximum(
            np.abs(ground.x[last] - ground.x[here]), np.abs(ground.y[last] - ground.y[here])
        )
        in_view = (apart <= town.people.vision[self._who][:, None]) & (
            ground.zone[last] == ground.zone[here]
        )
        may: Bools = (last >= 0) & (in_sight | ~in_view)
        return may.astype(np.int8)

    def find_reachers(self) -> Mask:
        """Return who may go to the object of each goal: its place is known and open; (T * N, 2)."""
        table = self._table
        may: Mask = np.take_along_axis(self._allowed, table.place, axis=1).astype(np.int8)
        return may * (table.object >= 0)

    def find_users(self) -> Mask:
        """Return who may put the object of each goal into the wanted state now; (T * N, 2)."""
        table = self._table
        may = np.zeros(table.object.shape, dtype=np.int8)
        things = table.things
        row, g = ((table.kind == _USE) & (table.state >= 0)).nonzero()
        if things is not None and len(row):
            o = table.object[row, g]
            fits = things.find_in_reach(self._who[row], self._tile[row], o)
            row, g, o = row[fits], g[fits], o[fits]
            towns = row // self._count
            may[row, g] = things.find_next(towns, o, table.state[row, g]) >= 0
        return may

    def fill_columns(self, out: Floats) -> None:
        """Write the columns of all slots into `out`, shape (T * N, PORTABLE_SIZE - SIZE)."""
        slots = out[:, : TELLS - SIZE].reshape(len(out), PLACE_SLOTS, PLACE_COLUMNS)
        town, places = self._town, self.places
        there = places >= 0
        slots[..., 0] = there
        offsets = town.measure_offsets(self._tile[:, None], town.middle[places])
        for k, part in enumerate(offsets):
            slots[..., 1 + k] = part * there
        goals = self._roles[:, :GOAL_SLOTS]
        slots[..., 4:6] = (places[:, :, None] == goals[:, None, :]) & there[:, :, None]
        slots[..., 6] = town.covers[places, self._arena[:, None]]
        out[:, TELLS - SIZE :] = self._tells.reshape(len(out), -1)

    def _find_nearest(self, rows: Ints, tile: Ints, roles: Ints) -> Ints:
        """Return the nearest places without a role, by columns and rows to their middles."""
        town, ground = self._town, self._worlds[0].town.ground
        count, wanted = len(town.middle), PLACE_SLOTS - len(PLACE_ROLES)
        apart = np.abs(ground.x[town.middle] - ground.x[tile][:, None])
        apart += np.abs(ground.y[town.middle] - ground.y[tile][:, None])
        key = np.full((len(rows), max(count, wanted) + 1), _FAR, dtype=np.int64)
        near = apart * count + np.arange(count)
        key[:, :count] = np.where(self._allowed[rows, :-1], near, _FAR)
        np.put_along_axis(key, roles, _FAR, axis=1)
        if count > wanted:
            key = np.partition(key, wanted - 1, axis=1)
        key = np.sort(key[:, :wanted], axis=1)
        return np.where(key < _FAR, key % count, -1)

    def _write_facts(self, rows: range) -> None:
        """Put the facts of goals into the slots of their goals, others into the rest, by index."""
        table, town = self._table, self._town
        for row in rows:
            known = table.knows[row].nonzero()[0].tolist()
            slots = [-1] * TELL_SLOTS
            for g, fact in enumerate(table.fact[row].tolist()):
                if fact in known:
                    slots[g] = fact
                    known.remove(fact)
            rest = iter(known)
            slots = [next(rest, -1) if fact < 0 else fact for fact in slots]
            self.facts[row] = slots
            columns = self._tells[row]
            for k, fact in enumerate(slots):
                about = int(town.about[fact]) if fact >= 0 else -1
                columns[k, 0] = fact >= 0
                columns[k, 1] = town.index[about] if about >= 0 else 0
                columns[k, 2:] = (table.fact[row] == fact) & (fact >= 0)
