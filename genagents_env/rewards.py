"""Rewards by name. A reward turns what happened in a tick into one number for each agent.

| name | each tick, for each agent |
|---|---|
| none | 0 |
| attendance | the seconds of the tick, in hours, spent at a gathering while it goes on |
| knowledge_spread | the number of people who heard a fact first from this agent |
| errand | 1 when its object gets into its state by its own hand; -step_cost until then |
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import Scenario
from genagents_env.world.events import Event
from genagents_env.world.places import find_arenas
from genagents_env.world.world import World

RewardFunction = Callable[[World, Sequence[Event]], Mapping[str, float]]
REWARD_NAMES = ("none", "attendance", "knowledge_spread", "errand")


class EpisodeReward(Protocol):
    """Rewards by person's name; people left out get 0. `state` is JSON."""

    def reset(self, world: World) -> None:
        """Begin an episode."""

    def __call__(self, world: World, events: Sequence[Event]) -> Mapping[str, float]:
        """Return the rewards of the tick that has just been resolved."""

    def is_done(self) -> bool:
        """Return whether the task is finished, which ends the episode where the scenario says."""

    def state(self) -> list[str]:
        """Return the state, as JSON values."""

    def load_state(self, state: list[str]) -> None:
        """Resume from `state`."""


class CallableReward:
    """No reward, or a callable of the user's."""

    def __init__(self, function: RewardFunction | None = None) -> None:
        self._function = function

    def reset(self, world: World) -> None:
        """Nothing to begin."""

    def __call__(self, world: World, events: Sequence[Event]) -> Mapping[str, float]:
        """Return what the callable says, or nothing."""
        return {} if self._function is None else self._function(world, events)

    def is_done(self) -> bool:
        """Never."""
        return False

    def state(self) -> list[str]:
        """Return nothing."""
        return []

    def load_state(self, state: list[str]) -> None:
        """Nothing to load."""


class AttendanceReward(CallableReward):
    """Hours spent at the gathering `gathering` (all gatherings if None)."""

    def __init__(self, gathering: str | None) -> None:
        super().__init__()
        self._gathering = gathering

    def __call__(self, world: World, events: Sequence[Event]) -> Mapping[str, float]:
        """Return the hours of this tick for everyone present at a gathering that is on."""
        out: dict[str, float] = {}
        for gathering in world.scenario.gatherings:
            if self._gathering not in (None, gathering.id):
                continue
            if not gathering.start <= world.time < gathering.end:
                continue
            arenas = find_arenas(world.plan, gathering.place)
            for i, name in enumerate(world.names):
                if world.state.present[i] and int(world.state.arena[i]) in arenas:
                    out[name] = world.town.clock.seconds_per_tick / 3600
        return out


class KnowledgeSpreadReward(CallableReward):
    """One for each person who heard `fact` (any fact if None) for the first time, to the teller."""

    def __init__(self, fact: str | None) -> None:
        super().__init__()
        self._fact = fact

    def __call__(self, world: World, events: Sequence[Event]) -> Mapping[str, float]:
        """Return how many people each agent told something new."""
        out: dict[str, float] = {}
        for event in events:
            source = event.data.get("source") if event.kind == "learn" else None
            if source is not None and self._fact in (None, event.data["fact"]):
                out[source] = out.get(source, 0.0) + 1.0
        return out


class ErrandReward(CallableReward):
    """Each agent's errand: put an object into a state, as soon as possible."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__()
        self._errands = {e.agent: (e.object, e.state) for e in scenario.reward.errands}
        self._cost = scenario.reward.step_cost
        self._done: set[str] = set()

    def reset(self, world: World) -> None:
        """Nobody has done the errand yet."""
        self._done = set()

    def __call__(self, world: World, events: Sequence[Event]) -> Mapping[str, float]:
        """Return 1 for an errand done now, and the cost of the tick for those not yet done."""
        out = {name: -self._cost for name in self._errands if name not in self._done}
        for event in events:
            if event.kind != "object" or event.agent is None or event.agent in self._done:
                continue
            wanted = self._errands.get(event.agent)
            if wanted == (event.data["object"], event.data["state"]):
                self._done.add(event.agent)
                out[event.agent] = out[event.agent] + 1.0
        return out

    def is_done(self) -> bool:
        """Return whether all errands are done."""
        return len(self._done) == len(self._errands)

    def state(self) -> list[str]:
        """Return who is done."""
        return sorted(self._done)

    def load_state(self, state: list[str]) -> None:
        """Resume from `state`."""
        self._done = set(state)


def make_reward(scenario: Scenario, override: str | RewardFunction | None) -> EpisodeReward:
    """Return the scenario's reward, or the one named or given instead."""
    if callable(override):
        return CallableReward(override)
    name = override or scenario.reward.name
    if name not in REWARD_NAMES:
        raise ConfigError(f"reward: no {name!r}; allowed: {', '.join(REWARD_NAMES)}, or a callable")
    if name == "attendance":
        return AttendanceReward(scenario.reward.gathering)
    if name == "knowledge_spread":
        return KnowledgeSpreadReward(scenario.reward.fact)
    if name == "errand":
        if not scenario.reward.errands:
            raise ConfigError("reward: 'errand' needs a scenario that declares reward.errands")
        return ErrandReward(scenario)
    return CallableReward()
