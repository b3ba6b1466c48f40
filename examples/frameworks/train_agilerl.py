"""AgileRL: IPPO, masks in infos, one network for all. `python train_agilerl.py [TASK] [STEPS]`."""

import sys

import numpy as np
import torch
from agilerl.algorithms import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy

from genagents_env import town_v0
from genagents_env.train.wrappers import BareVector, MaskInInfo

task = sys.argv[1] if len(sys.argv) > 1 else "errand"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 8_000
np.random.seed(0)
torch.manual_seed(0)

env = BareVector(MaskInInfo(town_v0.rl_env(task, menu="portable")))
people = env.possible_agents
learner = IPPO(
    observation_spaces=[env.observation_space(agent) for agent in people],
    action_spaces=[env.action_space(agent) for agent in people],
    agent_ids=people,
    net_config={"encoder_config": {"hidden_size": [64]}, "head_config": {"hidden_size": [64]}},
    batch_size=128,
    lr=1e-3,
    learn_step=500,
    update_epochs=8,
)
first = learner.test(env, loop=8) / len(people)
train_multi_agent_on_policy(
    env, "town", "IPPO", [learner], max_steps=steps, evo_steps=steps, eval_loop=1, verbose=False
)
last = learner.test(env, loop=8) / len(people)
print(f"{task}: return of an agent {first:.3f} at first, {last:.3f} at last")
