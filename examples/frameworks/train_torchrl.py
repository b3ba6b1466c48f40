"""TorchRL: PPO with masks, one network for all agents. `python train_torchrl.py [TASK] [STEPS]`."""

import sys

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import RewardSum, TransformedEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, MultiAgentMLP, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from genagents_env import town_v0

task = sys.argv[1] if len(sys.argv) > 1 else "errand"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 8_000
torch.manual_seed(0)

town = PettingZooWrapper(
    town_v0.rl_env(task, menu="portable"),
    use_mask=True,
    done_on_any=False,
    return_state=True,
    categorical_actions=True,
)
check_env_specs(town)
env = TransformedEnv(
    town, RewardSum(in_keys=[("resident", "reward")], out_keys=[("resident", "episode_reward")])
)
seen, choices = ("resident", "observation", "observation"), ("resident", "action_mask")
people, size = env.observation_spec[seen].shape
shape = {"n_agents": people, "centralized": False, "share_params": True, "num_cells": (64, 64)}
net = MultiAgentMLP(size, env.observation_spec[choices].shape[-1], **shape)
actor = ProbabilisticActor(
    TensorDictModule(net, in_keys=[seen], out_keys=[("resident", "logits")]),
    in_keys={"logits": ("resident", "logits"), "mask": choices},
    out_keys=[("resident", "action")],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    log_prob_key=("resident", "log_prob"),
)
critic = ValueOperator(
    MultiAgentMLP(size, 1, **shape), in_keys=[seen], out_keys=[("resident", "state_value")]
)
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
loss.set_keys(
    action=("resident", "action"),
    sample_log_prob=("resident", "log_prob"),
    value=("resident", "state_value"),
    reward=("resident", "reward"),
    done=("resident", "done"),
    terminated=("resident", "terminated"),
)
loss.make_value_estimator(ValueEstimators.GAE, gamma=0.99, lmbda=0.95)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

returns = []
for batch in Collector(env, actor, frames_per_batch=500, total_frames=steps):
    over = batch["next", "done"].squeeze(-1)
    returns += batch["next", "resident", "episode_reward"][over].mean((1, 2)).tolist()
    loss.value_estimator(batch)
    for _ in range(8):
        for minibatch in batch.reshape(-1)[torch.randperm(batch.numel())].split(125):
            told = loss(minibatch)
            (told["loss_objective"] + told["loss_critic"] + told["loss_entropy"]).backward()
            torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad()
tenth = max(1, len(returns) // 10)
first, last = sum(returns[:tenth]) / tenth, sum(returns[-tenth:]) / tenth
print(f"{task}: return of an agent {first:.3f} at first, {last:.3f} at last")
