"""The lazy percept: one agent's view of a tick's immutable snapshot."""

from bisect import bisect_left, bisect_right
from datetime import datetime

from genagents_env.percept import (
    Body,
    Conversation,
    HeardWords,
    OwnGoal,
    Result,
    SeenObject,
    SeenPerson,
)
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.world import World

_KEPT = 10_000  # parts of percepts that are cached


class PerceptCache:
    """What all percepts of one environment share: constant names and places, and cached parts.

    The parts are pure functions of their keys, kept because many percepts repeat them.
    """

    def __init__(self, world: World, agents: tuple[str, ...]) -> None:
        self.agents, self.names = agents, world.names
        self.plan, self.clock = world.plan, world.town.clock
        self.place_ids, self.object_ids = world.town.places.ids, world.town.places.object_ids
        self.things = world.state.objects
        self.around = tuple(world.town.surroundings[r] for r in world.town.people.vision.tolist())
        self.rules = world.scenario.rules.conversation
        self._known: dict[int, tuple[str, ...]] = {}
        self._objects: dict[tuple[int, int, int, str, bool], SeenObject] = {}
        self._read: tuple[Snapshot | None, tuple[list[int], list[int], list[int]]]
        self._read = (None, ([], [], []))

    def list_places(self, bits: int) -> tuple[str, ...]:
        """Return the ids of places given as bits."""
        found = self._known.get(bits)
        if found is None:
            if len(self._known) == _KEPT:
                self._known.clear()
            found = tuple(p for k, p in enumerate(self.place_ids) if bits >> k & 1)
            self._known[bits] = found
        return found

    def list_people(self, snapshot: Snapshot, i: int) -> tuple[list[int], list[int]]:
        """Return whom `i` sees, and how far away, nearest first."""
        if self._read[0] is not snapshot:
            viewers, seen, apart = snapshot.pairs
            self._read = (snapshot, (viewers.tolist(), seen.tolist(), apart.tolist()))
        all_viewers, all_seen, all_apart = self._read[1]
        start, end = bisect_left(all_viewers, i), bisect_right(all_viewers, i)
        return all_seen[start:end], all_apart[start:end]

    def make_object(self, o: int, distance: int, snapshot: Snapshot, *, mine: bool) -> SeenObject:
        """Return an object as one sees it."""
        event, state = snapshot.object_events[o], snapshot.object_states[o]
        key = (o, distance, event, state, mine)
        found = self._objects.get(key)
        if found is None:
            if len(self._objects) == _KEPT:
                self._objects.clear()
            item = self.plan.objects[o]
            found = self._objects[key] = SeenObject(
                self.object_ids[o],
                item.name,
                item.tile,
                distance,
                state,
                self.things.next_states(o, state) if mine else (),
                item.free_text and mine,
                mine and distance <= 1,
                event,
                item.lasting,
                item.tiles if len(item.tiles) > 1 else (),
            )
        return found

    def __getstate__(self) -> dict[str, object]:
        kept: dict[str, object] = {"_known": {}, "_objects": {}, "_read": (None, ([], [], []))}
        return self.__dict__ | kept  # copies begin with nothing read


class SnapshotPercept:
    """One agent's percept. Implements `genagents_env.percept.Percept`."""

    __slots__ = ("_cache", "_i", "_snapshot", "goals", "text")

    def __init__(
        self,
        cache: PerceptCache,
        snapshot: Snapshot,
        i: int,
        text: str,
        goals: tuple[OwnGoal, ...] = (),
    ) -> None:
        self._cache, self._snapshot, self._i = cache, snapshot, i
        self.text, self.goals = text, goals

    @property
    def agent(self) -> str:
        """The agent's id."""
        return self._cache.agents[self._i]

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode."""
        return self._snapshot.tick

    @property
    def time(self) -> datetime:
        """Local town time."""
        return self._cache.clock.time(self._snapshot.tick)

    @property
    def me(self) -> Body:
        """One's own body."""
        s, i = self._snapshot, self._i
        place = self._cache.plan.arena_id(int(s.arena[i]))
        return Body(
            self._cache.names[i],
            place,
            _xy(s, i),
            s.doing[i],
            s.emoji[i],
            bool(s.asleep[i]),
            s.doing_event[i],
        )

    @property
    def exits(self) -> tuple[str, ...]:
        """The other arenas whose entrance or inside is in sight; none while asleep."""
        if self._snapshot.asleep[self._i]:
            return ()
        arenas = self._cache.around[self._i].exits(int(self._snapshot.tile[self._i]))
        return tuple(self._cache.plan.arena_id(a) for a in arenas)

    @property
    def people(self) -> tuple[SeenPerson, ...]:
        """The people in sight, nearest first."""
        seen, apart = self._cache.list_people(self._snapshot, self._i)
        return tuple(self._person(j, d) for j, d in zip(seen, apart, strict=True))

    @property
    def objects(self) -> tuple[SeenObject, ...]:
        """The objects in sight, nearest first; none while asleep."""
        s, cache = self._snapshot, self._cache
        if s.asleep[self._i]:
            return ()
        return tuple(
            self._object(o, d) for o, d in cache.around[self._i].objects(int(s.tile[self._i]))
        )

    @property
    def heard(self) -> tuple[HeardWords, ...]:
        """What was heard since the last percept, in order."""
        names = self._cache.names
        return tuple(
            HeardWords(
                sound.kind,  # type: ignore[arg-type]  # the world writes only these four kinds
                None if sound.speaker is None else names[sound.speaker],
                sound.text,
                sound.addressed,
                sound.phone,
                sound.facts,
                sound.event_id,
            )
            for sound in self._snapshot.heard.get(self._i, ())
        )

    @property
    def result(self) -> Result:
        """What came of one's last action; who has arrived reads who else is there."""
        outcome = self._snapshot.outcomes.get(self._i)
        arrived = bool(self._snapshot.arrived[self._i])
        if outcome is None:
            return Result(True, "", arrived)
        text = self._tell_company(outcome.text) if arrived and outcome.ok else outcome.text
        return Result(outcome.ok, text, arrived)

    @property
    def conversation(self) -> Conversation | None:
        """The conversation one is in, if any."""
        talk = self._snapshot.talks.get(self._i)
        if talk is None:
            return None
        names, rules = self._cache.names, self._cache.rules
        return Conversation(
            talk.id,
            tuple(names[m] for m in talk.members),
            None if talk.turn is None else names[talk.turn],
            talk.turn is None or talk.turn == self._i,
            rules.max_exchanges - talk.said[talk.members.index(self._i)],
        )

    @property
    def known(self) -> tuple[str, ...]:
        """The places one knows of, in the scenario's order."""
        return self._cache.list_places(self._snapshot.known[self._i])

    def data(self) -> dict[str, object]:
        """Return everything at once, for comparing and storing."""
        names = "agent tick time me exits people objects heard result conversation known goals text"
        return {name: getattr(self, name) for name in names.split()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SnapshotPercept) and self.data() == other.data()

    def __hash__(self) -> int:
        return hash((self.agent, self.tick, self.text))

    def __repr__(self) -> str:
        return f"<Percept of {self.agent} at {self.time:%Y-%m-%d %H:%M:%S}>"

    def _tell_company(self, text: str) -> str:
        """Return the confirmation of a move with those in sight who are in the same room."""
        arena = self._snapshot.arena
        seen, _ = self._cache.list_people(self._snapshot, self._i)
        *most, last = [""] + [self._cache.names[j] for j in seen if arena[j] == arena[self._i]]
        if not last:
            return text
        here = f"{', '.join(most[1:])} and {last} are" if most[1:] else f"{last} is"
        return f"{text.removesuffix('.')}; {here} here."

    def _person(self, j: int, distance: int) -> SeenPerson:
        s = self._snapshot
        return SeenPerson(
            self._cache.names[j],
            self._cache.plan.arena_id(int(s.arena[j])),
            _xy(s, j),
            distance,
            s.doing[j],
            s.emoji[j],
            bool(s.asleep[j]),
            s.doing_event[j],
        )

    def _object(self, o: int, distance: int) -> SeenObject:
        users = self._cache.plan.objects[o].users
        mine = not users or self._cache.names[self._i] in users
        return self._cache.make_object(o, distance, self._snapshot, mine=mine)


def _xy(snapshot: Snapshot, i: int) -> tuple[int, int]:
    y, x = divmod(int(snapshot.tile[i]), snapshot.width)
    return x, y
