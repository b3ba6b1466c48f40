"""Changes to a running town from outside. Each takes effect at the next tick.

Checkpoints keep those that wait as [class name, fields]: neither is renamed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.scenario.schema import ScheduledEvent
from genagents_env.world import speech
from genagents_env.world.constants import Clock
from genagents_env.world.initial_state import draw_start_tile
from genagents_env.world.snapshot import Sound
from genagents_env.world.state import WorldState


@dataclass(frozen=True, slots=True)
class Whisper:
    """An inner thought that `agent` has."""

    agent: str
    text: str

    def apply(self, state: WorldState) -> None:
        """Let `agent` hear it, and nobody else."""
        i = state.town.people.index[self.agent]
        facts = state.town.people.find_facts(self.text)
        event = state.log.emit("whisper", i, text=self.text)
        ids = tuple(state.town.people.fact_ids[fact] for fact in facts)
        state.hear(i, Sound("thought", None, self.text, True, False, ids, event))
        for fact in facts:
            state.learn_fact(i, fact, event, None)


@dataclass(frozen=True, slots=True)
class News:
    """Words everyone awake hears, or only those in `place`."""

    text: str
    place: str | None = None

    def apply(self, state: WorldState) -> None:
        """Let them hear it."""
        speech.spread_news(state, self.text, self.place)


@dataclass(frozen=True, slots=True)
class SetObject:
    """`object` is in `state` from now on, declared or not."""

    object: str
    state: str

    def apply(self, state: WorldState) -> None:
        """Change the object."""
        objects = state.objects
        objects.put(state.log, objects.ids.index(self.object), self.state, None)


@dataclass(frozen=True, slots=True)
class Put:
    """`agent` stands in `place` at once."""

    agent: str
    place: str

    def apply(self, state: WorldState) -> None:
        """Stand `agent` on a tile of the place."""
        _bring(state, state.town.people.index[self.agent], self.place, "put")


@dataclass(frozen=True, slots=True)
class Join:
    """`agent`, one of the scenario's people who is not in town, comes to `place` or their start."""

    agent: str
    place: str | None = None

    def apply(self, state: WorldState) -> None:
        """Let `agent` into town; nothing if they are in it."""
        i = state.town.people.index[self.agent]
        if not state.present[i]:
            state.set_present(i, True)
            _bring(state, i, self.place, "join")


@dataclass(frozen=True, slots=True)
class Part:
    """`agent` leaves the town; perceives nothing and cannot act until a Join."""

    agent: str

    def apply(self, state: WorldState) -> None:
        """Take `agent` out of town; nothing if they are not in it."""
        i = state.town.people.index[self.agent]
        if state.present[i]:
            state.wake(i, "intervention")
            if state.conversations.of[i] >= 0:
                speech.leave(state, i, "removed")
            state.set_present(i, False)
            state.log.emit("part", i)


@dataclass(frozen=True, slots=True)
class Silence:
    """What `agent` says in this tick is not said; the agent is told so, as of a refusal."""

    agent: str

    def apply(self, state: WorldState) -> None:
        """Take the words of `agent` away."""
        state.words[state.town.people.index[self.agent]] = None


@dataclass(frozen=True, slots=True)
class OtherWords:
    """`agent` says `text` in place of other words in this tick; who says nothing says nothing."""

    agent: str
    text: str

    def apply(self, state: WorldState) -> None:
        """Put other words into the mouth of `agent`."""
        state.words[state.town.people.index[self.agent]] = self.text


Intervention: TypeAlias = Whisper | News | SetObject | Put | Join | Part | Silence | OtherWords
TYPES: dict[str, type[Intervention]] = {
    t.__name__: t for t in (Whisper, News, SetObject, Put, Join, Part, Silence, OtherWords)
}


_LASTING = ("object", "move", "join", "leave")  # kinds of events


def schedule_events(
    events: Iterable[ScheduledEvent], clock: Clock
) -> dict[int, list[Intervention]]:
    """Convert events of a scenario to interventions, by the tick at which they are due.

    Of what was before the beginning only that happens which lasts: things, and who is where.
    """
    due: dict[int, list[Intervention]] = {}
    for event in events:
        first = clock.tick_at(event.at)
        last = first if event.until is None else max(first, clock.tick_at(event.until) - 1)
        if event.kind in _LASTING:
            last = max(0, last)
        for tick in range(max(0, first), last + 1):
            due.setdefault(tick, []).append(_convert(event))
    return due


def _convert(event: ScheduledEvent) -> Intervention:
    agent, place, text = event.agent or "", event.place, event.text or ""
    if event.kind == "whisper":
        return Whisper(agent, text)
    if event.kind == "news":
        return News(text, place)
    if event.kind == "object":
        return SetObject(event.object or "", event.state or "")
    if event.kind == "move":
        return Put(agent, place or "")
    if event.kind == "join":
        return Join(agent, place)
    if event.kind == "silence":
        return Silence(agent)
    if event.kind == "say":
        return OtherWords(agent, text)
    return Part(agent)


def _bring(state: WorldState, i: int, place: str | None, kind: str) -> None:
    """Stand `i` in `place`, awake; where they are already if None."""
    town = state.town
    if place is not None:
        person = town.scenario.people[i].model_copy(update={"start": place})
        taken = {int(t) for t in state.tile[state.present]}
        state.put(i, draw_start_tile(town, person, state.seed, taken, lambda _: True))
    elif town.scenario.rules.bodies_block:
        state.put(i, int(state.tile[i]))  # where somebody may stand by now
    state.wake(i, "intervention")
    state.announce(i, kind)
