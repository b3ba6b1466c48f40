"""The portable menu: choices that mean the same in every town, so that weights carry over.

| choices | meaning |
|---|---|
| 0 | idle |
| 4 | go to a place by its role: that of goal 1, that of goal 2, home, the workplace |
| 8 | go to the nearest other places that one knows and may enter |
| 2 | go to the person of goal 1, of goal 2: in sight, or where last seen |
| 2 | go to the object of goal 1, of goal 2 |
| 2 | put the object of goal 1, of goal 2 into the state that it wants |
| K x F | tell the k-th nearest person in sight the f-th fact that one knows |
| K | go to the k-th nearest person in sight |
| K | talk to the k-th nearest person in sight |
| O | go to the o-th nearest object in sight |
| O x S | put the o-th nearest object into the s-th of its next states |
| 1 | leave the conversation |

The place of a goal without one is where its person was seen last. Nearness is measured by columns
and rows to the middle of a place; of places equally near the first of the scenario comes first. The
facts that can be told: that of goal 1 in the first slot, that of goal 2 in the second, where one
knows them; the other slots hold what else one knows, in the scenario's order, secrets too.
"""

import numpy as np

from genagents_env.observe.columns import (
    GOAL_SLOTS,
    PERSON_SLOTS,
    PLACE_COLUMNS,
    PLACE_ROLES,
    PLACE_SLOTS,
    PORTABLE_SIZE,
    SIZE,
    TELL_COLUMNS,
    TELL_SLOTS,
    TELLS,
)
from genagents_env.observe.knowledge_table import KnowledgeTable, TownColumns
from genagents_env.observe.menu import Choice, Menu, Near, list_choices
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.observe.vicinity import Vicinity
from genagents_env.scenario.schema import GOAL_KINDS
from genagents_env.world.sight import Pairs
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

_FAR = np.iinfo(np.int64).max
_USE = 1 + GOAL_KINDS.index("use")


class PortableSlots:
    """The slots of the N people of a town.

    Attributes:
        places: the place in each place slot, -1 where one may not go, shape (N, PLACE_SLOTS).
        facts: the fact in each slot of facts to tell, -1 for none, shape (N, TELL_SLOTS).

    Args:
        world: the town.
        knowledge: of its people.
        town: its constants.
    """

    def __init__(self, world: World, knowledge: KnowledgeTable, town: TownColumns) -> None:
        self._world, self._table, self._town = world, knowledge, town
        self.has_goals = knowledge.has_goals
        rows, places = world.count, len(world.town.places.all)
        self._allowed: Bools = np.zeros((rows, places + 1), dtype=np.bool_)
        self.places: Ints = np.full((rows, PLACE_SLOTS), -1, dtype=np.int64)
        self._roles: Ints = np.full((rows, len(PLACE_ROLES)), -1, dtype=np.int64)
        self._roles[:, 2], self._roles[:, 3] = town.home, town.workplace
        self._new: Bools = np.ones(rows, dtype=np.bool_)
        self._tile: Ints = np.full(rows, -1, dtype=np.int64)
        self._arena = self._tile
        self.facts: Ints = np.full((rows, TELL_SLOTS), -1, dtype=np.int64)
        self._tells: Floats = np.zeros((rows, TELL_SLOTS, TELL_COLUMNS), dtype=np.float32)
        self._changes = -1

    def allow(self, allowed: Mask) -> None:
        """Take over which places people know and may enter, shape (N, P)."""
        self._allowed[:, :-1] = allowed
        self._new[:] = True

    def fill_places(self, tile: Ints, arena: Ints) -> Mask:
        """Bring `places` up to date for people on `tile`, in `arena`; return which of them are."""
        table, roles = self._table, self._roles
        if table.has_goals:
            ground, of_arena = self._world.town.ground, self._town.of_arena
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
        if self._changes != self._table.changes:
            self._write_facts()
            self._changes = self._table.changes
        return (self.facts >= 0).astype(np.int8)

    def find_seekers(self, pairs: Pairs) -> Mask:
        """Mark the goals whose person can be walked to, in sight or where last seen; (N, 2)."""
        table = self._table
        last = table.person_tile
        if not (last >= 0).any():
            return np.zeros(last.shape, dtype=np.int8)
        viewer, seen, _ = pairs
        in_sight = np.zeros(last.shape, dtype=np.bool_)
        there = (table.person[viewer] == seen[:, None]).nonzero()
        in_sight[viewer[there[0]], there[1]] = True
        town, here = self._world.town, self._tile[:, None]
        ground = town.ground
        apart = np.maximum(
            np.abs(ground.x[last] - ground.x[here]), np.abs(ground.y[last] - ground.y[here])
        )
        in_view = (apart <= town.people.vision[:, None]) & (ground.zone[last] == ground.zone[here])
        may: Bools = (last >= 0) & (in_sight | ~in_view)
        return may.astype(np.int8)

    def find_reachers(self) -> Mask:
        """Mark the goals whose object can be walked to: its place is known and open; (N, 2)."""
        table = self._table
        may: Mask = np.take_along_axis(self._allowed, table.place, axis=1).astype(np.int8)
        return may * (table.object >= 0)

    def find_users(self) -> Mask:
        """Mark the goals whose object can be put into the wanted state now; (N, 2)."""
        table = self._table
        may = np.zeros(table.object.shape, dtype=np.int8)
        things = table.things
        row, g = ((table.kind == _USE) & (table.state >= 0)).nonzero()
        if things is not None and len(row):
            o = table.object[row, g]
            fits = things.find_in_reach(np.zeros_like(o), o, self._tile[row])
            fits &= things.users[0, o, row]
            may[row, g] = fits & (things.number_of[0, o, table.now[o], table.state[row, g]] >= 0)
        return may

    def fill_columns(self, out: Floats) -> None:
        """Write the columns of all slots into `out`, shape (N, PORTABLE_SIZE - SIZE)."""
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
        town, ground = self._town, self._world.town.ground
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

    def _write_facts(self) -> None:
        """Put the facts of goals into the slots of their goals, others into the rest, by index."""
        table, town = self._table, self._town
        for row in range(len(self.facts)):
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


PLACES, SEEK = 1, 1 + PLACE_SLOTS
REACH_OWN, USE_OWN = SEEK + GOAL_SLOTS, SEEK + 2 * GOAL_SLOTS
TELL = SEEK + 3 * GOAL_SLOTS
OWN_KINDS = ("seek", "reach_own", "use_own")  # choices about the person or object of a goal


class PortableMenu(Menu):
    """The choices of one world whose slots mean the same in every town."""

    columns = PORTABLE_SIZE

    def __init__(
        self, world: World, vicinity: Vicinity, knowledge: KnowledgeTable, town: TownColumns
    ) -> None:
        super().__init__(world, vicinity, list_portable_choices())
        self._slots, self._knowledge = PortableSlots(world, knowledge, town), knowledge

    def describe(self, choice: int) -> str:
        """Return a choice in words."""
        kind, index, state = self.choices[choice]
        if kind == "place":
            if index < len(PLACE_ROLES):
                return f"go to {PLACE_ROLES[index]}"
            return f"go to the nearest other place, number {index - len(PLACE_ROLES) + 1}"
        if kind == "seek":
            return f"go to the person of goal {index + 1}"
        if kind == "reach_own":
            return f"go to the object of goal {index + 1}"
        if kind == "use_own":
            return f"put the object of goal {index + 1} into the state that it wants"
        if kind == "tell":
            return f"tell person {index + 1} in sight fact {state + 1} of those one can tell"
        return super().describe(choice)

    def find_goals(self, chosen: Ints) -> Ints:
        """Return the places to which everyone's choices lead, -1 for other choices."""
        slot, rows = chosen - PLACES, np.arange(len(chosen))
        is_place = (slot >= 0) & (slot < PLACE_SLOTS)
        return np.where(is_place, self._slots.places[rows, np.where(is_place, slot, 0)], -1)

    def find_fact(self, i: int, slot: int) -> int:
        """Return the fact in a slot of facts to tell of `i` at this tick."""
        return int(self._slots.facts[i, slot])

    def find_wanted(self, i: int, goal: int) -> tuple[int, int, int]:
        """Return person, object and state of a goal of `i`."""
        table = self._knowledge
        return int(table.person[i, goal]), int(table.object[i, goal]), int(table.state[i, goal])

    def mask(self, snapshot: Snapshot, near: Near) -> Mask:
        """Return the mask of possible choices, int8, shape (N, choices), a new array."""
        mask, slots = super().mask(snapshot, near), self._slots
        mask[:, PLACES:SEEK] = slots.fill_places(snapshot.tile, snapshot.arena)
        facts = slots.fill_facts()
        talk = mask[:, self.talk : self.reach]
        if facts.any() and talk.any():
            mask[:, TELL : self.approach] = (talk[:, :, None] & facts[:, None, :]).reshape(
                len(mask), -1
            )
        if slots.has_goals:
            mask[:, SEEK:REACH_OWN] = slots.find_seekers(snapshot.pairs)
            mask[:, REACH_OWN:USE_OWN] = slots.find_reachers()
            mask[:, USE_OWN:TELL] = slots.find_users()
        if not snapshot.all_awake:
            mask[snapshot.asleep, SEEK:TELL] = 0
            mask[~snapshot.present, 1:] = 0
        return mask

    def fill_columns(self, out: Floats) -> None:
        """Write the columns of the slots into `out`, shape (N, columns - SIZE)."""
        self._slots.fill_columns(out)

    def _write_base(self) -> None:
        self._slots.allow(self.allowed)


def list_portable_choices() -> tuple[Choice, ...]:
    """Return the choices, the same in every town."""
    return (
        Choice("idle", 0),
        *(Choice("place", k) for k in range(PLACE_SLOTS)),
        *(Choice("seek", g) for g in range(GOAL_SLOTS)),
        *(Choice("reach_own", g) for g in range(GOAL_SLOTS)),
        *(Choice("use_own", g) for g in range(GOAL_SLOTS)),
        *(Choice("tell", k, f) for k in range(PERSON_SLOTS) for f in range(TELL_SLOTS)),
        *list_choices(0)[1:],
    )
