"""The town, version 0: `parallel_env`, `raw_env` and `env`, all with the same arguments.

| | |
|---|---|
| Creation | `from genagents_env import town_v0; env = town_v0.parallel_env(scenario="tiny")` |
| Actions | words: `Dict(choice=Discrete(N), message=Text)`; menu: `Discrete(N)` (`observe.menu`) |
| Parallel API | yes |
| Agents | the scenario's people, by name (`ids="indexed"`: `resident_0` ...) |
| Observation | `Dict(observation=Box float32, text=Text)`; menu adds `action_mask` |
| State | `Box` float32, see `observe.vector_obs` |

Arguments are those of `genagents_env.config.TownConfig`. Version history: v0, the first.
"""

from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from pettingzoo import AECEnv
from pettingzoo.utils import parallel_to_aec, wrappers

from genagents_env.config import ScenarioSource, TownConfig, TownOptions
from genagents_env.env import TownEnv
from genagents_env.scenario import Scenario

if TYPE_CHECKING:
    from genagents_env.train.tasks import Task, TaskEnv

__all__ = ["env", "parallel_env", "raw_env", "rl_env"]

TurnEnv: TypeAlias = AECEnv[str, Any, Any]
parallel_env = TownEnv


def raw_env(
    scenario: ScenarioSource | TownConfig = "tiny", **options: Unpack[TownOptions]
) -> TurnEnv:
    """Return the town as an AEC environment, by PettingZoo's own conversion, unwrapped."""
    return parallel_to_aec(parallel_env(scenario, **options))


def env(scenario: ScenarioSource | TownConfig = "tiny", **options: Unpack[TownOptions]) -> TurnEnv:
    """Return the AEC town with PettingZoo's usual wrappers."""
    wrapped = wrappers.AssertOutOfBoundsWrapper(raw_env(scenario, **options))
    return wrappers.OrderEnforcingWrapper(wrapped)


def rl_env(
    task: "str | Task" = "errand",
    town: str | Scenario | None = None,
    *,
    shaping: float | None = None,
    discount: float = 0.99,
    **options: Unpack[TownOptions],
) -> "TaskEnv":
    """Return a task to train on: the plain menu, masks in observations, vectors, no text.

    Args:
        task: one of `genagents list tasks`, or a `Task` of one's own.
        town: a scenario to do it in; None draws a town at each reset, by the seed.
        shaping: the weight of the reward's potential, which leaves the best policies as they are;
            None is the task's own, which is 0: sparse.
        discount: the learner's own, for `shaping`.
        options: those of `TownConfig` but `people`, `place` and `memories`, where wanted:
            `menu="portable"` is the easier menu, to begin with; `text=True` adds a text that tells
            the goals too; `actions="words"` takes words.

    Raises:
        ConfigError: there is no such task, or an option is not allowed.
        ScenarioError: the task cannot be put into `town`.
    """
    # Tasks bring their solutions along, and these the policies; who steps a town needs neither.
    from genagents_env.train.tasks import TaskEnv, get_task

    options.setdefault("actions", "menu")
    options.setdefault("menu", "plain")
    options.setdefault("text", options["actions"] == "words")
    options.setdefault("goal_line", True)
    return TaskEnv(get_task(task), town, shaping=shaping, discount=discount, **options)
