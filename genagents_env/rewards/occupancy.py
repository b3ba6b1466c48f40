"""Time spent at a place that one needs, and may keep from others for longer."""

from collections.abc import Mapping

from genagents_env.rewards.presence import PresenceReward
from genagents_env.world.world import World


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
