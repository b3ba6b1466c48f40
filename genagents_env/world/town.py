"""The world of one episode: applies what everyone attempts, together, and says what happened."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from datetime import datetime

import numpy as np

from genagents_env.rng import rank
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Scenario
from genagents_env.world import beginning, fate
from genagents_env.world.access import Access
from genagents_env.world.acts import Act, Back, Go, Refused, Say, Stay, Use
from genagents_env.world.cast import Cast
from genagents_env.world.clock import DAY, Clock
from genagents_env.world.events import Event
from genagents_env.world.interventions import Intervention
from genagents_env.world.log import Log
from genagents_env.world.places import Places, containment
from genagents_env.world.sight import Pairs, Sight, Surroundings, clear_lines
from genagents_env.world.sightings import Sightings
from genagents_env.world.snapshot import Bools, Outcome, Snapshot, Sound
from genagents_env.world.speech import Speech
from genagents_env.world.talks import Talks
from genagents_env.world.things import Things
from genagents_env.world.tiles import Ground, Ints
from genagents_env.world.walking import Walking

IDLE_DOING, IDLE_EMOJI = "standing around", "🧍"


class World:
    """The town. Build once, `reset` for every episode, `step` with what everyone attempts.

    `tree` is the containment tree world > sector > arena > object, a networkx graph of ids.
    """

    def __init__(self, scenario: Scenario, plan: TownPlan) -> None:
        self.scenario, self.plan = scenario, plan
        self.ground = Ground(plan)
        self.places = Places(plan)
        self.tree = containment(plan, scenario.town)
        self.cast = Cast(scenario, self.places)
        self.clock = Clock(scenario.start, scenario.seconds_per_tick)
        self.walking = Walking(self.ground, self.places, scenario)
        places_of = tuple(self.places.bits({a}) for a in range(len(plan.arenas)))
        self.surroundings = {
            r: Surroundings(self.ground, r, places_of) for r in set(self.cast.vision.tolist())
        }
        self.sight = Sight(self.cast.vision)
        self._furnish()

    def twin(self) -> "World":
        """Return another world of the same scenario, before its first `reset`.

        The two share what never changes: the map, the people, and what is computed from them.
        """
        other = copy(self)
        other._furnish()
        return other

    def _furnish(self) -> None:
        """Make what changes in an episode and is not made anew by `reset`."""
        scenario, plan = self.scenario, self.plan
        self.access = Access(plan, self.places, scenario.people)
        self.things = Things(plan)
        self._due: dict[int, list[Intervention]] = {}
        for event in scenario.events:
            tick = max(0, self.clock.tick_at(event.at))
            self._due.setdefault(tick, []).append(fate.scheduled(event))
        self.around = [self.surroundings[r] for r in self.cast.vision.tolist()]
        self.names = self.cast.names
        self.count = len(self.names)
        self.tick = -1
        self._snapshot: Snapshot | None = None
        self._pairs: Pairs | None = None
        self._glance: Callable[[], Pairs] | None = None

    def reset(self, seed: int) -> None:
        """Begin an episode: everyone at the starting place, asleep where the hour says so."""
        n = self.count
        self.seed, self.tick = seed, 0
        self.access.begin()
        self.log = Log(self.names)
        self.log.begin(0)
        self.talks = Talks(self.scenario.rules.conversation, n, self.clock)
        self.speech = Speech(self)
        self.things.begin(self.log)
        self.present: Bools = np.array([p.present for p in self.scenario.people])
        self.asleep: Bools = np.zeros(n, dtype=np.bool_)
        self.arrived: Bools = np.zeros(n, dtype=np.bool_)
        self.shown: Ints = np.full(n, -1, dtype=np.int64)
        self.doing, self.emoji = [IDLE_DOING] * n, [IDLE_EMOJI] * n
        self.doing_event, self.bed = [0] * n, [-1] * n
        self.tile: Ints = np.zeros(n, dtype=np.int64)
        self.arena: Ints = self.tile
        self.start_tiles: Ints = self.tile
        self.set_known(self.cast.known)
        self.facts = list(self.cast.facts_at_start)
        self.sightings = Sightings(n)
        self.pending: list[Intervention] = []
        self._checked: tuple[object, object] = (None, None)
        self._begin_tick()
        beginning.place_people(self)
        self.access.at(self.clock.second(0) // 60)
        self.learn_places(range(n))
        self._apply_due()
        self.look()

    def step(self, goals: Ints, acts: Mapping[int, Act]) -> None:
        """Advance one tick.

        Args:
            goals: the index of the place each walks to, shape (N,), -1 for none.
            acts: what everyone else attempts, by person index; the rest stand still.
        """
        self.begin(goals, acts)
        if not self.all_here:
            goals = np.where(self.present, goals, -1)
            acts = {i: act for i, act in acts.items() if self.present[i]}
        self.walking.walk(self, goals, acts)
        self.finish(acts, None)
        self.look()

    def begin(self, goals: Ints, acts: Mapping[int, Act]) -> None:
        """Begin a tick: what was due happens, and those wake who have reason to."""
        self.tick += 1
        self.log.begin(self.tick)
        self._begin_tick()
        self._apply_due()
        if not self.all_awake:
            self._wake(goals, acts)

    def finish(self, acts: Mapping[int, Act], order: Iterable[int] | None) -> None:
        """Resolve what is not walking, and what follows from time going by.

        Args:
            acts: of those who are here.
            order: in which ties are won, where the caller has it already; see `rank`.
        """
        if acts:
            self._resolve(acts, order)
        if self.talks.open or self.talks.until:
            self.speech.upkeep()
        if self._curious:
            self.learn_places(self._curious)
        if self.access.timed:
            second = self.clock.second(self.tick)
            if second % 60 < self.clock.seconds_per_tick:
                self.access.at(second // 60)

    @property
    def pairs(self) -> Pairs:
        """Who sees whom at this tick: (viewer, seen, distance), as in `Snapshot.pairs`."""
        if self._pairs is None and self._glance is not None:
            self._pairs = self._glance()
        return self._pairs  # type: ignore[return-value]  # None only before the first reset

    @property
    def snapshot(self) -> Snapshot:
        """This tick, immutable; made when it is first asked for."""
        if self._snapshot is None:
            self._snapshot = self._take()
        return self._snapshot

    @property
    def time(self) -> datetime:
        """Town time now."""
        return self.clock.time(self.tick)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last reset or step, in id order."""
        return tuple(self.log.events)

    @property
    def positions(self) -> Ints:
        """Columns and rows of everyone, shape (N, 2)."""
        return np.stack([self.tile % self.ground.width, self.tile // self.ground.width], axis=1)

    def rank(self) -> list[int]:
        """Return everyone in the order in which ties are won at this tick."""
        order: list[int] = rank(self.seed, self.tick, self.count).tolist()
        return order

    def show(self, i: int, doing: str, emoji: str) -> None:
        """Set what others see `i` doing; an event only where the words change."""
        if doing != self.doing[i] or emoji != self.emoji[i]:
            self.doing[i], self.emoji[i] = doing, emoji
            self.doing_event[i] = self.log.emit("doing", i, doing=doing, emoji=emoji)

    def fail(self, i: int, action: str, reason: str, *, illegal: bool = False) -> None:
        """Tell `i` why the action came to nothing."""
        self.log.emit("fail", i, action=action, reason=reason)
        self.outcomes[i] = Outcome(False, reason, illegal)

    def hear(self, i: int, sound: Sound) -> None:
        """Let words reach `i`."""
        self.heard.setdefault(i, []).append(sound)

    def wake(self, i: int, cause: str) -> None:
        """End the sleep of `i`; the bed goes back to its first state."""
        if not self.asleep[i]:
            return
        self.asleep = self.asleep.copy()
        self.asleep[i] = False
        self.log.emit("wake", i, cause=cause)
        if self.bed[i] >= 0:
            self.things.put(self.log, self.bed[i], self.things.plans[self.bed[i]].state, i)
            self.bed[i] = -1
        self.show(i, IDLE_DOING, IDLE_EMOJI)

    def sleep(self, i: int, bed: int | None, cause: str) -> None:
        """Lay `i` down to sleep, in a bed if there is one."""
        self.asleep = self.asleep.copy()
        self.asleep[i] = True
        self.bed[i] = -1 if bed is None else bed
        self.log.emit("sleep", i, cause=cause)
        self.show(i, beginning.ASLEEP_DOING, beginning.ASLEEP_EMOJI)

    def put(self, i: int, tile: int) -> None:
        """Stand `i` on `tile` at once."""
        self.set_tiles({i: tile})
        self.learn_places([i])

    def sees_tile(self, i: int, tile: int) -> bool:
        """Return whether a tile is in sight of `i`."""
        x, y = self.ground.xy(int(self.tile[i]))
        other_x, other_y = self.ground.xy(tile)
        apart = max(abs(x - other_x), abs(y - other_y))
        zone = self.ground.zone
        return apart <= self.cast.vision[i] and bool(zone[tile] == zone[self.tile[i]])

    def set_tiles(self, moves: Mapping[int, int]) -> None:
        """Stand people on tiles; the arrays of earlier snapshots stay as they were."""
        self.tile = self.tile.copy()
        for i, tile in moves.items():
            self.tile[i] = tile
        self.arena = self.ground.arena[self.tile]

    def learn_fact(self, i: int, fact: int, cause: int, source: str | None) -> None:
        """Let `i` know a fact from now on; an event where it is new."""
        if not self.facts[i] >> fact & 1:
            self.facts[i] |= 1 << fact
            fact_id = self.cast.fact_ids[fact]
            self.log.emit("learn", i, fact=fact_id, cause=cause, source=source)

    def acquainted(self, i: int, j: int) -> bool:
        """Return whether `i` knows `j`: a relationship at the start, or having seen them."""
        return j in self.cast.friends[i] or self.sightings.last(i, j) >= 0

    def _begin_tick(self) -> None:
        self.heard: dict[int, list[Sound]] = {}
        self.outcomes: dict[int, Outcome] = {}
        self.spoken: list[tuple[int, str]] = []

    def announce(self, i: int, kind: str) -> None:
        """Write an event of kind start, put or join, with all that shows of `i`."""
        self.doing_event[i] = self.log.emit(
            kind,
            i,
            place=self.plan.arena_id(int(self.arena[i])),
            tile=list(self.ground.xy(int(self.tile[i]))),
            doing=self.doing[i],
            emoji=self.emoji[i],
            asleep=bool(self.asleep[i]),
        )

    def _wake(self, goals: Ints, acts: Mapping[int, Act]) -> None:
        second, span = self.clock.second(self.tick), self.clock.seconds_per_tick
        due = (second - self.cast.wake_second) % DAY < span
        for i in np.flatnonzero(self.asleep & self.present).tolist():
            if due[i]:
                self.wake(i, "hour")
            elif goals[i] >= 0 or isinstance(acts.get(i), Go | Say | Use | Back):
                self.wake(i, "action")

    def _resolve(self, acts: Mapping[int, Act], order: Iterable[int] | None) -> None:
        used: set[int] = set()
        if order is None:
            order = self.rank() if len(acts) > 1 else acts
        for i in order:
            act = acts.get(i)
            if isinstance(act, Say):
                self.speech.say(i, act)
            elif isinstance(act, Use):
                self._use(i, act, used)
            elif isinstance(act, Stay):
                self._stay(i, act)
            elif isinstance(act, Back):
                self.put(i, int(self.start_tiles[i]))
                self.outcomes[i] = Outcome(True, "You are back where you started.")
                self.show(i, act.doing or IDLE_DOING, act.emoji or IDLE_EMOJI)
            elif isinstance(act, Refused):
                self.fail(i, act.action, act.reason, illegal=True)
            if act is not None and i in self.outcomes and not self.outcomes[i].ok:
                self._settle(i)

    def _stay(self, i: int, act: Stay) -> None:
        if self.asleep[i]:
            return
        if act.doing is None:
            self._settle(i)
        else:
            self.show(i, act.doing, act.emoji or "")

    def _settle(self, i: int) -> None:
        """Stop walking or talking, but keep on with what one said one does here."""
        if self.walking.shown_by_walking(self.doing[i]):
            self.show(i, IDLE_DOING, IDLE_EMOJI)

    def _use(self, i: int, act: Use, used: set[int]) -> None:
        item = self.things.plans[act.item]
        reason = self.use_refusal(i, act.item)
        state = self.things.match_state(act.item, act.state)
        if reason is None and act.item in used:
            reason = f"someone else got to the {item.name} first"
        elif reason is None and state is None:
            options = self.things.next_states(act.item, self.things.states[act.item])
            now = self.things.states[act.item]
            reason = f"the {item.name} is {now} and can become: {', '.join(options) or 'nothing'}"
        if reason is not None or state is None:
            self.fail(i, "use", reason or "")
            return
        used.add(act.item)
        self.things.put(self.log, act.item, state, i)
        self.outcomes[i] = Outcome(True, f"The {item.name} is now {state}.")
        if state == item.sleep_state:
            self.sleep(i, act.item, "object")
        else:
            self.show(i, act.doing or f"using the {item.name}", act.emoji or "✋")

    def use_refusal(self, i: int, o: int) -> str | None:
        """Return why `i` may not use object `o` from here, or None."""
        item = self.things.plans[o]
        x, y = self.ground.xy(int(self.tile[i]))
        apart = max(abs(item.tile[0] - x), abs(item.tile[1] - y))
        zones = self.ground.zone_of_arena
        if apart > 1 or zones[item.arena] != zones[self.arena[i]]:
            return f"the {item.name} is out of reach; go to it first"
        if item.users and self.names[i] not in item.users:
            return f"the {item.name} is not yours to use"
        return None

    def learn_places(self, who: Iterable[int]) -> None:
        """Let people know the places in sight of where they now are."""
        known, tiles, around = self.known, self.tile.tolist(), self.around
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
        everything = (1 << len(self.places.all)) - 1
        self.known = known
        self._curious = [i for i, bits in enumerate(known) if bits != everything]

    def look(self) -> None:
        """See who sees whom at the end of this tick."""
        tile, ground = self.tile, self.ground
        self.check_presence()
        i, j, apart = self.sight.pairs(ground.sight.take(tile, axis=1))
        if not self.all_awake:
            keep = self.present[i] & ~self.asleep[i] & self.present[j]
            i, j, apart = i[keep], j[keep], apart[keep]
        if self.scenario.rules.line_of_sight and len(i):
            keep = clear_lines(ground, tile[i], tile[j])
            i, j, apart = i[keep], j[keep], apart[keep]
        self.sightings.note(i, j, tile)
        self._pairs, self._snapshot = (i, j, apart), None

    def look_later(self, glance: Callable[[], Pairs]) -> None:
        """Let `glance` say who sees whom at the end of this tick, if that is asked for."""
        self._glance = glance
        self._pairs = self._snapshot = None

    def check_presence(self) -> None:
        """Bring `all_here` and `all_awake` up to date."""
        if self._checked[0] is not self.present or self._checked[1] is not self.asleep:
            self._checked = (self.present, self.asleep)
            self.all_here = bool(self.present.all())
            self.all_awake = self.all_here and not self.asleep.any()

    def _take(self) -> Snapshot:
        """Take the snapshot of this tick: who sees whom, and how everything stands."""
        i, j, apart = self.pairs
        talks = self.talks
        return Snapshot(
            self.tick,
            self.time,
            self.ground.width,
            self.tile,
            self.arena,
            self.asleep,
            self.present,
            self.arrived,
            tuple(self.doing),
            tuple(self.emoji),
            tuple(self.doing_event),
            self.things.states,
            self.things.events,
            self.known,
            {i: tuple(sounds) for i, sounds in self.heard.items()},
            self.outcomes,
            {m: talks.view(t) for t in talks.open.values() for m in t.members},
            tuple(self.spoken),
            (i, j, apart),
            np.arange(len(i)) - i.searchsorted(i),
            self.all_here,
            self.all_awake,
        )

    def intervene(self, intervention: Intervention) -> None:
        """Apply at the next tick. Names are checked now: see `interventions`."""
        self.pending.append(intervention)

    def _apply_due(self) -> None:
        due = self._due.get(self.tick, [])
        if due or self.pending:
            waiting, self.pending = self.pending, []
            for change in [*due, *waiting]:
                fate.apply(self, change)
