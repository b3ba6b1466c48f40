"""Being at one of one's places together with the others, while it counts."""

from collections.abc import Mapping

from genagents_env.rewards.presence import PresenceReward
from genagents_env.world.world import World


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
