"""The town, version 0: `parallel_env`, `raw_env` and `env`, all with the same arguments.

| | |
|---|---|
| Creation | `from genagents_env import town_v0; env = town_v0.parallel_env(scenario="tiny")` |
| Actions | words: `Dict(choice=Discrete(N), message=Text)`; menu: `Discrete(N)`; see `menu` |
| Parallel API | yes |
| Agents | the scenario's people, by name (`ids="indexed"`: `resident_0` ...) |
| Observation | `Dict(observation=Box float32, text=Text)`; menu adds `action_mask` |
| State | `Box` float32, see `numbers` |

Arguments are those of `genagents_env.env.TownEnv`. Version history: v0, the first.
"""

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import parallel_to_aec, wrappers

from genagents_env.env import TownEnv

__all__ = ["env", "parallel_env", "raw_env"]

parallel_env = TownEnv


def raw_env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """Return the town as an AEC environment, by PettingZoo's own conversion, unwrapped."""
    return parallel_to_aec(parallel_env(**kwargs))


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """Return the AEC town with PettingZoo's usual wrappers."""
    wrapped = wrappers.AssertOutOfBoundsWrapper(raw_env(**kwargs))
    return wrappers.OrderEnforcingWrapper(wrapped)
