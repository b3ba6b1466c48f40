"""Minari: episodes of a task as a dataset. `python record_minari.py [TASK] [EPISODES]`."""

import sys
from functools import partial

import minari
import numpy as np
from minari.data_collector import EpisodeBuffer

from genagents_env import town_v0
from genagents_env.run import rollouts
from genagents_env.train.wrappers import BareVector

task = sys.argv[1] if len(sys.argv) > 1 else "errand"
episodes = int(sys.argv[2]) if len(sys.argv) > 2 else 20
name = f"genagents/{task}/random-v0"

make_env = partial(town_v0.rl_env, task, menu="portable")
env = make_env()
buffers = [
    EpisodeBuffer(
        id=k,
        seed=one.seed,
        observations=np.concatenate([path.observations, path.last[None]]),
        actions=path.choices,
        rewards=path.rewards.tolist(),
        terminations=(path.dones & path.terminated).tolist(),
        truncations=(path.dones & (not path.terminated)).tolist(),
    )
    for one in rollouts(make_env, "random", range(episodes), collect=True)
    for k, path in enumerate(one.trajectories.values(), one.seed * len(one.trajectories))
]
if name in minari.list_local_datasets():
    minari.delete_dataset(name)
agent = env.possible_agents[0]
minari.create_dataset_from_buffers(
    name,
    buffers,
    observation_space=BareVector(env).observation_space(agent),
    action_space=env.action_space(agent),
    algorithm_name="random",
    data_format="arrow",
)

dataset = minari.load_dataset(name)
returns = [episode.rewards.sum() for episode in dataset.iterate_episodes()]
told = f"{len(returns)} episodes of an agent, {dataset.total_steps} steps"
print(f"{task}: {told}, return {np.mean(returns):.3f}")
