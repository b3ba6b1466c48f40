"""The towns of a task as one gymnasium vector, to train on and to evaluate in."""

from collections.abc import Sequence
from typing import Unpack

from genagents_env.config import TownOptions, check_seed
from genagents_env.errors import ConfigError
from genagents_env.scenario import Scenario
from genagents_env.train.tasks import get_task
from genagents_env.train.tasks.task import LAYOUTS, Task, check_length, find_block, shape_reward
from genagents_env.train.wrappers.vector_town import Info, Observation, VectorTown, list_seeds


def make_vector(
    task: str | Task,
    layouts: int | Sequence[int] = 16,
    towns: int = 4,
    *,
    town: str | Scenario | None = None,
    shaping: float | None = None,
    discount: float = 0.99,
    **options: Unpack[TownOptions],
) -> VectorTown:
    """Return towns of a task that are stepped together, without texts, as `rl_env` makes them.

    `reset(seed=seeds)` with a seed of each layout's own begins the episodes that `TaskEnv` begins.

    Args:
        task: one of `genagents list tasks`, or a `Task` of one's own.
        layouts: how many of those that training may see, or the number of each, as `find_layout`
            tells it of an episode's seed.
        towns: how many of each; their episodes differ.
        town: a scenario to do it in; None draws towns.
        shaping: the weight of the reward's potential; None is the task's own.
        discount: the learner's own, for `shaping`.
        options: those of `TownConfig` but `people`, `place` and `memories`.

    Raises:
        ConfigError: there is no such task, a number is out of range, or an option is not allowed.
    """
    if isinstance(layouts, int):
        if not 1 <= layouts <= LAYOUTS:
            raise ConfigError(f"layouts: {layouts} is not allowed; 1 to {LAYOUTS}")
        layouts = range(layouts)
    drawn = [get_task(task).draw(layout, town) for layout in layouts]
    if shaping is not None:
        drawn = [shape_reward(scenario, shaping, discount) for scenario in drawn]
    chosen: TownOptions = {"ids": "indexed", "menu": "plain", **options}
    for scenario in drawn:
        check_length(scenario, chosen)
    return TaskVector(drawn, towns, layouts, **chosen)


class TaskVector(VectorTown):
    """Towns of a task; its seeds are of the kind that its layouts are, see `find_block`."""

    def __init__(
        self,
        drawn: Sequence[Scenario],
        towns: int,
        layouts: Sequence[int],
        **options: Unpack[TownOptions],
    ) -> None:
        super().__init__(drawn, towns, **options)
        self._kinds = [find_block(layout) for layout in layouts for _ in range(towns)]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, object] | None = None,
    ) -> tuple[Observation, Info]:
        """Begin anew in every town, see `VectorTown.reset`.

        Raises:
            ConfigError: a seed is to train on and its town is held out, or the other way round.
        """
        for own, kind in zip(list_seeds(seed, self.towns), self._kinds, strict=True):
            if own is not None and check_seed(own) not in kind:
                raise ConfigError(
                    f"seed {own}: its town is one of the seeds {kind.start} to {kind.stop - 1}; "
                    "make_vector takes the layouts of others, by find_layout(seed)"
                )
        return super().reset(seed=seed, options=options)
