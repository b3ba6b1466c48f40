"""MaskablePPO of sb3-contrib on a task: the recipe of docs/training.md, with its evaluation.

pip install 'genagents-env[train]'
python examples/train_sb3.py --task errand --seed 0 --out runs/errand.zip
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from genagents_env import town_v0
from genagents_env.train.tasks.vec_env import TaskVecEnv

MENU = "portable"  # an MLP without a memory learns little by the plain one
HELD_OUT = range(1_000_000, 1_000_020)  # layouts that training never sees


def make_model(task: str, seed: int) -> MaskablePPO:
    """Return a learner: one network for all agents of 8 layouts with 16 towns each."""
    env = TaskVecEnv(task, layouts=8, towns=16, seed=seed, shaping=1.0, menu=MENU)
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=32,
        batch_size=3072,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.99,
        ent_coef=0.03,
        seed=seed,
        device="cpu",
    )


def play(model: MaskablePPO, task: str, seed: int) -> dict[str, float]:
    """Return what each agent earns in one episode, each choosing what is most probable."""
    env = town_v0.rl_env(task, menu=MENU)
    seen, _ = env.reset(seed=seed)
    earned = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        numbers = np.stack([seen[a]["observation"] for a in env.agents])
        masks = np.stack([seen[a]["action_mask"] for a in env.agents])
        chosen, _ = model.predict(numbers, action_masks=masks, deterministic=True)
        actions = dict(zip(env.agents, chosen.tolist(), strict=True))
        seen, rewards, _, _, _ = env.step(actions)
        for agent, reward in rewards.items():
            earned[agent] += reward
    return earned


def main(arguments: list[str] | None = None) -> float:
    """Train, save, and return the mean return of an agent in towns never seen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--task", default="errand")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--total-steps", type=int, default=200_000, help="agent-steps")
    parser.add_argument("--out", type=Path, default=Path("runs/maskable_ppo.zip"))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    model = make_model(options.task, options.seed)
    model.learn(options.total_steps)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    model.save(options.out)
    returns = [play(model, options.task, seed) for seed in HELD_OUT]
    mean = float(np.mean([earned for one in returns for earned in one.values()]))
    print(f"{options.task}, seed {options.seed}: {mean:.4f} an agent in towns never seen")
    return mean


if __name__ == "__main__":
    main()
