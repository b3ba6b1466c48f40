"""The lazy percept: one agent's view of a tick's immutable snapshot.

Each part is made once, for all who perceive it and for as long as it lasts: parts are frozen, so
one object serves every viewer, every hearer and every tick.
"""

from datetime import datetime
from typing import NamedTuple

from genagents_env.percept import (
    Body,
    Conversation,
    HeardWords,
    OwnGoal,
    Result,
    SeenObject,
    SeenPerson,
    Tile,
)
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.world import World

_KEPT = 10_000  # parts of percepts that are cached


class _Shown(NamedTuple):
    """What shows of somebody, as `Body` has it."""

    name: str
    place: str
    tile: Tile
    doing: str
    emoji: str
    asleep: bool
    event_id: int


class PerceptCache:
    """What all percepts of one environment share: constant names and places, and cached parts.

    The parts are pure functions of their keys, kept because many percepts repeat them.
    """

    def __init__(self, world: World, agents: tuple[str, ...]) -> None:
        self.agents, self.names = agents, world.names
        self.plan, self.clock = world.plan, world.town.clock
        self.place_ids, self.object_ids = world.town.places.ids, world.town.places.object_ids
        self.arena_ids = world.town.places.arena_ids
        self.things = world.state.objects
        self.around = tuple(world.town.surroundings[r] for r in world.town.people.vision.tolist())
        self.rules = world.scenario.rules.conversation
        self._owned = any(item.users for item in world.plan.objects)
        self._known: dict[int, tuple[str, ...]] = {}
        self._objects: dict[tuple[int, int, int, str, bool], SeenObject] = {}
        # By vision radius, tile, and who looks where that matters; as of the events of all objects.
        self._views: dict[tuple[int, int, int], tuple[SeenObject, ...]] = {}
        self._views_of: tuple[int, ...] = ()
        self.people: dict[tuple[int, int], tuple[_Shown, SeenPerson]] = {}
        self.bodies: dict[int, tuple[_Shown, Body]] = {}
        self._shared: SharedParts | None = None

    def list_places(self, bits: int) -> tuple[str, ...]:
        """Return the ids of places given as bits."""
        ids = self._known.get(bits)
        if ids is None:
            if len(self._known) == _KEPT:
                self._known.clear()
            ids = tuple(p for k, p in enumerate(self.place_ids) if bits >> k & 1)
            self._known[bits] = ids
        return ids

    def read(self, snapshot: Snapshot) -> "SharedParts":
        """Return the parts that the percepts of a snapshot share."""
        if self._shared is None or self._shared.snapshot is not snapshot:
            self._shared = SharedParts(self, snapshot)
        return self._shared

    def list_objects(self, snapshot: Snapshot, i: int) -> tuple[SeenObject, ...]:
        """Return the objects in sight of `i`, nearest first."""
        if snapshot.object_events is not self._views_of:
            self._views.clear()
            self._views_of = snapshot.object_events
        around, tile = self.around[i], int(snapshot.tile[i])
        key = (around.radius, tile, i if self._owned else -1)
        seen = self._views.get(key)
        if seen is None:
            if len(self._views) == _KEPT:
                self._views.clear()
            near = around.objects(tile)
            seen = self._views[key] = tuple(self._see(o, d, snapshot, i) for o, d in near)
        return seen

    def _see(self, o: int, distance: int, snapshot: Snapshot, i: int) -> SeenObject:
        """Return an object as `i` sees it."""
        item = self.plan.objects[o]
        mine = not item.users or self.names[i] in item.users
        event, state = snapshot.object_events[o], snapshot.object_states[o]
        key = (o, distance, event, state, mine)
        seen = self._objects.get(key)
        if seen is None:
            if len(self._objects) == _KEPT:
                self._objects.clear()
            seen = self._objects[key] = SeenObject(
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
        return seen

    def __getstate__(self) -> dict[str, object]:
        kept: dict[str, object] = {"_known": {}, "_objects": {}, "_views": {}, "_views_of": ()}
        kept |= {"people": {}, "bodies": {}, "_shared": None}
        return self.__dict__ | kept  # copies begin with nothing read


class SharedParts:
    """What the percepts of one snapshot share."""

    def __init__(self, cache: PerceptCache, snapshot: Snapshot) -> None:
        self.snapshot, self._cache = snapshot, cache
        _, seen, apart = snapshot.pairs
        self._seen: list[int] = seen.tolist()
        self._apart: list[int] = apart.tolist()
        self._first: list[int] = snapshot.first.tolist()
        self._tile: list[int] = snapshot.tile.tolist()
        self._arena: list[int] = snapshot.arena.tolist()
        self._asleep: list[bool] = snapshot.asleep.tolist()
        self._shown: list[_Shown | None] = [None] * len(self._tile)
        self._words: dict[int, HeardWords] = {}

    def show_body(self, i: int) -> Body:
        """Return the body of `i`."""
        shown, bodies = self._show(i), self._cache.bodies
        kept = bodies.get(i)
        if kept is None or kept[0] != shown:
            kept = bodies[i] = (shown, Body(*shown))
        return kept[1]

    def list_near(self, i: int) -> tuple[list[int], list[int]]:
        """Return the people in sight of `i` and their distances, nearest first."""
        start, end = self._first[i], self._first[i + 1]
        return self._seen[start:end], self._apart[start:end]

    def list_people(self, i: int) -> tuple[SeenPerson, ...]:
        """Return the people in sight of `i`, nearest first."""
        people, seen = self._cache.people, []
        for key in zip(*self.list_near(i), strict=True):
            shown = self._shown[key[0]] or self._show(key[0])
            kept = people.get(key)
            if kept is None or kept[0] != shown:
                if len(people) == _KEPT:
                    people.clear()
                name, place, tile, doing, emoji, asleep, event = shown
                person = SeenPerson(name, place, tile, key[1], doing, emoji, asleep, event)
                kept = people[key] = (shown, person)
            seen.append(kept[1])
        return tuple(seen)

    def list_words(self, i: int) -> tuple[HeardWords, ...]:
        """Return the words that `i` has heard, in order."""
        words, names = self._words, self._cache.names
        sounds = self.snapshot.heard.get(i, ())
        for sound in sounds:
            if id(sound) not in words:  # the snapshot holds it
                words[id(sound)] = HeardWords(
                    sound.kind,  # type: ignore[arg-type]  # the world writes only these four kinds
                    None if sound.speaker is None else names[sound.speaker],
                    sound.text,
                    sound.addressed,
                    sound.phone,
                    sound.facts,
                    sound.event_id,
                )
        return tuple([words[id(sound)] for sound in sounds])

    def _show(self, i: int) -> _Shown:
        shown = self._shown[i]
        if shown is None:
            s, cache = self.snapshot, self._cache
            y, x = divmod(self._tile[i], s.width)
            shown = self._shown[i] = _Shown(
                cache.names[i],
                cache.arena_ids[self._arena[i]],
                (x, y),
                s.doing[i],
                s.emoji[i],
                self._asleep[i],
                s.doing_event[i],
            )
        return shown


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
        return self._cache.read(self._snapshot).show_body(self._i)

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
        return self._cache.read(self._snapshot).list_people(self._i)

    @property
    def objects(self) -> tuple[SeenObject, ...]:
        """The objects in sight, nearest first; none while asleep."""
        if self._snapshot.asleep[self._i]:
            return ()
        return self._cache.list_objects(self._snapshot, self._i)

    @property
    def heard(self) -> tuple[HeardWords, ...]:
        """What was heard since the last percept, in order."""
        return self._cache.read(self._snapshot).list_words(self._i)

    @property
    def result(self) -> Result:
        """What came of one's last action; who has arrived reads who else is there."""
        outcome = self._snapshot.outcomes.get(self._i)
        arrived = bool(self._snapshot.arrived[self._i])
        if outcome is None:
            return Result(True, "", arrived)
        if not (arrived and outcome.ok):
            return Result(outcome.ok, outcome.text, arrived)
        arena = self._snapshot.arena
        seen, _ = self._cache.read(self._snapshot).list_near(self._i)
        *most, last = [""] + [self._cache.names[j] for j in seen if arena[j] == arena[self._i]]
        if not last:
            return Result(True, outcome.text, True)
        here = f"{', '.join(most[1:])} and {last} are" if most[1:] else f"{last} is"
        return Result(True, f"{outcome.text.removesuffix('.')}; {here} here.", True)

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
