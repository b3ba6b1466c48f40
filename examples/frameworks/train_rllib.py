"""RLlib, new API stack: masked PPO, one module for all. `python train_rllib.py [TASK] [STEPS]`."""

import sys
from functools import partial

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from genagents_env import town_v0
from genagents_env.train.wrappers import RenameForRLlib

task = sys.argv[1] if len(sys.argv) > 1 else "errand"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 8_000

ray.init(num_cpus=1, include_dashboard=False)
make_town = partial(town_v0.rl_env, task, menu="portable")
register_env("town", lambda config: ParallelPettingZooEnv(RenameForRLlib(make_town())))
module = RLModuleSpec(
    module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [64, 64]}
)
config = (
    PPOConfig()
    .environment("town")
    .env_runners(num_env_runners=0)
    .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *_, **__: "shared")
    .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
    .training(
        lr=1e-3,
        gamma=0.99,
        lambda_=0.95,
        entropy_coeff=0.01,
        num_epochs=8,
        minibatch_size=256,
        train_batch_size_per_learner=1000,
    )
    .debugging(seed=0)
)
algorithm = config.build_algo()
returns, taken = [], 0
while taken < steps:
    told = algorithm.train()["env_runners"]
    taken = told["num_env_steps_sampled_lifetime"]
    by_agent = told["agent_episode_returns_mean"]
    returns.append(sum(by_agent.values()) / len(by_agent))
algorithm.stop()
ray.shutdown()
print(f"{task}: return of an agent {returns[0]:.3f} at first, {returns[-1]:.3f} at last")
