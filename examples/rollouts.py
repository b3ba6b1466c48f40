"""Two errands learned by REINFORCE: `rollouts` gives the episodes, numpy learns from them."""

import argparse
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env import town_v0
from genagents_env.observe.columns import SIZE
from genagents_env.policy import Context, Infos, Observations, Policy, Profile
from genagents_env.run import rollouts

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]
make_env = partial(town_v0.parallel_env, "tiny", actions="menu")
WEIGHTS = {agent: np.zeros((SIZE, 36)) for agent in ("Ada Brook", "Ben Carver")}


def odds(agent: str, numbers: Floats, masks: Mask) -> npt.NDArray[np.float64]:
    likely = masks * np.exp(numbers @ WEIGHTS[agent])
    given: npt.NDArray[np.float64] = likely / likely.sum(axis=-1, keepdims=True)
    return given


class Linear(Policy):  # noqa: D101 (draws from the odds that one matrix an agent gives)
    def reset(self, _: Mapping[str, Profile], seed: int, context: Context) -> None:  # noqa: D102
        self.rng = np.random.default_rng(seed)

    def act(self, seen: Observations, infos: Infos) -> dict[str, Any]:  # noqa: D102
        p = {a: odds(a, o["observation"], o["action_mask"]) for a, o in seen.items()}
        return {a: int(self.rng.choice(36, p=p[a])) for a in p}


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("rounds", nargs="?", type=int, default=12, help="of 32 episodes each")
for k in range(parser.parse_args().rounds):
    seeds = range(32 * k, 32 * k + 32)
    lives = [e.trajectories for e in rollouts(make_env, Linear, seeds, collect=True)]
    for a in WEIGHTS:
        returns = np.array([life[a].rewards.sum() for life in lives])
        print(f"{k} {a}: {returns.mean():.2f}", flush=True)
        worth = (returns - returns.mean()) / (returns.std() + 1e-6) / 600
        drawn = [np.eye(36)[x[a].choices] - odds(a, x[a].observations, x[a].masks) for x in lives]
        steps = zip(worth, lives, drawn, strict=True)
        WEIGHTS[a] = WEIGHTS[a] + sum(w * x[a].observations.T @ d for w, x, d in steps)
