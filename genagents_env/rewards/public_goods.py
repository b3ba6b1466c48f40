"""Work at a common place, which everybody has a part of, or at one's own, for oneself."""

from collections.abc import Mapping

from genagents_env.rewards.presence import PresenceReward
from genagents_env.world.world import World


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
