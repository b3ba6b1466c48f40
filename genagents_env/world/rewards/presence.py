"""Rewards that pay at every tick for presence: company, a needed place, common work."""

from collections.abc import Mapping, Sequence

from genagents_env.world.events import JSON, Event
from genagents_env.world.rewards.reward import GoalReward
from genagents_env.world.world import World


class PresenceReward(GoalReward):
    """Pays agents for being at the places of their goals, all of which are of the kind `be`.

    Its shaping leads to the nearest of one's places that are not done with. `spent` counts ticks
    by agent and slot of a goal, for those who need it.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world, either=True)
        self.spent: dict[tuple[int, int], int] = {}
        self._arenas = [frozenset(place.arenas) for place in world.town.places.all]

    def begin(self, world: World) -> None:
        """Begin an episode; nobody has been anywhere yet."""
        self.spent = dict.fromkeys(self.spent, 0)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the rewards of this tick."""
        self.board.refresh(world)
        return super().__call__(world, events, over=over)

    def is_done(self) -> bool:
        """Return True if nobody has a goal left."""
        return all(bool(self.board.done[i, : len(self.board.goals[i])].all()) for i in self.owners)

    def save_counts(self) -> dict[str, JSON]:
        """Return the ticks spent, goal by goal."""
        return {"counts": list(self.spent.values())}

    def load_counts(self, done: list[list[bool]], counts: Mapping[object, JSON]) -> bool:
        """Resume from `done` and the ticks spent, if these fit; return whether they do."""
        match counts:
            case {"counts": [*spent]} if len(spent) == len(self.spent):
                if all(isinstance(count, int | float) for count in spent):
                    self.board.load_done(done)
                    self.spent = dict(zip(self.spent, map(int, spent), strict=True))
                    return True
        return False

    def is_at(self, world: World, i: int, slot: int) -> bool:
        """Return True if `i` is at the place of the goal in `slot`, if it has word of it."""
        place = int(self.board.place[i, slot])
        return place >= 0 and self.is_in(world, i, place)

    def is_in(self, world: World, i: int, place: int) -> bool:
        """Return True if `i` is at a place."""
        return bool(world.state.present[i]) and int(world.state.arena[i]) in self._arenas[place]


class CompanyReward(PresenceReward):
    """Pays for company at one of one's places while it counts.

    Each tick between `start` and `end` of a goal, spent at its place, is worth the part of the
    others who are there, times the goal's worth, divided by the ticks in between. `spent` counts
    the ticks there with somebody.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        goals = self.board.goals
        self.spent = {(i, slot): 0 for i in self.owners for slot in range(len(goals[i]))}

    def is_achieved(self) -> bool:
        """Return True if everybody had company at each of their places."""
        return self.is_done() and all(self.spent.values())

    def pay(self, world: World, events: Sequence[Event]) -> Mapping[int, float]:
        """Return each one's pay for the company of this tick."""
        board, out = self.board, dict.fromkeys(self.owners, 0.0)
        for i in self.owners:
            for slot, goal in enumerate(board.goals[i]):
                start, end = int(board.start[i, slot]), int(board.end[i, slot])
                # The tick that has just been resolved is the one before `world.tick`.
                if start < world.tick <= end and self.is_at(world, i, slot):
                    place = int(board.place[i, slot])
                    others = sum(self.is_in(world, j, place) for j in self.owners if j != i)
                    self.spent[i, slot] += others > 0
                    part = others / max(1, len(self.owners) - 1)
                    out[i] += goal.worth * part / (end - start)
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
        declared, goals = world.scenario.reward, self.board.goals
        self._need, self._surplus = declared.need, declared.surplus
        self.spent = {(i, slot): 0 for i in self.owners for slot in range(len(goals[i]))}

    def pay(self, world: World, events: Sequence[Event]) -> Mapping[int, float]:
        """Return each one's pay for being there."""
        board = self.board
        out = {
            i: 0.0 if board.done[i, : len(board.goals[i])].all() else 0.0 - self.cost
            for i in self.owners
        }
        for i, slot in self.spent:
            if not self.is_at(world, i, slot):
                continue
            whole = board.goals[i][slot].worth / self._need
            out[i] += whole * self._surplus if board.done[i, slot] else whole
            self.spent[i, slot] += 1
            if self.spent[i, slot] == self._need:
                board.finish(i, slot)
        return out


class PublicGoodsReward(PresenceReward):
    """Pays for time at the places of one's goals.

    A tick there is worth `worth` over the ticks of the scenario: to oneself, or, at the place
    `common`, in equal parts to all who have goals, oneself among them.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._common = world.town.places.find_place(world.scenario.reward.common or "")

    def pay(self, world: World, events: Sequence[Event]) -> Mapping[int, float]:
        """Return each one's pay for the work of this tick."""
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
