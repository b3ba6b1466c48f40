"""Shaping: what the tick is worth besides its reward, as agents come nearer to their goals."""

from collections.abc import Sequence

from genagents_env.goals import GoalBoard
from genagents_env.rewards.potential import Potential
from genagents_env.world.events import JSON
from genagents_env.world.world import World


class Shaping:
    """`shaping * (discount * potential after - potential before)` for each agent with goals.

    The potential of the episode's last state is 0, truncation included, so which policy is best
    does not change (Ng, Harada and Russell 1999; for ends and truncation Grzes 2017).

    Args:
        world: whose reward says how much it counts; 0 is no shaping.
        board: the goals.
        either: of an agent's goals the nearest counts alone, since one of them is enough.
    """

    def __init__(self, world: World, board: GoalBoard, *, either: bool = False) -> None:
        declared = world.scenario.reward
        self._weight, self._discount = declared.shaping, declared.discount
        self._owners = board.owners
        self._potential = Potential(world, board, either=either)
        self._before: list[float] = []

    def begin(self, world: World) -> None:
        """Begin an episode where the agents stand."""
        if self._weight:
            self._before = [self._potential.measure(world, i) for i in self._owners]

    def add(self, world: World, out: dict[str, float], *, ended: bool) -> None:
        """Add what the tick is worth to `out`, by name; `ended`: it was the episode's last."""
        if not self._weight:
            return
        now = [0.0 if ended else self._potential.measure(world, i) for i in self._owners]
        for i, before, after in zip(self._owners, self._before, now, strict=True):
            out[world.names[i]] += self._weight * (self._discount * after - before)
        self._before = now

    def state(self) -> JSON:
        """Return the potentials of the last state."""
        return list(self._before)

    def fits(self, state: Sequence[JSON]) -> bool:
        """Return whether `state` is one of such a reward."""
        numbers = all(isinstance(value, int | float) for value in state)
        return numbers and len(state) == (len(self._owners) if self._weight else 0)

    def load_state(self, state: Sequence[JSON]) -> None:
        """Resume from `state`, which fits."""
        self._before = [float(value) for value in state]
