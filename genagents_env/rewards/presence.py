"""What the rewards have in common that pay at every tick for who is where."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from genagents_env.errors import ConfigError
from genagents_env.goals import GoalBoard
from genagents_env.rewards.reward import divide
from genagents_env.rewards.shaping import Shaping
from genagents_env.world.events import JSON, Event
from genagents_env.world.world import World


class PresenceReward(ABC):
    """Pays agents for being at the places of their goals, all of which are of the kind `be`.

    Its shaping leads to the nearest of one's places that are not done with.
    """

    def __init__(self, world: World) -> None:
        self.board = GoalBoard(world)
        self.owners = self.board.owners
        self._shared = world.scenario.reward.shared
        self._shaping = Shaping(world, self.board, either=True)
        self._arenas = [frozenset(place.arenas) for place in world.town.places.all]

    def reset(self, world: World) -> None:
        """Deal the goals; nothing is achieved yet."""
        self.board.reset(world)
        self.begin(world)
        self._shaping.begin(world)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return what being where one is was worth in this tick."""
        self.board.refresh(world)
        out = dict.fromkeys((world.names[i] for i in self.owners), 0.0)
        for i, earned in self.pay(world).items():
            out[world.names[i]] += earned
        ended = over or (world.scenario.reward.ends and self.is_done())
        self._shaping.add(world, out, ended=ended)
        return divide(out) if self._shared else out

    def is_done(self) -> bool:
        """Return whether nobody has a goal left."""
        return all(bool(self.board.done[i, : len(self.board.goals[i])].all()) for i in self.owners)

    def state(self) -> JSON:
        """Return what is done, what has been counted, and the potentials."""
        return {
            "done": self.board.done.tolist(),
            "counts": self.list_counts(),
            "potential": self._shaping.state(),
        }

    def load_state(self, state: JSON) -> None:
        """Resume from `state`."""
        match state:
            case {"done": done, "counts": [*counts], "potential": [*before]}:
                counted = len(counts) == len(self.list_counts())
                counted = counted and all(isinstance(count, int | float) for count in counts)
                if self.board.fits(done) and counted and self._shaping.fits(before):
                    self.board.load_done(done)
                    self.load_counts([int(count) for count in counts])
                    self._shaping.load_state(before)
                    return
        raise ConfigError("reward: this is no saved state of the scenario's goals")

    def begin(self, world: World) -> None:  # noqa: B027 - most count nothing
        """Begin an episode; nothing has been counted."""

    @abstractmethod
    def pay(self, world: World) -> Mapping[int, float]:
        """Return what each person earned in the tick that has just been resolved."""

    def list_counts(self) -> list[int]:
        """Return what has been counted."""
        return []

    def load_counts(self, counts: list[int]) -> None:  # noqa: B027 - most count nothing
        """Resume from `list_counts`, of as many numbers."""

    def is_at(self, world: World, i: int, slot: int) -> bool:
        """Return whether `i` is at the place of the goal in `slot`, if it has word of it."""
        place = int(self.board.place[i, slot])
        return place >= 0 and self.is_in(world, i, place)

    def is_in(self, world: World, i: int, place: int) -> bool:
        """Return whether `i` is at a place."""
        return bool(world.state.present[i]) and int(world.state.arena[i]) in self._arenas[place]
