"""What fills the slots of the plain menu: a draw of its own for every agent and episode.

A place, a person, a thing or a fact keeps its slot for an episode, and has another in the next, and
another for the next agent: no slot means anything before it was looked at. Where a town has more of
them than there are slots, some are left out, but none that the agent's own goals are about.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.rng import draw_keys
from genagents_env.world.goals import GOAL_SLOTS, GoalBoard
from genagents_env.world.places import Places
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

PLACE_SLOTS, PERSON_SLOTS, THING_SLOTS, FACT_SLOTS = 32, 8, 24, 4
NONE = -1
_LAST = np.iinfo(np.uint64).max
_WORD = 1 << 40  # beyond all ticks, by which others draw


class Targets(NamedTuple):
    """What the goals of N people are about, known to them or not, each shape (N, GOAL_SLOTS)."""

    place: Ints
    person: Ints
    thing: Ints
    fact: Ints


def find_targets(world: World, board: GoalBoard) -> Targets:
    """Return what goals are about, -1 for nothing; the culprit of an accusation is left out."""
    found = Targets(*(np.full((world.count, GOAL_SLOTS), NONE) for _ in Targets._fields))
    for i in board.owners:
        for slot, goal in enumerate(board.goals[i]):
            numbers = board.read(world, goal)
            found.place[i, slot], found.person[i, slot] = numbers.place, numbers.person
            found.thing[i, slot], found.fact[i, slot] = numbers.object, numbers.fact
    return found


def mark_rooms(places: Places) -> Bools:
    """Mark the places that are no sectors with rooms of their own, shape (P,)."""
    wholes = {place.id.partition("/")[0] for place in places.all if "/" in place.id}
    return np.array([place.id not in wholes for place in places.all], dtype=np.bool_)


class PlainSlots:
    """The slots of the N people of each of T towns, by row `town * N + person`, -1 for nothing.

    Attributes:
        places: shape (T * N, PLACE_SLOTS); `people`, `things` and `facts` likewise.

    Args:
        people: N.
        rooms: of each layout, which places may have a slot.
        things: how many there are in each layout.
        facts: likewise.
        layout: of each town, shape (T,).
    """

    def __init__(
        self,
        people: int,
        rooms: Sequence[Bools],
        things: Sequence[int],
        facts: Sequence[int],
        layout: Ints,
    ) -> None:
        self._layout, self._count = layout, people
        self._rooms = _stack(rooms)
        self._things = _stack([np.ones(count, dtype=np.bool_) for count in things])
        self._facts = _stack([np.ones(count, dtype=np.bool_) for count in facts])
        rows = len(layout) * people
        self.places: Ints = np.full((rows, PLACE_SLOTS), NONE)
        self.people: Ints = np.full((rows, PERSON_SLOTS), NONE)
        self.things: Ints = np.full((rows, THING_SLOTS), NONE)
        self.facts: Ints = np.full((rows, FACT_SLOTS), NONE)

    def deal(self, towns: Ints, seeds: npt.NDArray[np.uint64], targets: Sequence[Targets]) -> None:
        """Draw the slots of everybody in some towns for the episodes of their seeds."""
        n = self._count
        rows = (towns[:, None] * n + np.arange(n)).ravel()
        who, of = rows % n, self._layout[towns].repeat(n)
        wanted = [np.concatenate(parts) for parts in zip(*targets, strict=True)]
        others = np.arange(n) != who[:, None]
        may = (self._rooms[of], others, self._things[of], self._facts[of])
        every = (self.places, self.people, self.things, self.facts)
        for number, (slots, own, about) in enumerate(zip(every, may, wanted, strict=True)):
            words = _WORD + (2 * number << 20) + who
            slots[rows] = _draw(seeds.repeat(n), words, own, about, slots.shape[1])


def _draw(seeds: npt.NDArray[np.uint64], words: Ints, may: Bools, wanted: Ints, slots: int) -> Ints:
    """Return what is in the slots of M people, shape (M, slots).

    Args:
        seeds: of their episodes, shape (M,).
        words: by which they draw, shape (M,).
        may: what each may have, shape (M, K).
        wanted: what each has in any case, shape (M, G), -1 for nothing.
        slots: how many there are.
    """
    keys = np.where(may, draw_keys(seeds, words, may.shape[1]) >> np.uint64(1), _LAST)
    row, slot = (wanted >= 0).nonzero()
    keys[row, wanted[row, slot]] = 0
    first = np.argsort(keys, axis=1, kind="stable")[:, :slots]
    drawn: Ints = np.full((len(may), slots), NONE)
    some = np.take_along_axis(keys, first, axis=1) < _LAST
    drawn[:, : first.shape[1]] = np.where(some, first, NONE)
    order = np.argsort(draw_keys(seeds, words + (1 << 20), slots), axis=1, kind="stable")
    return np.take_along_axis(drawn, order, axis=1)


def _stack(rows: Sequence[Bools]) -> Bools:
    """Return rows of different lengths as one array, False where they are over."""
    out = np.zeros((len(rows), max(map(len, rows))), dtype=np.bool_)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out
