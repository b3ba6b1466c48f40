"""The mutable state of one town, handed to every rule of the world."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import Field
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from genagents_env.rng import rank
from genagents_env.scenario.plan import ObjectPlan, TownPlan
from genagents_env.world.access import Access
from genagents_env.world.constants import DAY, TownConstants
from genagents_env.world.conversations import Conversations
from genagents_env.world.events import JSON, Log
from genagents_env.world.paths import Way
from genagents_env.world.resolved import ResolvedMove
from genagents_env.world.sight import Earshot, Sightings
from genagents_env.world.snapshot import ActionOutcome, Sound
from genagents_env.world.tiles import Bools, Ints


class Objects:
    """The states of all objects, by index, and the event that caused each."""

    def __init__(self, plan: TownPlan, ids: tuple[str, ...]) -> None:
        self.plans: tuple[ObjectPlan, ...] = plan.objects
        self.ids = ids
        self.states = tuple(item.state for item in plan.objects)
        self.events: tuple[int, ...] = (0,) * len(plan.objects)
        self._next = [dict(item.next) for item in plan.objects]
        self._memo: dict[tuple[int, str], tuple[str, ...]] = {}

    def begin(self, log: Log) -> None:
        """Put every object into its first state."""
        self.states = tuple(item.state for item in self.plans)
        self.events = tuple(
            log.emit("object", None, object=self.ids[o], state=state)
            for o, state in enumerate(self.states)
        )

    def next_states(self, o: int, state: str) -> tuple[str, ...]:
        """Return the declared states that may follow `state`, in menu order."""
        following = self._memo.get((o, state))
        if following is None:
            following = self._next[o].get(state)
            if following is None:
                following = tuple(s for s in self.plans[o].states if s != state)
            self._memo[o, state] = following
        return following

    def match_state(self, o: int, wanted: str) -> str | None:
        """Return the state meant by `wanted`, or None where the object cannot become that."""
        return self.match_option(o, self.next_states(o, self.states[o]), wanted)

    def match_option(self, o: int, options: Sequence[str], wanted: str) -> str | None:
        """Return the one of `options` meant by `wanted`, or None if there is none."""
        folded = re.sub(r"\W+", " ", wanted).strip().casefold()
        for state in options:
            if re.sub(r"\W+", " ", state).strip().casefold() == folded:
                return state
        return wanted if self.plans[o].free_text and wanted else None

    def put(self, log: Log, o: int, state: str, by: int | None) -> None:
        """Change the state of an object."""
        event = log.emit("object", by, object=self.ids[o], state=state)
        self.states = (*self.states[:o], state, *self.states[o + 1 :])
        self.events = (*self.events[:o], event, *self.events[o + 1 :])

    def state(self) -> dict[str, JSON]:
        """Return everything, as JSON values."""
        return {"states": list(self.states), "events": list(self.events)}

    def load_state(self, state: dict[str, JSON]) -> None:
        """Resume from `state`."""
        self.states, self.events = tuple(state["states"]), tuple(state["events"])


IDLE_DOING, IDLE_EMOJI = "standing around", "🧍"
ASLEEP_DOING, ASLEEP_EMOJI = "sleeping", "😴"

Moves: TypeAlias = Mapping[int, ResolvedMove]  # by person


class StateChange(Protocol):
    """Something done to a town from outside, as a dataclass: see `interventions`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def apply(self, state: "WorldState") -> None:
        """Do it now."""


class WorldState:
    """The mutable part of one town, and the few ways to change it.

    Arrays have shape (N,), by person. They are replaced and never written again once a tick is
    over: snapshots keep them. Valid after `begin`; `tick` is -1 before.

    Attributes:
        all_here: whether everyone was in town at the end of the last tick.
        all_awake: and awake; False from when somebody lies down.
    """

    all_here: bool
    all_awake: bool

    def __init__(self, town: TownConstants) -> None:
        self.town = town
        self.access = Access(town.rights)
        self.objects = Objects(town.plan, town.places.object_ids)
        self.due: Mapping[int, Sequence[StateChange]] = {}  # the scenario's events, by tick
        self.seed, self.tick = 0, -1

    def begin(self, seed: int) -> None:
        """Begin an episode with everyone awake on tile 0: see `initial_state.place_people`."""
        town = self.town
        n = town.count
        self.seed, self.tick = seed, 0
        self.access.begin()
        self.log = Log(town.names)
        self.log.begin(0)
        self.conversations = Conversations(town.scenario.rules.conversation, n, town.clock)
        self.told: set[tuple[int, int, int]] = set()  # speaker, hearer, fact
        self.objects.begin(self.log)
        self.present: Bools = np.array([p.present for p in town.scenario.people])
        self.asleep: Bools = np.zeros(n, dtype=np.bool_)
        self.arrived: Bools = np.zeros(n, dtype=np.bool_)
        self.shown: Ints = np.full(n, -1, dtype=np.int64)
        self.doing, self.emoji = [IDLE_DOING] * n, [IDLE_EMOJI] * n
        self.doing_event, self.bed = [0] * n, [-1] * n
        self.tile: Ints = np.zeros(n, dtype=np.int64)
        self.arena: Ints = self.tile
        self.start_tiles: Ints = self.tile
        self.set_known(town.people.known)
        self.facts = list(town.people.facts_at_start)
        self.sightings = Sightings(n)
        self.earshot = Earshot(town.ground, town.people.hearing)
        self.ways: dict[int, Way] = {}  # of those who walk one by one: see `crowd`
        self.pending: list[StateChange] = []
        self._checked: tuple[object, object] = (None, None)
        self._clear()

    def begin_tick(self) -> None:
        """Begin the next tick."""
        self.tick += 1
        self.log.begin(self.tick)
        self._clear()

    def _clear(self) -> None:
        """Clear what was heard and done in the last tick."""
        self.heard: dict[int, list[Sound]] = {}
        self.outcomes: dict[int, ActionOutcome] = {}
        self.spoken: list[tuple[int, str]] = []
        self.words: dict[int, str | None] = {}  # in place of those chosen; None: no words

    def check_presence(self) -> None:
        """Update `all_here` and `all_awake`."""
        if self._checked[0] is not self.present or self._checked[1] is not self.asleep:
            self._checked = (self.present, self.asleep)
            self.all_here = bool(self.present.all())
            self.all_awake = self.all_here and not self.asleep.any()

    def rank(self) -> list[int]:
        """Return everyone in the order in which ties are won at this tick."""
        order: list[int] = rank(self.seed, self.tick, self.town.count).tolist()
        return order

    def show(self, i: int, doing: str, emoji: str) -> None:
        """Set what others see `i` doing; an event only where the words change."""
        if doing != self.doing[i] or emoji != self.emoji[i]:
            self.doing[i], self.emoji[i] = doing, emoji
            self.doing_event[i] = self.log.emit("doing", i, doing=doing, emoji=emoji)

    def fail(self, i: int, action: str, reason: str, *, illegal: bool = False) -> None:
        """Let `i` perceive why the action failed."""
        self.log.emit("fail", i, action=action, reason=reason)
        self.outcomes[i] = ActionOutcome(False, reason, illegal)

    def hear(self, i: int, sound: Sound) -> None:
        """Let `i` hear words."""
        self.heard.setdefault(i, []).append(sound)

    def wake(self, i: int, cause: str) -> None:
        """End the sleep of `i`; the bed goes back to its first state."""
        if not self.asleep[i]:
            return
        self.asleep = self.asleep.copy()
        self.asleep[i] = False
        self.log.emit("wake", i, cause=cause)
        if self.bed[i] >= 0:
            self.objects.put(self.log, self.bed[i], self.objects.plans[self.bed[i]].state, i)
            self.bed[i] = -1
        self.show(i, IDLE_DOING, IDLE_EMOJI)

    def sleep(self, i: int, bed: int | None, cause: str) -> None:
        """Lay `i` down to sleep, in a bed if there is one."""
        self.asleep, self.all_awake = self.asleep.copy(), False
        self.asleep[i] = True
        self.bed[i] = -1 if bed is None else bed
        self.log.emit("sleep", i, cause=cause)
        self.show(i, ASLEEP_DOING, ASLEEP_EMOJI)

    def set_present(self, i: int, present: bool) -> None:
        """Let `i` be in town or not."""
        self.present = self.present.copy()
        self.present[i] = present

    def put(self, i: int, tile: int) -> None:
        """Stand `i` on `tile` at once; where bodies block and it is taken, on the next free one."""
        if self.town.scenario.rules.bodies_block:
            others = {int(t) for j, t in enumerate(self.tile) if j != i and self.present[j]}
            tile = self.find_free_tile(i, tile, others)
        self.set_tiles({i: tile})
        self.learn_places([i])

    def find_free_tile(self, i: int, tile: int, taken: Container[int]) -> int:
        """Return the tile nearest to `tile` that is not taken and where `i` may be.

        It is `tile` itself where there is no other.
        """
        arenas = {int(self.town.ground.arena[tile]), *self.access.enter[i].nonzero()[0].tolist()}
        nearest = self.town.ground.find_nearest((tile,), lambda t: t not in taken, arenas)
        return nearest[0] if nearest else tile

    def set_tiles(self, moves: Mapping[int, int]) -> None:
        """Stand people on tiles; the arrays of earlier snapshots stay as they were."""
        self.tile = self.tile.copy()
        for i, tile in moves.items():
            self.tile[i] = tile
        self.arena = self.town.ground.arena[self.tile]

    def announce(self, i: int, kind: str) -> None:
        """Write an event of kind start, put or join, with all that shows of `i`."""
        self.doing_event[i] = self.log.emit(
            kind,
            i,
            place=self.town.plan.arena_id(int(self.arena[i])),
            tile=list(self.town.ground.xy(int(self.tile[i]))),
            doing=self.doing[i],
            emoji=self.emoji[i],
            asleep=bool(self.asleep[i]),
        )

    def learn_fact(self, i: int, fact: int, cause: int, source: str | None) -> None:
        """Let `i` know a fact from now on; an event where it is new."""
        if not self.facts[i] >> fact & 1:
            self.facts[i] |= 1 << fact
            fact_id = self.town.people.fact_ids[fact]
            self.log.emit("learn", i, fact=fact_id, cause=cause, source=source)

    def learn_places(self, who: Iterable[int]) -> None:
        """Let people know the places in sight of where they now are."""
        known, tiles, around = self.known, self.tile.tolist(), self.town.around
        fresh: dict[int, int] = {}
        for i in who:
            tile = tiles[i]
            bits = around[i].places[tile]
            if bits is None:
                bits = around[i].places_at(tile)
            if bits & ~known[i]:
                fresh[i] = known[i] | bits
        if fresh:
            self.set_known(tuple(fresh.get(i, k) for i, k in enumerate(known)))

    def set_known(self, known: tuple[int, ...]) -> None:
        """Set which places each person knows, as bits by place index."""
        self.known = known
        everything = self.town.all_places
        self.learners = [i for i, bits in enumerate(known) if bits != everything]

    def is_acquainted(self, i: int, j: int) -> bool:
        """Return True if `i` knows `j`: a relationship at the start, or having seen them."""
        return j in self.town.people.friends[i] or self.sightings.last(i, j) >= 0

    def sees_tile(self, i: int, tile: int) -> bool:
        """Return True if a tile is in sight of `i`."""
        ground = self.town.ground
        x, y = ground.xy(int(self.tile[i]))
        other_x, other_y = ground.xy(tile)
        apart = max(abs(x - other_x), abs(y - other_y))
        zone = ground.zone
        return apart <= self.town.people.vision[i] and bool(zone[tile] == zone[self.tile[i]])

    def is_wake_hour(self) -> Bools:
        """Mark the people whose hour of waking falls in this tick, shape (N,)."""
        clock = self.town.clock
        due = (clock.second(self.tick) - self.town.people.wake_second) % DAY
        return due < clock.seconds_per_tick
