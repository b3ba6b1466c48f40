"""Train residents by PPO, in one file: masked actions, one network shared by all, CPU only.

    pip install 'genagents-env[train]'
    python examples/train_ppo.py --tasks errand --seeds 5 --out runs/train_ppo

Towns of several layouts are stepped together; each agent of each is a row of the batch. While it
learns, its policy is played in towns that training never shows, by the sparse reward. The
script writes a curve of that for each seed, the results, and the weights, which
`genagents run ... --policy learned --policy-config weights=FILE` takes.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.distributions import Categorical

from genagents_env.policies.learned.network import save_network
from genagents_env.train.tasks import HELD_OUT, LAYOUTS, find_layout
from genagents_env.train.tasks.vector import make_vector
from genagents_env.train.wrappers import JoinedTowns

matplotlib.use("Agg")
import matplotlib.pyplot as plt

Floats = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int8]
Batch = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Config:
    """The command line: each field is an option of the same name."""

    tasks: str = "errand"  # names, separated by commas: one network learns all of them
    seeds: int = 3
    out: str = "runs/train_ppo"
    menu: str = "portable"  # or "plain", for which train_recurrent.py is made
    sees: str = "all"  # or "mask": the network reads nothing but what is possible
    total_steps: int = 400_000  # agent-steps of one seed
    layouts: int = 8  # of each task
    towns: int = 16  # of each layout
    shaping: float = 1.0  # weight of the potential; 0 is the sparse reward
    rollout: int = 32  # ticks between updates
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.03
    value: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 64
    evaluations: int = 10  # points of the curve
    episodes: int = 20  # of an evaluation


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

    @torch.no_grad()
    def draw(self, seen: Floats, masks: Masks, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return a choice for each row, drawn by its probabilities (the Gumbel-max trick)."""
        logits = self.actor(torch.from_numpy(seen)).numpy() + rng.gumbel(size=masks.shape)
        chosen: npt.NDArray[np.int64] = np.where(masks == 0, -np.inf, logits).argmax(axis=1)
        return chosen

    def save(self, path: Path, **about: object) -> None:
        """Write the actor as weights of the policy `learned`."""
        layers = [layer for layer in self.actor if isinstance(layer, nn.Linear)]
        pairs = [(one.weight.detach().numpy().T, one.bias.detach().numpy()) for one in layers]
        save_network(path, pairs, about)


def _layers(inputs: int, hidden: int) -> list[nn.Module]:
    return [_layer(inputs, hidden), nn.Tanh(), _layer(hidden, hidden), nn.Tanh()]


def _layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Point(NamedTuple):
    """One point of a curve: agent-steps so far, and the mean return of an agent."""

    steps: int
    mean: float


@dataclass
class Training:
    """What came of one seed.

    Attributes:
        net: as it is at the end.
        curve: for each task, the policy in towns never seen.
        seconds: of CPU, evaluations left out.
        steps: agent-steps.
    """

    net: Net
    curve: dict[str, list[Point]] = field(default_factory=dict)
    seconds: float = 0.0
    steps: int = 0


def make_towns(config: Config, seed: int) -> JoinedTowns:
    """Return the towns of all tasks as one vector; another seed has other layouts."""
    numbers = [(seed * config.layouts + k) % LAYOUTS for k in range(config.layouts)]
    return JoinedTowns(
        [
            make_vector(
                task,
                numbers,
                config.towns,
                shaping=config.shaping,
                discount=config.gamma,
                menu=config.menu,
            )
            for task in config.tasks.split(",")
        ]
    )


def read(seen: Mapping[str, Any], sees: str) -> Floats:
    """Return what the network reads of observations, shape (slots, inputs)."""
    found: Floats = seen["observation" if sees == "all" else "action_mask"]
    return found.astype(np.float32, copy=False)


class Evaluation:
    """Episodes of a task with given seeds, played together by the sparse reward."""

    def __init__(self, task: str, seeds: Sequence[int], config: Config) -> None:
        self.seeds, self.sees = list(seeds), config.sees
        layouts = [find_layout(seed) for seed in seeds]
        self.vector = make_vector(task, layouts, 1, shaping=0.0, menu=config.menu)

    def play(self, net: Net, rng: np.random.Generator | None = None) -> npt.NDArray[np.float64]:
        """Return what each agent of each episode earns, shape (episodes, agents).

        Choices are drawn as in training. The most probable ones alone would be another policy:
        one without a memory that is wrong once goes on being wrong where nothing changes.
        """
        rng = rng or np.random.default_rng(0)
        seen, _ = self.vector.reset(seed=self.seeds)
        earned = np.zeros(self.vector.num_envs)
        first = np.ones(self.vector.num_envs, dtype=np.bool_)
        while first.any():
            chosen = net.draw(read(seen, self.sees), seen["action_mask"], rng)
            seen, rewards, ends, cuts, _ = self.vector.step(chosen)
            earned[first] += rewards[first]
            first &= ~(ends | cuts)
        return earned.reshape(len(self.seeds), -1)


def train(config: Config, seed: int) -> Training:
    """Return the network trained from `seed`, with its curve."""
    torch.manual_seed(seed)
    vector = make_towns(config, seed)
    rollouts = Rollouts(config, vector, seed)
    net = rollouts.make_net()
    optimizer = torch.optim.Adam(net.parameters(), lr=config.learning_rate, eps=1e-5)
    each = config.rollout * vector.num_envs
    updates = max(1, config.total_steps // each)
    done = Training(net)
    tests = {
        task: Evaluation(task, HELD_OUT[: config.episodes], config)
        for task in config.tasks.split(",")
    }
    points = {round((k + 1) * updates / config.evaluations) for k in range(config.evaluations)}
    for update in range(updates):
        begun, left = time.process_time(), 1.0 - update / updates
        optimizer.param_groups[0]["lr"] = left * config.learning_rate
        learn(config, net, optimizer, rollouts.collect(net), left * config.entropy)
        done.seconds += time.process_time() - begun
        done.steps += each
        if update + 1 in points:
            for task, test in tests.items():
                point = Point(done.steps, float(test.play(net).mean()))
                done.curve.setdefault(task, []).append(point)
    vector.close()
    return done


class Rollouts:
    """The towns as training goes through them, `rollout` ticks at a time."""

    def __init__(self, config: Config, vector: JoinedTowns, seed: int) -> None:
        self.config, self.vector = config, vector
        self.seen, infos = vector.reset(seed=seed)
        self.present = infos["present"]

    def make_net(self) -> Net:
        """Return a network that reads what is seen here and knows what can be chosen here."""
        seen, masks = read(self.seen, self.config.sees), self.seen["action_mask"]
        return Net(seen.shape[1], masks.shape[1], self.config.hidden)

    @torch.no_grad()
    def collect(self, net: Net) -> Batch:
        """Act; return the steps of slots that were not inert, with advantages, flattened.

        The horizon ends an episode as the task's end does: what is learned is what can be earned
        within it, and the observation says which part of it is over.
        """
        ticks: list[Batch] = []
        for _ in range(self.config.rollout):
            row = {
                "seen": torch.from_numpy(read(self.seen, self.config.sees)),
                "masks": torch.from_numpy(self.seen["action_mask"]),
            }
            policy = net.policy(row["seen"], row["masks"])
            row["chosen"] = policy.sample()
            row["logprob"] = policy.log_prob(row["chosen"])
            row["value"] = net.values(row["seen"])
            row["live"] = torch.from_numpy(self.present)
            self.seen, rewards, ends, cuts, infos = self.vector.step(row["chosen"].numpy())
            self.present = infos["present"]
            over = ends | cuts | ~self.present
            row["reward"] = torch.from_numpy(rewards.astype(np.float32))
            row["done"] = torch.from_numpy(over.astype(np.float32))
            ticks.append(row)
        batch = {key: torch.stack([row[key] for row in ticks]) for key in ticks[0]}
        last = net.values(torch.from_numpy(read(self.seen, self.config.sees)))
        batch["advantage"] = advantages(self.config, batch, last)
        batch["return"] = batch["advantage"] + batch["value"]
        live = batch.pop("live")
        return {key: part[live] for key, part in batch.items()}


def advantages(config: Config, batch: Batch, last: torch.Tensor) -> torch.Tensor:
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
    config: Config, net: Net, optimizer: torch.optim.Optimizer, batch: Batch, entropy: float
) -> None:
    """Update the network by clipped PPO over shuffled minibatches."""
    for _ in range(config.epochs):
        for chosen in torch.randperm(len(batch["reward"])).chunk(config.minibatches):
            part = {key: held[chosen] for key, held in batch.items()}
            policy = net.policy(part["seen"], part["masks"])
            gain = part["advantage"]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = (policy.log_prob(part["chosen"]) - part["logprob"]).exp()
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            loss = -torch.min(ratio * gain, clipped * gain).mean()
            loss += config.value * (net.values(part["seen"]) - part["return"]).pow(2).mean()
            loss -= entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), config.max_grad_norm)
            optimizer.step()


def draw(path: Path, task: str, curves: Sequence[Sequence[Point]]) -> None:
    """Draw the curve of each seed."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for seed, curve in enumerate(curves):
        steps, means = zip(*curve, strict=True)
        axes.plot(steps, means, color="tab:blue", alpha=0.7, label="PPO" if seed == 0 else None)
    axes.set(xlabel="agent-steps", ylabel="return of an agent in towns never seen", title=task)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train from each seed; write weights, results and curves."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for item in fields(Config):
        option = "--" + item.name.replace("_", "-")
        parser.add_argument(option, type=type(item.default), default=item.default)
    config = Config(**vars(parser.parse_args(arguments)))
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    curves: dict[str, list[list[Point]]] = {}
    for seed in range(config.seeds):
        done = train(config, seed)
        done.net.save(out / f"seed_{seed}.npz", tasks=config.tasks, seed=seed, steps=done.steps)
        rate = done.steps / done.seconds
        print(f"seed {seed}: {done.seconds:.0f} CPU seconds, {rate:,.0f} agent-steps in each")
        for task, curve in done.curve.items():
            print(f"  {task}: {curve[-1].mean:.4f} an agent in towns never seen")
            curves.setdefault(task, []).append(curve)
    result = {"config": asdict(config), "curves": curves}
    (out / "result.json").write_text(json.dumps(result, indent=1))
    for task, found in curves.items():
        draw(out / f"{task}.png", task, found)


if __name__ == "__main__":
    main()
