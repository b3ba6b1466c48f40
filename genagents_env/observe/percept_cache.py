"""What percepts share: each part is made once, for all who perceive it and for as long as it lasts.

Parts are frozen, so one object serves every viewer, every hearer and every tick.
"""

from typing import NamedTuple

from genagents_env.percept import Body, HeardWords, SeenObject, SeenPerson, Tile
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
        found = self._known.get(bits)
        if found is None:
            if len(self._known) == _KEPT:
                self._known.clear()
            found = tuple(p for k, p in enumerate(self.place_ids) if bits >> k & 1)
            self._known[bits] = found
        return found

    def read(self, snapshot: Snapshot) -> "SharedParts":
        """Return what the percepts of a snapshot share."""
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
        found = self._views.get(key)
        if found is None:
            if len(self._views) == _KEPT:
                self._views.clear()
            near = around.objects(tile)
            found = self._views[key] = tuple(self._see(o, d, snapshot, i) for o, d in near)
        return found

    def _see(self, o: int, distance: int, snapshot: Snapshot, i: int) -> SeenObject:
        """Return an object as `i` sees it."""
        item = self.plan.objects[o]
        mine = not item.users or self.names[i] in item.users
        event, state = snapshot.object_events[o], snapshot.object_states[o]
        key = (o, distance, event, state, mine)
        found = self._objects.get(key)
        if found is None:
            if len(self._objects) == _KEPT:
                self._objects.clear()
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
        """Return whom `i` sees, and how far away, nearest first."""
        start, end = self._first[i], self._first[i + 1]
        return self._seen[start:end], self._apart[start:end]

    def list_people(self, i: int) -> tuple[SeenPerson, ...]:
        """Return the people in sight of `i`, nearest first."""
        people, found = self._cache.people, []
        for key in zip(*self.list_near(i), strict=True):
            shown = self._shown[key[0]] or self._show(key[0])
            kept = people.get(key)
            if kept is None or kept[0] != shown:
                if len(people) == _KEPT:
                    people.clear()
                name, place, tile, doing, emoji, asleep, event = shown
                person = SeenPerson(name, place, tile, key[1], doing, emoji, asleep, event)
                kept = people[key] = (shown, person)
            found.append(kept[1])
        return tuple(found)

    def list_words(self, i: int) -> tuple[HeardWords, ...]:
        """Return what `i` has heard, in order."""
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
