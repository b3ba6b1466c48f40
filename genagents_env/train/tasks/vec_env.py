"""`TaskVecEnv`: a task as SB3's VecEnv, for MaskablePPO. See docs/training.md."""

from genagents_env.train.tasks.task import LAYOUTS, Task
from genagents_env.train.tasks.vector import make_vector
from genagents_env.train.wrappers.vec_envs import SlotVecEnv


class TaskVecEnv(SlotVecEnv):
    """Agents of several towns of a task, each a slot; see `SlotVecEnv`.

    Args:
        task: one of `genagents list tasks`, or a `Task` of one's own.
        layouts: how many different towns, of those that training may see.
        towns: how many of each.
        seed: of the episodes; with another one the layouts are others, too.
        shaping: the weight of the reward's potential; None is the task's own.
        discount: the learner's own, for `shaping`.
        menu: "plain", or "portable", the easier one.

    Raises:
        ConfigError: there is no such task, or a number is out of range.
    """

    def __init__(
        self,
        task: str | Task,
        layouts: int = 16,
        towns: int = 4,
        seed: int = 0,
        *,
        shaping: float | None = None,
        discount: float = 0.99,
        menu: str = "plain",
    ) -> None:
        numbers = [(seed * layouts + k) % LAYOUTS for k in range(layouts)]
        vector = make_vector(task, numbers, towns, shaping=shaping, discount=discount, menu=menu)
        super().__init__(vector, seed)
