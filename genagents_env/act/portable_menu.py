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

from genagents_env.act.menu import Choice, Menu, Near
from genagents_env.act.portable_slots import PortableSlots
from genagents_env.act.spaces import Floats, Mask
from genagents_env.observe.columns import (
    GOAL_SLOTS,
    OBJECT_SLOTS,
    PERSON_SLOTS,
    PLACE_ROLES,
    PLACE_SLOTS,
    PORTABLE_SIZE,
    STATE_SLOTS,
    TELL_SLOTS,
)
from genagents_env.observe.knowledge_table import KnowledgeTable
from genagents_env.observe.town_columns import TownColumns
from genagents_env.observe.vicinity import Vicinity
from genagents_env.world.sight import Pairs
from genagents_env.world.snapshot import Bools, Snapshot
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

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
        self._slots, self._first = PortableSlots([world], knowledge, town), 0
        self._knowledge = knowledge

    def share(self, slots: PortableSlots, knowledge: KnowledgeTable, first: int) -> None:
        """Read the slots of several towns from now on; those of this one begin at `first`."""
        self._slots, self._knowledge, self._first = slots, knowledge, first

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
        slot = chosen - PLACES
        first = self._first
        places = self._slots.places[first : first + len(chosen)]
        is_place = (slot >= 0) & (slot < PLACE_SLOTS)
        rows = np.arange(len(chosen))
        return np.where(is_place, places[rows, np.where(is_place, slot, 0)], -1)

    def find_fact(self, i: int, slot: int) -> int:
        """Return the fact in a slot of facts to tell of `i` at this tick."""
        return int(self._slots.facts[self._first + i, slot])

    def find_wanted(self, i: int, goal: int) -> tuple[int, int, int]:
        """Return person, object and state of a goal of `i`."""
        table, row = self._knowledge, self._first + i
        return (
            int(table.person[row, goal]),
            int(table.object[row, goal]),
            int(table.state[row, goal]),
        )

    def mask(self, snapshot: Snapshot, near: Near) -> Mask:
        """Return what is possible now, int8, shape (N, choices), a new array."""
        mask = super().mask(snapshot, near)
        awake = snapshot.all_awake
        self.fill_slots(
            mask,
            self._slots,
            snapshot.tile,
            snapshot.arena,
            snapshot.pairs,
            None if awake else snapshot.asleep,
            None if awake else snapshot.present,
        )
        return mask

    def fill_slots(
        self,
        mask: Mask,
        slots: PortableSlots,
        tile: Ints,
        arena: Ints,
        pairs: Pairs,
        asleep: Bools | None,
        present: Bools | None,
    ) -> None:
        """Bring `slots` up to date, and write into `mask` what is possible with them.

        Args:
            mask: of the people in `slots`, with everything else written.
            slots: of one town, or of several.
            tile: where they are.
            arena: and in which arena.
            pairs: who sees whom.
            asleep: who sleeps; None if nobody.
            present: who is in town; None if everybody.
        """
        mask[:, PLACES:SEEK] = slots.fill_places(tile, arena)
        facts = slots.fill_facts()
        talk = mask[:, self.talk : self.reach]
        if facts.any() and talk.any():
            mask[:, TELL : self.approach] = (talk[:, :, None] & facts[:, None, :]).reshape(
                len(mask), -1
            )
        if slots.has_goals:
            mask[:, SEEK:REACH_OWN] = slots.find_seekers(pairs)
            mask[:, REACH_OWN:USE_OWN] = slots.find_reachers()
            mask[:, USE_OWN:TELL] = slots.find_users()
        if asleep is not None:
            mask[asleep, SEEK:TELL] = 0
        if present is not None:
            mask[~present, 1:] = 0

    def fill_columns(self, out: Floats) -> None:
        """Write the columns of the slots into `out`, shape (N, columns - SIZE)."""
        self._slots.fill_columns(out)

    def _write_base(self) -> None:
        self._slots.allow(self._first // self._world.count, self.allowed)


def list_portable_choices() -> tuple[Choice, ...]:
    """Return the choices, the same in every town."""
    return (
        Choice("idle", 0),
        *(Choice("place", k) for k in range(PLACE_SLOTS)),
        *(Choice("seek", g) for g in range(GOAL_SLOTS)),
        *(Choice("reach_own", g) for g in range(GOAL_SLOTS)),
        *(Choice("use_own", g) for g in range(GOAL_SLOTS)),
        *(Choice("tell", k, f) for k in range(PERSON_SLOTS) for f in range(TELL_SLOTS)),
        *(Choice("approach", k) for k in range(PERSON_SLOTS)),
        *(Choice("talk", k) for k in range(PERSON_SLOTS)),
        *(Choice("reach", o) for o in range(OBJECT_SLOTS)),
        *(Choice("use", o, s) for o in range(OBJECT_SLOTS) for s in range(STATE_SLOTS)),
        Choice("leave", 0),
    )
