"""What a reward is, and the one that pays nothing or what a callable of the user's says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from genagents_env.world.events import JSON, Event
from genagents_env.world.goals import GoalBoard
from genagents_env.world.world import World

RewardFunction = Callable[[World, Sequence[Event]], Mapping[str, float]]


class EpisodeReward(Protocol):
    """Rewards by person's name; people left out get 0. `state` is JSON.

    Attributes:
        board: the agents' goals, which observations and texts show; the same object for life.
    """

    board: GoalBoard

    def reset(self, world: World) -> None:
        """Begin an episode."""

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the rewards of the tick that has just been resolved.

        Args:
            world: after the tick.
            events: what happened in it.
            over: the episode is cut off after it.
        """

    def is_done(self) -> bool:
        """Return whether the task is finished, which ends the episode where the scenario says."""

    def state(self) -> JSON:
        """Return the state, as JSON values."""

    def load_state(self, state: JSON) -> None:
        """Resume from `state`.

        Raises:
            ConfigError: it is no state of such a reward.
        """


class CallableReward:
    """No reward, or a callable of the user's."""

    def __init__(self, world: World, function: RewardFunction | None = None) -> None:
        self.board = GoalBoard(world)
        self._function = function

    def reset(self, world: World) -> None:
        """Deal the goals."""
        self.board.reset(world)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return what the callable says, or nothing."""
        return {} if self._function is None else self._function(world, events)

    def is_done(self) -> bool:
        """Never."""
        return False

    def state(self) -> JSON:
        """Return nothing."""
        return []

    def load_state(self, state: JSON) -> None:
        """Nothing to load."""


def divide(earned: Mapping[str, float]) -> dict[str, float]:
    """Return for each the same: what all have earned together, divided equally."""
    part = sum(earned.values()) / max(1, len(earned))
    return dict.fromkeys(earned, part)


class AttendanceReward(CallableReward):
    """Hours spent at the scenario's gathering of the reward (all gatherings if None)."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._gathering = world.scenario.reward.gathering

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the hours of this tick for everyone present at a gathering that is on."""
        out: dict[str, float] = {}
        for gathering in world.scenario.gatherings:
            if self._gathering not in (None, gathering.id):
                continue
            if not gathering.start <= world.time < gathering.end:
                continue
            arenas = world.town.places.find_arenas(gathering.place)
            for i, name in enumerate(world.names):
                if world.state.present[i] and int(world.state.arena[i]) in arenas:
                    out[name] = world.town.clock.seconds_per_tick / 3600
        return out


class KnowledgeSpreadReward(CallableReward):
    """One for each person who heard the reward's fact (any if None) for the first time."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._fact = world.scenario.reward.fact

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return how many people each agent told something new."""
        out: dict[str, float] = {}
        for event in events:
            source = event.data.get("source") if event.kind == "learn" else None
            if source is not None and self._fact in (None, event.data["fact"]):
                out[source] = out.get(source, 0.0) + 1.0
        return out
