"""The world of one episode, stepped by the attempts of all."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain

import numpy as np

from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import ScheduledEvent
from genagents_env.text import clean
from genagents_env.world.constants import TownConstants
from genagents_env.world.events import Event
from genagents_env.world.initial_state import place_people
from genagents_env.world.interventions import (
    Intervention,
    Join,
    News,
    OtherWords,
    SetObject,
    Whisper,
    schedule_events,
)
from genagents_env.world.resolved import ResolvedAct
from genagents_env.world.saved_town import SavedWorld, check_saved_town, load_state, save_state
from genagents_env.world.sight import Pairs
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.state import WorldState
from genagents_env.world.tick import advance, apply_changes, find_pairs, update_access
from genagents_env.world.tiles import Ints


class World:
    """The town. Build once, `reset` for every episode, `step` with everyone's attempts.

    `town` never changes and is shared by fresh copies; `state` is what changes.
    """

    def __init__(self, town: TownConstants) -> None:
        self.town, self.state = town, WorldState(town)
        self.scenario, self.plan = town.scenario, town.plan
        self.names, self.count = town.names, town.count
        self.state.due = schedule_events(town.scenario.events, town.clock)
        self._bounds = np.arange(self.count + 1)
        self._snapshot: Snapshot | None = None
        self._pairs: Pairs | None = None

    def fresh_copy(self) -> "World":
        """Return another world of the same town, before its first `reset`."""
        return World(self.town)

    def reset(self, seed: int) -> None:
        """Begin an episode: everyone at the starting place, asleep where the hour says so."""
        state = self.state
        state.begin(seed)
        place_people(state)
        update_access(state)
        state.learn_places(range(self.count))
        apply_changes(state)
        self.look()

    def step(self, goals: Ints, acts: Mapping[int, ResolvedAct]) -> None:
        """Advance one tick.

        Args:
            goals: the index of the place each walks to, shape (N,), -1 for none.
            acts: what everyone else attempts, by person index; the rest stand still.
        """
        advance(self.state, goals, acts)
        self.look()

    def look(self) -> None:
        """Find the pairs in sight at the end of this tick."""
        self.state.check_presence()
        self._pairs, self._snapshot = find_pairs(self.state), None
        viewer, seen, _ = self._pairs
        self.state.sightings.note(viewer, seen, self.state.tile)

    def intervene(self, intervention: Intervention) -> None:
        """Let something happen at the next tick.

        Raises:
            ConfigError: it names a person, place or object that does not exist.
        """
        agent, place = getattr(intervention, "agent", None), getattr(intervention, "place", None)
        if agent is not None and agent not in self.town.people.index:
            raise ConfigError(f"agent: no {agent!r}; allowed: {', '.join(self.names)}")
        fixed: dict[str, str] = {}
        if isinstance(intervention, SetObject):
            if intervention.object not in self.town.places.object_ids:
                raise ConfigError(f"object: no {intervention.object!r}; give sector/arena/object")
            fixed["state"] = clean(intervention.state, 120)
        if place is not None:
            match = self.town.places.find(place)
            if match is None:
                raise ConfigError(f"place: {self.town.places.explain_unknown(place)}")
            fixed["place"] = self.town.places.id_of(*match)
        if isinstance(intervention, News | Whisper | OtherWords):
            fixed["text"] = clean(intervention.text)
            if not fixed["text"]:
                raise ConfigError("text: there are no words in it")
        intervention = replace(intervention, **fixed)  # type: ignore[arg-type]  # by field name
        self.state.pending.append(intervention)

    @property
    def expects_people(self) -> bool:
        """Whether somebody is yet to come to town, by an event or an intervention."""
        state = self.state
        later = (changes for tick, changes in state.due.items() if tick > state.tick)
        return any(isinstance(change, Join) for change in chain(state.pending, *later))

    def schedule(self, event: ScheduledEvent) -> None:
        """Let an event of the scenario happen at its time, after those that are due then."""
        due = dict(self.state.due)
        for tick, changes in schedule_events([event], self.town.clock).items():
            due[tick] = [*due.get(tick, ()), *changes]
        self.state.due = due

    def save_state(self) -> SavedWorld:
        """Return everything that changes, as JSON values."""
        return save_state(self.state)

    def load_state(self, saved: SavedWorld) -> None:
        """Resume from a saved state.

        Raises:
            ConfigError: it is no state of such a town.
        """
        check_saved_town(self.town, saved)
        self.reset(saved["seed"])
        load_state(self.state, saved)
        update_access(self.state)
        self.look()

    @property
    def pairs(self) -> Pairs:
        """Who sees whom at this tick: (viewer, seen, distance), as in `Snapshot.pairs`."""
        return self._pairs  # type: ignore[return-value]  # None only before the first reset

    @property
    def snapshot(self) -> Snapshot:
        """This tick, immutable; made when it is first asked for."""
        if self._snapshot is None:
            self._snapshot = self._take_snapshot()
        return self._snapshot

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode, -1 before the first reset."""
        return self.state.tick

    @property
    def time(self) -> datetime:
        """Town time now."""
        return self.town.clock.time(self.state.tick)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last reset or step, in id order."""
        return tuple(self.state.log.events)

    @property
    def positions(self) -> Ints:
        """Columns and rows of everyone, shape (N, 2)."""
        tile, width = self.state.tile, self.town.ground.width
        return np.stack([tile % width, tile // width], axis=1)

    def _take_snapshot(self) -> Snapshot:
        state, (viewer, seen, apart) = self.state, self.pairs
        talks = state.conversations
        return Snapshot(
            state.tick,
            self.time,
            self.town.ground.width,
            state.tile,
            state.arena,
            state.asleep,
            state.present,
            state.arrived,
            tuple(state.doing),
            tuple(state.emoji),
            tuple(state.doing_event),
            state.objects.states,
            state.objects.events,
            state.known,
            {i: tuple(sounds) for i, sounds in state.heard.items()},
            state.outcomes,
            {m: talks.view(t) for t in talks.open.values() for m in t.members},
            tuple(state.spoken),
            (viewer, seen, apart),
            viewer.searchsorted(self._bounds),
            state.all_here,
            state.all_awake,
        )
