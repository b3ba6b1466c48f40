"""Tianshou: masked DQN, one network for all agents. `python train_tianshou.py [TASK] [STEPS]`."""

import logging
import sys

import numpy as np
import torch
from pettingzoo.utils import parallel_to_aec
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from genagents_env import town_v0

task = sys.argv[1] if len(sys.argv) > 1 else "errand"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
logging.getLogger("tianshou").setLevel(logging.ERROR)  # of what several agents earn
np.random.seed(0)
torch.manual_seed(0)


def make_env() -> PettingZooEnv:
    return PettingZooEnv(parallel_to_aec(town_v0.rl_env(task, menu="portable")))


env = make_env()
people = len(env.agents)
policy = DiscreteQLearningPolicy(
    model=Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=(64, 64),
    ),
    action_space=env.action_space,
    eps_training=0.1,
)
learner = DQN(
    policy=policy,
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=0.99,
    n_step_return_horizon=people,  # agents take turns: so far off is their own next one
    target_update_freq=200,
)
learners = MultiAgentOffPolicyAlgorithm(algorithms=[learner] * people, env=env)
towns = DummyVectorEnv([make_env] * 8)
towns.seed(1)  # each its own, or all would play the same episodes
training = Collector(
    learners, towns, VectorReplayBuffer(50_000, len(towns)), exploration_noise=True
)
held_out = DummyVectorEnv([make_env] * 4)
held_out.seed(1_000_000)
testing = Collector(learners, held_out)


def score() -> float:
    """Return what an agent earns in an episode, on average over agents and 8 episodes."""
    testing.reset()
    with torch.no_grad():
        return float(np.mean(testing.collect(n_episode=8).returns))


first = score()
training.reset()
learners.run_training(
    OffPolicyTrainerParams(
        training_collector=training,
        max_epochs=1,
        epoch_num_steps=steps,
        collection_step_num_env_steps=8 * people,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=128,
        multi_agent_return_reduction=lambda returns: returns.mean(axis=1),
        show_progress=False,
        verbose=False,
    )
)
print(f"{task}: return of an agent {first:.3f} at first, {score():.3f} at last")
