"""Bases of rewards, and the small rewards."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from numbers import Real

from genagents_env.errors import ConfigError
from genagents_env.world.events import JSON, Event
from genagents_env.world.goals import GoalBoard
from genagents_env.world.rewards.shaping import Shaping
from genagents_env.world.world import World

RewardFunction = Callable[[World, Sequence[Event]], Mapping[str, float]]


class EpisodeReward:
    """Pays people by name; those left out get 0. This one pays nothing.

    Attributes:
        board: the agents' goals, which observations and texts show; the same object for life.
    """

    def __init__(self, world: World) -> None:
        self.board = GoalBoard(world)

    def reset(self, world: World) -> None:
        """Begin an episode: deal the goals."""
        self.board.reset(world)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the rewards of the tick that has just been resolved.

        Args:
            world: after the tick.
            events: what happened in it.
            over: the episode is cut off after it.
        """
        return {}

    def is_done(self) -> bool:
        """Return True if the task is finished, which ends the episode where the scenario says."""
        return False

    def is_achieved(self) -> bool:
        """Return True if what the task asks for was done, and not only its time is over."""
        return self.is_done()

    def state(self) -> JSON:
        """Return the state, as JSON values."""
        return []

    def load_state(self, state: JSON) -> None:
        """Resume from `state`.

        Raises:
            ConfigError: it is no state of such a reward.
        """


class CallableReward(EpisodeReward):
    """No reward, or a callable of the user's."""

    def __init__(self, world: World, function: RewardFunction | None = None) -> None:
        super().__init__(world)
        self._function = function

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the callable's rewards, or none.

        Raises:
            ConfigError: it gives something else than rewards by name, or pays a stranger.
        """
        if self._function is None:
            return {}
        earned, known = self._function(world, events), world.town.people.index
        if not isinstance(earned, Mapping):
            raise ConfigError(f"reward: it gives {earned!r}; rewards by name are wanted")
        for name, pay in earned.items():
            if name not in known:
                raise ConfigError(f"reward: it pays {name!r}; the people are {', '.join(known)}")
            if not isinstance(pay, Real) or not isfinite(pay):
                raise ConfigError(f"reward: it pays {name} {pay!r}; finite numbers are wanted")
        return earned


class GoalReward(EpisodeReward, ABC):
    """Pays for the goals of agents, shaped and shared as the scenario says.

    Args:
        world: of the agents.
        either: the nearest goal of an agent counts alone in the shaping.
    """

    def __init__(self, world: World, *, either: bool = False) -> None:
        super().__init__(world)
        declared = world.scenario.reward
        self.owners, self.cost = self.board.owners, declared.step_cost
        self._ends, self._shared = declared.ends, declared.shared
        self.shaping = Shaping(world, self.board, either=either)

    def reset(self, world: World) -> None:
        """Deal the goals; nothing is achieved yet."""
        super().reset(world)
        self.begin(world)
        self.shaping.begin(world)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the rewards of this tick, less its cost."""
        earned = {world.names[i]: pay for i, pay in self.pay(world, events).items()}
        ended = over or (self._ends and self.is_done())
        self.settle(world, events, earned, ended=ended)
        self.shaping.add(world, earned, ended=ended)
        if self._shared:
            return dict.fromkeys(earned, sum(earned.values()) / max(1, len(earned)))
        return earned

    def state(self) -> JSON:
        """Return the goals done, the counts and the potentials."""
        done, potential = self.board.done.tolist(), self.shaping.state()
        return {"done": done, **self.save_counts(), "potential": potential}

    def load_state(self, state: JSON) -> None:
        """Resume from `state`.

        Raises:
            ConfigError: it is no state of such a reward.
        """
        match state:
            case {"done": done, "potential": [*potential], **counts}:
                fits = self.board.fits(done) and self.shaping.fits(potential)
                if fits and self.load_counts(done, counts):
                    self.shaping.load_state(potential)
                    return
        raise ConfigError("reward: this is no saved state of the scenario's goals")

    @abstractmethod
    def begin(self, world: World) -> None:
        """Begin an episode; nothing has been counted."""

    @abstractmethod
    def pay(self, world: World, events: Sequence[Event]) -> Mapping[int, float]:
        """Return the pay of each owner of goals for the tick just resolved."""

    def settle(
        self, world: World, events: Sequence[Event], earned: dict[str, float], *, ended: bool
    ) -> None:
        """Add to `earned` pay that depends on everybody's, and on the end of the episode."""

    @abstractmethod
    def save_counts(self) -> dict[str, JSON]:
        """Return the counts, as JSON values."""

    @abstractmethod
    def load_counts(self, done: list[list[bool]], counts: Mapping[object, JSON]) -> bool:
        """Resume from `done` and from `counts`, if those fit; return whether they do."""


class AttendanceReward(EpisodeReward):
    """Hours spent at the scenario's gathering of the reward (all gatherings if None)."""

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the hours of this tick for everyone present at a gathering that is on."""
        out: dict[str, float] = {}
        for gathering in world.scenario.gatherings:
            if world.scenario.reward.gathering not in (None, gathering.id):
                continue
            if not gathering.start <= world.time < gathering.end:
                continue
            arenas = world.town.places.find_arenas(gathering.place)
            for i, name in enumerate(world.names):
                if world.state.present[i] and int(world.state.arena[i]) in arenas:
                    out[name] = world.town.clock.seconds_per_tick / 3600
        return out


class KnowledgeSpreadReward(EpisodeReward):
    """One for each person who heard the reward's fact (any if None) for the first time."""

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Count the people to whom each agent told something new."""
        fact, out = world.scenario.reward.fact, dict[str, float]()
        for event in events:
            source = event.data.get("source") if event.kind == "learn" else None
            if source is not None and fact in (None, event.data["fact"]):
                out[source] = out.get(source, 0.0) + 1.0
        return out
