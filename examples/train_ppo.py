"""Train residents by PPO, in one file: masked actions, one network shared by all, CPU only.

    pip install 'genagents-env[train]'
    python examples/train_ppo.py --seeds 3 --out runs/train_ppo

On the scenario `tiny` each of two people has one errand in the other room; the reward is 1 for
doing it, less a small cost a tick. The script trains once a seed, compares the greedy policy
with the random and the scripted one and with the shortest path, and draws all four in one
picture. It prints the ratio of the learned return to the shortest path's.
"""

import argparse
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.distributions import Categorical

from genagents_env import town_v0
from genagents_env.actions import Action, Interact, Move
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.policy import Infos, Observations
from genagents_env.policy_loader import load_policy
from genagents_env.scenario.plan import TownPlan
from genagents_env.testing import sample_legal

matplotlib.use("Agg")
import matplotlib.pyplot as plt

Floats = npt.NDArray[np.float32]
EVALUATION = [10_000 + k for k in range(10)]  # seeds of the episodes that are compared


@dataclass(frozen=True)
class Config:
    """The command line: each field is an option of the same name."""

    scenario: str = "tiny"
    seeds: int = 3
    out: str = "runs/train_ppo"
    total_steps: int = 100_000  # agent-steps of one seed
    towns: int = 16
    rollout: int = 64  # ticks between updates
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 2e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.02  # advantages are not normalised: this is in units of reward
    value: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 64


class Net(nn.Module):
    """Two small networks: the logits of the choices, and the value."""

    def __init__(self, inputs: int, choices: int, hidden: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(*_layers(inputs, hidden), _layer(hidden, choices, 0.01))
        self.critic = nn.Sequential(*_layers(inputs, hidden), _layer(hidden, 1, 1.0))

    def policy(self, seen: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Return the distribution over choices; the masked ones have probability 0."""
        logits = self.actor(seen)
        return Categorical(logits=logits.masked_fill(masks == 0, -1e9), validate_args=False)

    def values(self, seen: torch.Tensor) -> torch.Tensor:
        """Return what each observation is worth, shape (batch,)."""
        values: torch.Tensor = self.critic(seen)
        return values.squeeze(-1)


def _layers(inputs: int, hidden: int) -> list[nn.Module]:
    return [_layer(inputs, hidden), nn.Tanh(), _layer(hidden, hidden), nn.Tanh()]


def _layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Towns:
    """Several copies of the town; each of their agents is a slot, empty once its agent is done."""

    def __init__(self, config: Config, seed: int) -> None:
        self.envs = [make_env(config) for _ in range(config.towns)]
        self.agents = list(self.envs[0].possible_agents)
        self.seeds = np.random.default_rng(seed)
        self.slots = len(self.envs) * len(self.agents)
        first, _ = self.envs[0].reset(seed=0)
        seen = first[self.agents[0]]
        self.inputs = (len(seen["observation"]) + 1) * len(self.agents)
        self.choices = len(seen["action_mask"])
        self.seen = np.zeros((self.slots, self.inputs), np.float32)
        self.masks = np.zeros((self.slots, self.choices), np.int8)
        self.live = np.zeros(self.slots, bool)
        self.returns = np.zeros(self.slots)
        for town in range(len(self.envs)):
            self._begin(town)

    def _begin(self, town: int) -> None:
        observations, _ = self.envs[town].reset(seed=int(self.seeds.integers(2**31)))
        start = town * len(self.agents)
        self.returns[start : start + len(self.agents)] = 0
        self._look(town, observations)

    def _look(self, town: int, observations: Observations) -> None:
        for k, agent in enumerate(self.agents):
            slot = town * len(self.agents) + k
            self.live[slot] = agent in observations
            self.masks[slot] = 0
            self.masks[slot, 0] = 1
            if self.live[slot]:
                self.seen[slot] = inputs(observations[agent], k, len(self.agents))
                self.masks[slot] = observations[agent]["action_mask"]

    def step(
        self, chosen: npt.NDArray[np.int64], value: Callable[[Floats], float], gamma: float
    ) -> tuple[Floats, Floats, list[float]]:
        """Step all towns; return rewards and dones by slot, and the returns of agents now done.

        An agent cut off by the horizon gets the value of what it sees last added to its reward.
        """
        rewards, dones = np.zeros(self.slots, np.float32), np.ones(self.slots, np.float32)
        finished: list[float] = []
        for town, env in enumerate(self.envs):
            slot_of = {a: town * len(self.agents) + k for k, a in enumerate(self.agents)}
            live = list(env.agents)
            seen, gained, ended, cut, _ = env.step({a: int(chosen[slot_of[a]]) for a in live})
            for agent in live:
                slot = slot_of[agent]
                self.returns[slot] += gained[agent]
                rewards[slot] = gained[agent]
                dones[slot] = ended[agent] or cut[agent]
                if dones[slot]:
                    finished.append(float(self.returns[slot]))
                if cut[agent] and not ended[agent]:
                    k = slot % len(self.agents)
                    rewards[slot] += gamma * value(inputs(seen[agent], k, len(self.agents)))
            if env.agents:
                self._look(town, {agent: seen[agent] for agent in env.agents})
            else:
                self._begin(town)
        return rewards, dones, finished


def make_env(config: Config, actions: str = "menu") -> TownEnv:
    percepts = actions == "words"  # read by the baselines
    return town_v0.parallel_env(scenario=config.scenario, actions=actions, percepts=percepts)


def inputs(observation: Mapping[str, Floats], k: int, agents: int) -> Floats:
    """Return the observation and a 1 in the k-th of `agents` blocks, zeros in the others.

    So the shared network has a first layer for each agent. With a mere one-hot beside the
    observation, the first errand learned is what everybody does, and the other is never found.
    """
    block = np.append(observation["observation"], np.float32(1))
    return np.kron(np.eye(agents, dtype=np.float32)[k], block)


def train(config: Config, seed: int) -> tuple[Net, list[tuple[int, float]]]:
    """Return the trained network and its learning curve: (agent-steps, mean return of rollout)."""
    torch.manual_seed(seed)
    towns = Towns(config, seed)
    net = Net(towns.inputs, towns.choices, config.hidden)
    optimizer = torch.optim.Adam(net.parameters(), lr=config.learning_rate, eps=1e-5)
    updates = config.total_steps // (config.rollout * towns.slots)
    curve: list[tuple[int, float]] = []
    for update in range(updates):
        left = 1.0 - update / updates
        optimizer.param_groups[0]["lr"] = left * config.learning_rate
        batch, finished = collect(config, towns, net)
        learn(config, net, optimizer, batch, left * config.entropy)
        if finished:
            curve.append(((update + 1) * config.rollout * towns.slots, float(np.mean(finished))))
    return net, curve


@torch.no_grad()
def collect(config: Config, towns: Towns, net: Net) -> tuple[dict[str, torch.Tensor], list[float]]:
    """Act for `rollout` ticks; return the steps of live slots, with advantages, flattened."""
    rows: list[dict[str, torch.Tensor]] = []
    finished: list[float] = []

    def value(seen: Floats) -> float:
        return float(net.values(torch.from_numpy(seen)))

    for _ in range(config.rollout):
        row = {"seen": torch.tensor(towns.seen), "masks": torch.tensor(towns.masks)}
        row["live"] = torch.tensor(towns.live)
        policy = net.policy(row["seen"], row["masks"])
        row["chosen"] = policy.sample()
        row["logprob"] = policy.log_prob(row["chosen"])
        row["value"] = net.values(row["seen"])
        rewards, dones, over = towns.step(row["chosen"].numpy(), value, config.gamma)
        row["reward"], row["done"] = torch.from_numpy(rewards), torch.from_numpy(dones)
        rows.append(row)
        finished += over
    batch = {key: torch.stack([row[key] for row in rows]) for key in rows[0]}
    batch["advantage"] = advantages(config, batch, net.values(torch.tensor(towns.seen)))
    batch["return"] = batch["advantage"] + batch["value"]
    live = batch.pop("live")
    return {key: held[live] for key, held in batch.items()}, finished


def advantages(config: Config, batch: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Return generalised advantage estimates, shape (ticks, slots)."""
    found = torch.zeros_like(batch["reward"])
    running = torch.zeros_like(last)
    for t in reversed(range(len(found))):
        onwards = 1.0 - batch["done"][t]
        delta = batch["reward"][t] + config.gamma * last * onwards - batch["value"][t]
        running = delta + config.gamma * config.gae_lambda * onwards * running
        found[t], last = running, batch["value"][t]
    return found


def learn(
    config: Config,
    net: Net,
    optimizer: torch.optim.Optimizer,
    batch: dict[str, torch.Tensor],
    entropy: float,
) -> None:
    """Update the network by clipped PPO over shuffled minibatches."""
    for _ in range(config.epochs):
        for chosen in torch.randperm(len(batch["reward"])).chunk(config.minibatches):
            part = {key: held[chosen] for key, held in batch.items()}
            policy = net.policy(part["seen"], part["masks"])
            gain = part["advantage"]
            ratio = (policy.log_prob(part["chosen"]) - part["logprob"]).exp()
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            loss = -torch.min(ratio * gain, clipped * gain).mean()
            loss += config.value * (net.values(part["seen"]) - part["return"]).pow(2).mean()
            loss -= entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), config.max_grad_norm)
            optimizer.step()


# What the learned policy is compared with. Each function returns the mean return of an agent.


def play(
    env: TownEnv,
    decide: Callable[[Observations, Infos], Mapping[str, object]],
    begin: Callable[[int], object] = bool,
) -> float:
    """Return the mean return of an agent over the evaluation episodes."""
    returns = []
    for seed in EVALUATION:
        observations, infos = env.reset(seed=seed)
        begin(seed)
        total = dict.fromkeys(env.agents, 0.0)
        while env.agents:
            observations, rewards, _, _, infos = env.step(decide(observations, infos))
            for agent, reward in rewards.items():
                total[agent] += reward
        returns.append(np.mean(list(total.values())))
    return float(np.mean(returns))


@torch.no_grad()
def play_net(config: Config, net: Net) -> float:
    env = make_env(config)
    order = list(env.possible_agents)

    def decide(observations: Observations, infos: Infos) -> dict[str, int]:
        seen = {a: inputs(observations[a], order.index(a), len(order)) for a in env.agents}
        return {
            a: int(net.actor(torch.from_numpy(x)).masked_fill(mask == 0, -1e9).argmax())
            for a, x in seen.items()
            for mask in [torch.from_numpy(observations[a]["action_mask"])]
        }

    return play(env, decide)


def play_random(config: Config) -> float:
    env, rng = make_env(config), np.random.default_rng(0)
    return play(env, lambda seen, infos: sample_legal(env, seen, infos, rng))


def play_scripted(config: Config) -> float:
    env, policy = make_env(config, "words"), load_policy("scripted")
    return play(env, policy.act, lambda seed: policy.reset(env.profiles(), seed, env.context()))


def play_shortest(config: Config) -> float:
    """Walk to the nearest tile from which the errand can be done, and do it: the optimum."""
    env = make_env(config, "words")
    world = env.world
    errands = {errand.agent: errand for errand in world.scenario.reward.errands}
    goals: dict[str, tuple[int, int]] = {}

    def begin(seed: int) -> None:
        starts = dict(zip(world.names, world.positions.tolist(), strict=True))
        for agent, errand in errands.items():
            goals[agent] = nearest_tile(world.plan, tuple(starts[agent]), errand.object)

    def act(agent: str, percept: Percept) -> Action:
        if percept.me.tile != goals[agent]:
            return Move("{},{}".format(*goals[agent]))
        return Interact(errands[agent].object, errands[agent].state)

    def decide(observations: Observations, infos: Infos) -> dict[str, Action]:
        return {agent: act(agent, infos[agent]["percept"]) for agent in errands}

    return play(env, decide, begin)


def nearest_tile(plan: TownPlan, start: tuple[int, int], name: str) -> tuple[int, int]:
    """Return the tile within reach of an object that is the fewest steps from `start`."""
    item = next(o for k, o in enumerate(plan.objects) if plan.object_id(k) == name)
    seen, queue = {start}, deque([start])
    while queue:
        x, y = queue.popleft()
        if item.find_distance(x, y) <= 1 and plan.arena[y, x] == item.arena:
            return x, y
        for tile in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= tile[0] < plan.width and 0 <= tile[1] < plan.height
            if inside and tile not in seen and not plan.blocked[tile[1], tile[0]]:
                seen.add(tile)
                queue.append(tile)
    raise ValueError(f"no way from {start} to {name}")


def draw(config: Config, curves: list[list[tuple[int, float]]], levels: dict[str, float]) -> Path:
    """Draw the learning curves and the levels they are compared with."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for seed, curve in enumerate(curves):
        steps, means = zip(*curve, strict=True)
        axes.plot(steps, means, color="tab:blue", alpha=0.7, label="PPO" if seed == 0 else None)
    styles = {
        "shortest path": ("black", "--"),
        "scripted": ("tab:green", "-."),
        "random": ("0.5", ":"),
    }
    for name, (color, style) in styles.items():
        axes.axhline(levels[name], color=color, linestyle=style, label=name)
    axes.set(
        xlabel="agent-steps", ylabel="return of an agent", title=f"Errands on {config.scenario}"
    )
    axes.legend(loc="lower right")
    path = Path(config.out) / "learning_curve.png"
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def main(arguments: list[str] | None = None) -> float:
    """Train, compare, draw; return the worst ratio of any seed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for item in fields(Config):
        option = "--" + item.name.replace("_", "-")
        parser.add_argument(option, type=type(item.default), default=item.default)
    config = Config(**vars(parser.parse_args(arguments)))
    Path(config.out).mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    levels = {
        "shortest path": play_shortest(config),
        "scripted": play_scripted(config),
        "random": play_random(config),
    }
    for name, level in levels.items():
        print(f"{name:14} return {level:.4f}")
    curves: list[list[tuple[int, float]]] = []
    ratios: list[float] = []
    for seed in range(config.seeds):
        begun = time.perf_counter()
        net, curve = train(config, seed)
        curves.append(curve)
        learned = play_net(config, net)
        ratios.append(learned / levels["shortest path"])
        took = time.perf_counter() - begun
        print(f"PPO, seed {seed}    return {learned:.4f}, ratio {ratios[-1]:.4f}, {took:.0f} s")
        torch.save(net.state_dict(), Path(config.out) / f"net_seed{seed}.pt")
    result = {"config": asdict(config), "levels": levels, "ratios": ratios, "curves": curves}
    (Path(config.out) / "result.json").write_text(json.dumps(result, indent=1))
    print(f"ratio to the shortest path: worst {min(ratios):.4f}, mean {np.mean(ratios):.4f}")
    print(f"curves: {draw(config, curves, levels)}")
    return min(ratios)


if __name__ == "__main__":
    main()
