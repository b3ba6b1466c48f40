"""The menu: one fixed list of N choices, the same for all agents and at every tick.

| choices | meaning |
|---|---|
| 0 | idle |
| 1 .. P | go to place p (sectors and arenas, in the scenario's order) |
| K | go to the k-th nearest person in sight |
| K | talk to the k-th nearest person in sight |
| O | go to the o-th nearest object in sight |
| O x S | put the o-th nearest object into the s-th of its next states |
| 1 | leave the conversation |

Slots keep N independent of the population. The mask says exactly what is possible now.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from genagents_env.observe.columns import OBJECT_SLOTS, PERSON_SLOTS, SIZE, STATE_SLOTS
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.observe.vicinity import Vicinity
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World


class Choice(NamedTuple):
    """One line of the menu. `kind`: idle, place, approach, talk, reach, use or leave.

    The other menus also have tell, where `state` is the fact slot; the portable one seek, reach_own
    and use_own; the plain one name.
    """

    kind: str
    slot: int
    state: int = 0


class Near(NamedTuple):
    """Who fills the person slots of P people.

    All have the shape (P * PERSON_SLOTS,), because numpy takes twice as long for rows so short:
    `viewer`, whose slot it is; `who` is in it, P where nobody is; whether anybody is `there`; and
    which `pair` of all that see each other that is, any number where there is none.
    """

    viewer: Ints
    who: Ints
    there: Bools
    pair: Ints


def find_nearest(seen: Ints, first: Ints) -> Near:
    """Return the PERSON_SLOTS nearest people of everyone.

    Args:
        seen: by all, one viewer after another, each viewer's nearest first, shape (M,).
        first: where those whom each viewer sees begin in `seen`, and M, shape (P + 1,).
    """
    count = len(first) - 1
    viewer, following, slot = _list_slots(count)
    pair = first[viewer] + slot
    there = pair < first[following]
    who = seen.take(pair, mode="clip") if len(seen) else pair
    who[~there] = count
    return Near(viewer, who, there, pair)


@lru_cache(maxsize=8)
def _list_slots(count: int) -> tuple[Ints, Ints, Ints]:
    """Return the viewer, the next viewer and the number of each slot of `count` people."""
    slot = np.arange(count * PERSON_SLOTS)
    parts = slot // PERSON_SLOTS, slot // PERSON_SLOTS + 1, slot % PERSON_SLOTS
    for part in parts:
        part.flags.writeable = False
    return parts


def find_hearers(near: Near, apart: Ints, hearing: Ints) -> Bools:
    """Mark the people in the slots who are in earshot, shape as `near.there`.

    Args:
        near: who fills the person slots.
        apart: how far apart all pairs are that see each other, shape (M,), M > 0.
        hearing: how far each of the P people hears.
    """
    heard = apart.take(near.pair, mode="clip") <= hearing.take(near.who, mode="clip")
    return near.there & heard


def list_bound_slots(near: Near, may: Bools, bound: Bools) -> Iterable[tuple[int, int, int]]:
    """Return viewer, seen and slot where speech may be refused by a rule of conversation.

    Args:
        near: who fills the person slots.
        may: where one could speak to whom one sees, shape as `near.there`.
        bound: whom conversations bind.
    """
    slot = may.nonzero()[0]
    viewer, seen = near.viewer[slot], near.who[slot]
    some = bound[viewer] | bound[seen]
    columns = (viewer[some], seen[some], slot[some])
    return zip(*(column.tolist() for column in columns), strict=True)


class Menu:
    """The choices of one world, what fills their slots, and the mask over them.

    `columns` is how many numbers an observation has, `allowed` which places everyone knows and may
    enter, int8, shape (N, P).
    """

    columns = SIZE

    def __init__(
        self, world: World, vicinity: Vicinity, choices: tuple[Choice, ...] | None = None
    ) -> None:
        self._world, self._vicinity = world, vicinity
        self._state = world.state
        places = len(world.town.places.all)
        self.choices = list_choices(places) if choices is None else choices
        self.size = len(self.choices)
        kinds = [c.kind for c in self.choices]
        self.approach, self.talk = kinds.index("approach"), kinds.index("talk")
        self.reach, self.use = kinds.index("reach"), kinds.index("use")
        self.leave = kinds.index("leave")
        self._goals: Ints = np.array(
            [c.slot if c.kind == "place" else -1 for c in self.choices], dtype=np.int64
        )
        plain = ("idle", "place")
        self.special: Mask = np.array([c.kind not in plain for c in self.choices], dtype=np.int8)
        self.owned = any(item.users for item in world.plan.objects)
        # Where everyone hears at least as far as anyone sees, all in sight are in earshot.
        self.all_heard = bool(world.town.people.hearing.min() >= world.town.people.vision.max())
        self._based_on: tuple[object, object] = (None, None)
        self._foreign: dict[tuple[int, int], tuple[int, ...]] = {}
        self._bits: list[int] = [0] * world.count
        self._known: Mask = np.zeros((world.count, places), dtype=np.int8)
        self.allowed: Mask = self._known
        self.base: Mask = np.zeros((world.count, self.size), dtype=np.int8)
        self.base[:, 0] = 1

    def describe(self, choice: int) -> str:
        """Describe a choice in words."""
        kind, index, state = self.choices[choice]
        if kind == "place":
            return f"go to {self._world.town.places.ids[index]}"
        if kind in ("approach", "talk"):
            verb = "go to" if kind == "approach" else "talk to"
            return f"{verb} person {index + 1} in sight"
        if kind == "reach":
            return f"go to object {index + 1} in sight"
        if kind == "use":
            return f"put object {index + 1} into its next state {state + 1}"
        return "idle" if kind == "idle" else "leave the conversation"

    def person(self, i: int, slot: int) -> int:
        """Return the person in a slot of `i` at this tick."""
        viewers, seen, _ = self._world.pairs
        return int(seen[np.searchsorted(viewers, i) + slot])

    def object(self, i: int, slot: int) -> int:
        """Return the object in a slot of `i` at this tick."""
        return self._vicinity.of[i].object(int(self._state.tile[i]), slot)

    def find_goals(self, chosen: Ints) -> Ints:
        """Map choices to the places they lead to, -1 for others; shape as `chosen`."""
        goals: Ints = self._goals[chosen]
        return goals

    def fill_columns(self, out: Floats) -> None:
        """Write the columns of the menu's own slots into `out`, shape (N, columns - SIZE)."""

    def mask(self, snapshot: Snapshot, near: Near) -> Mask:
        """Return the mask of possible choices, int8, shape (N, choices), a new array."""
        self.update_base(snapshot.known)
        mask = self.base.copy()
        if len(snapshot.pairs[0]):
            self._mask_people(mask, near, snapshot.pairs[2])
        self._vicinity.fill_uses(snapshot.tile, mask[:, self.reach : self.leave])
        if self.owned:
            self.mask_owned(mask, snapshot.tile)
        for i in snapshot.talks:
            mask[i, self.leave] = 1
        if not snapshot.all_awake:
            mask[snapshot.asleep, self.reach : self.leave] = 0
            mask[~snapshot.present, 1:] = 0
        return mask

    def update_base(self, bits: tuple[int, ...]) -> bool:
        """Redo the part that rarely changes: known places that one may enter.

        Args:
            bits: the places each person knows.

        Returns:
            Whether anything may have changed in `base`, shape (N, choices).
        """
        rights = self._state.access.places
        if self._based_on[0] is bits and self._based_on[1] is rights:
            return False
        changed = [
            i for i, (new, old) in enumerate(zip(bits, self._bits, strict=True)) if new != old
        ]
        if changed:
            rows = self._world.town.places.to_rows([bits[i] for i in changed])
            self._known[changed] = rows
        self._bits, self._based_on = list(bits), (bits, rights)
        self.allowed = self._known & rights
        self._write_base()
        return True

    def _write_base(self) -> None:
        self.base[:, 1 : self.approach] = self.allowed

    def _mask_people(self, mask: Mask, near: Near, apart: Ints) -> None:
        world, may = self._world, near.there
        talks = world.state.conversations
        mask[:, self.approach : self.talk] = may.reshape(-1, PERSON_SLOTS)
        if not self.all_heard:
            may = find_hearers(near, apart, world.town.people.hearing)
        if talks.open or talks.until:
            bound = np.zeros(world.count, dtype=np.bool_)
            bound[list(talks.list_bound())] = True
            may = may.copy()
            for i, j, slot in list_bound_slots(near, may, bound):
                if talks.find_refusal(i, j, world.tick + 1) is not None:
                    may[slot] = False
        mask[:, self.talk : self.reach] = may.reshape(-1, PERSON_SLOTS)

    def mask_owned(self, mask: Mask, tiles: Ints) -> None:
        """Remove from the mask the uses of objects that belong to others than those on `tiles`."""
        usable = np.flatnonzero(mask[:, self.use : self.leave].any(axis=1))
        for row, tile in zip(usable.tolist(), tiles[usable].tolist(), strict=True):
            for start in self._find_foreign_uses(row, tile):
                mask[row, start : start + STATE_SLOTS] = 0

    def _find_foreign_uses(self, i: int, tile: int) -> tuple[int, ...]:
        """Return the first choices of uses that are closed to `i` on `tile`."""
        uses = self._foreign.get((i, tile))
        if uses is None:
            objects, name = self._world.plan.objects, self._world.names[i]
            around = self._vicinity.of[i].around.objects(tile)[:OBJECT_SLOTS]
            uses = self._foreign[i, tile] = tuple(
                self.use + k * STATE_SLOTS
                for k, (o, _) in enumerate(around)
                if objects[o].users and name not in objects[o].users
            )
        return uses


def list_choices(places: int) -> tuple[Choice, ...]:
    """Return the choices of a town with so many places."""
    return (
        Choice("idle", 0),
        *(Choice("place", p) for p in range(places)),
        *(Choice("approach", k) for k in range(PERSON_SLOTS)),
        *(Choice("talk", k) for k in range(PERSON_SLOTS)),
        *(Choice("reach", o) for o in range(OBJECT_SLOTS)),
        *(Choice("use", o, s) for o in range(OBJECT_SLOTS) for s in range(STATE_SLOTS)),
        Choice("leave", 0),
    )
