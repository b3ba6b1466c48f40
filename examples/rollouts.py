"""Two errands learned by REINFORCE: `rollouts` gives the episodes, numpy learns from them."""

import sys
from functools import partial

import numpy as np

from genagents_env import town_v0
from genagents_env.policy import Policy
from genagents_env.run import rollouts

make_env = partial(town_v0.parallel_env, "tiny", actions="menu")
WEIGHTS = {agent: np.zeros((57, 36)) for agent in ("Ada Brook", "Ben Carver")}


def odds(agent, numbers, masks):
    likely = masks * np.exp(numbers @ WEIGHTS[agent])
    return likely / likely.sum(axis=-1, keepdims=True)


class Linear(Policy):  # noqa: D101 (draws from the odds that one matrix an agent gives)
    def reset(self, profiles, seed, context):  # noqa: D102
        self.rng = np.random.default_rng(seed)

    def act(self, seen, infos):  # noqa: D102
        p = {a: odds(a, o["observation"], o["action_mask"]) for a, o in seen.items()}
        return {a: int(self.rng.choice(36, p=p[a])) for a in p}


for k in range(int(sys.argv[1]) if len(sys.argv) > 1 else 12):
    seeds = range(32 * k, 32 * k + 32)
    lives = [e.trajectories for e in rollouts(make_env, Linear, seeds, collect=True)]
    for a in WEIGHTS:
        returns = np.array([life[a].rewards.sum() for life in lives])
        print(f"{k} {a}: {returns.mean():.2f}", flush=True)
        worth = (returns - returns.mean()) / (returns.std() + 1e-6) / 100
        drawn = [np.eye(36)[x[a].choices] - odds(a, x[a].observations, x[a].masks) for x in lives]
        steps = zip(worth, lives, drawn, strict=True)
        WEIGHTS[a] = WEIGHTS[a] + sum(w * x[a].observations.T @ d for w, x, d in steps)
