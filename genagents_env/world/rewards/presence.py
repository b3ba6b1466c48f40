"""What the rewards have in common that pay at every tick for who is where."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from genagents_env.errors import ConfigError
from genagents_env.world.events import JSON, Event
from genagents_env.world.goals import GoalBoard
from genagents_env.world.rewards.reward import divide
from genagents_env.world.rewards.shaping import Shaping
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


class CompanyReward(PresenceReward):
    """Pays for company at one of one's places while it counts.

    Each tick between `start` and `end` of a goal, spent at its place, is worth the part of the
    others who are there, times the goal's worth, divided by the ticks in between.
    """

    def pay(self, world: World) -> Mapping[int, float]:
        """Return what the company of this tick was worth to each."""
        board, out = self.board, dict[int, float]()
        for i in self.owners:
            for slot, goal in enumerate(board.goals[i]):
                start, end = int(board.start[i, slot]), int(board.end[i, slot])
                # The tick that has just been resolved is the one before `world.tick`.
                if start < world.tick <= end and self.is_at(world, i, slot):
                    place = int(board.place[i, slot])
                    others = sum(self.is_in(world, j, place) for j in self.owners if j != i)
                    part = others / max(1, len(self.owners) - 1)
                    out[i] = out.get(i, 0.0) + goal.worth * part / (end - start)
                if world.tick >= end and not board.done[i, slot]:
                    board.finish(i, slot)
        return out


class OccupancyReward(PresenceReward):
    """Pays for time at the place of a goal, more until one has had enough than afterwards.

    A tick there is worth `worth / need`, and `surplus` of that once one has had `need` of them,
    when the goal is done. `step_cost` is paid until all of one's own are.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        declared = world.scenario.reward
        self._need, self._surplus = declared.need, declared.surplus
        self._cost = declared.step_cost
        self._slots = [(i, slot) for i in self.owners for slot in range(len(self.board.goals[i]))]
        self._spent = dict.fromkeys(self._slots, 0)

    def begin(self, world: World) -> None:
        """Nobody has been anywhere yet."""
        self._spent = dict.fromkeys(self._slots, 0)

    def pay(self, world: World) -> Mapping[int, float]:
        """Return what being there was worth to each."""
        board = self.board
        out = {
            i: 0.0 if board.done[i, : len(board.goals[i])].all() else -self._cost
            for i in self.owners
        }
        for i, slot in self._slots:
            if not self.is_at(world, i, slot):
                continue
            whole = board.goals[i][slot].worth / self._need
            out[i] += whole * self._surplus if board.done[i, slot] else whole
            self._spent[i, slot] += 1
            if self._spent[i, slot] == self._need:
                board.finish(i, slot)
        return out

    def list_counts(self) -> list[int]:
        """Return the ticks spent, goal by goal."""
        return list(self._spent.values())

    def load_counts(self, counts: list[int]) -> None:
        """Resume from the ticks spent."""
        self._spent = dict(zip(self._slots, counts, strict=True))


class PublicGoodsReward(PresenceReward):
    """Pays for time at the places of one's goals.

    A tick there is worth `worth` over the ticks of the scenario: to oneself, or, at the place
    `common`, in equal parts to all who have goals, oneself among them.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._common = world.town.places.find_place(world.scenario.reward.common or "")

    def pay(self, world: World) -> Mapping[int, float]:
        """Return what the work of this tick was worth to each."""
        board, ticks = self.board, world.scenario.horizon
        out, pool = dict.fromkeys(self.owners, 0.0), 0.0
        for i in self.owners:
            for slot, goal in enumerate(board.goals[i]):
                if not self.is_at(world, i, slot):
                    continue
                if board.place[i, slot] == self._common:
                    pool += goal.worth / ticks
                else:
                    out[i] += goal.worth / ticks
        return {i: own + pool / len(self.owners) for i, own in out.items()}
