"""The town, version 0: `parallel_env`, `raw_env` and `env`, all with the same arguments.

| | |
|---|---|
| Creation | `from genagents_env import town_v0; env = town_v0.parallel_env(scenario="tiny")` |
| Actions | words: `Dict(choice=Discrete(N), message=Text)`; menu: `Discrete(N)`; see `act.menu` |
| Parallel API | yes |
| Agents | the scenario's people, by name (`ids="indexed"`: `resident_0` ...) |
| Observation | `Dict(observation=Box float32, text=Text)`; menu adds `action_mask` |
| State | `Box` float32, see `observe.vector_obs` |

Arguments are those of `genagents_env.config.TownConfig`. Version history: v0, the first.
"""

from typing import Any, TypeAlias, Unpack

from pettingzoo import AECEnv
from pettingzoo.utils import parallel_to_aec, wrappers

from genagents_env.config import ScenarioSource, TownConfig, TownOptions
from genagents_env.env import TownEnv

__all__ = ["env", "parallel_env", "raw_env"]

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
