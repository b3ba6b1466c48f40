"""Self-play and population play, and who does well among whom: focal and background populations.

    pip install 'genagents-env[train]'
    python -m examples.self_play --task queue --population 1 --out runs/self_play
    python -m examples.self_play --task queue --population 3 --out runs/population

With a population of one, every agent is decided for by the network that learns. With more, each
agent of each episode belongs to one network drawn at random, so that each learns among others than
itself. The table then tells, as in Melting Pot (Leibo et al. 2021), what a focal agent earns on
average where half of the agents are focal and the others of a background population: the networks
themselves, `random`, and the task's `solution`, in towns that training never shows.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from examples.train_ppo import Batch, Config, Net, Rollouts, advantages, learn, make_towns
from genagents_env import load_policy, town_v0
from genagents_env.policy import Policy
from genagents_env.run import rollout
from genagents_env.train.tasks import HELD_OUT
from genagents_env.train.wrappers import JoinedTowns

MakePolicy = Callable[[], Policy]


class PopulationTowns(Rollouts):
    """Towns whose agents belong to networks, drawn anew at the beginning of every episode."""

    def __init__(self, config: Config, vector: JoinedTowns, size: int, seed: int) -> None:
        super().__init__(config, vector, seed)
        self.size, self.rng = size, np.random.default_rng(seed)
        self.owner = self.rng.integers(size, size=vector.num_envs)

    @torch.no_grad()
    def collect_all(self, nets: Sequence[Net]) -> list[Batch]:
        """Act; return for each network the steps of the agents that were its own."""
        ticks: list[Batch] = []
        for _ in range(self.config.rollout):
            row = self._decide(nets)
            self.seen, rewards, ends, cuts, infos = self.vector.step(row["chosen"].numpy())
            self.present = infos["present"]
            row["reward"] = torch.from_numpy(rewards.astype(np.float32))
            over = ends | cuts
            row["done"] = torch.from_numpy((over | ~self.present).astype(np.float32))
            self.owner[over] = self.rng.integers(self.size, size=int(over.sum()))
            ticks.append(row)
        batch = {key: torch.stack([row[key] for row in ticks]) for key in ticks[0]}
        batch["advantage"] = advantages(self.config, batch, self._decide(nets)["value"])
        batch["return"] = batch["advantage"] + batch["value"]
        live, owner = batch.pop("live"), batch.pop("owner")
        own = [live & (owner == k) for k in range(self.size)]
        return [{key: part[rows] for key, part in batch.items()} for rows in own]

    def _decide(self, nets: Sequence[Net]) -> Batch:
        """Return what each slot sees, chooses by its own network, and is worth to it."""
        row = {
            "seen": torch.from_numpy(self.seen["observation"]),
            "masks": torch.from_numpy(self.seen["action_mask"]),
            "live": torch.from_numpy(self.present),
            "owner": torch.from_numpy(self.owner.copy()),
        }
        parts = []
        for net in nets:
            policy = net.policy(row["seen"], row["masks"])
            chosen = policy.sample()
            parts.append((chosen, policy.log_prob(chosen), net.values(row["seen"])))
        for name, columns in zip(
            ("chosen", "logprob", "value"), zip(*parts, strict=True), strict=True
        ):
            row[name] = torch.stack(columns).gather(0, row["owner"][None])[0]
        return row


def train(config: Config, size: int, seed: int) -> list[Net]:
    """Return the networks of a population."""
    torch.manual_seed(seed)
    vector = make_towns(config, seed)
    towns = PopulationTowns(config, vector, size, seed)
    nets = [towns.make_net() for _ in range(size)]
    optimizers = [torch.optim.Adam(net.parameters(), config.learning_rate) for net in nets]
    # Each network sees only its own agents: the budget is that of one.
    updates = max(1, size * config.total_steps // (config.rollout * vector.num_envs))
    for update in range(updates):
        left = 1.0 - update / updates
        for net, optimizer, batch in zip(nets, optimizers, towns.collect_all(nets), strict=True):
            optimizer.param_groups[0]["lr"] = left * config.learning_rate
            learn(config, net, optimizer, batch, left * config.entropy)
    vector.close()
    return nets


def play_focal(
    task: str, focal: MakePolicy, background: MakePolicy, seeds: Sequence[int]
) -> npt.NDArray[np.float64]:
    """Return what a focal agent earns on average in each episode; half of the agents are focal."""
    env = town_v0.rl_env(task, actions="words", menu="portable")
    agents = env.possible_agents
    means = []
    for seed in seeds:
        first, second = focal(), background()
        chosen = {a: (first, second)[(k + seed) % 2] for k, a in enumerate(agents)}
        returns = rollout(env, chosen, seed).returns
        means.append(np.mean([returns[a] for a in agents if chosen[a] is first]))
    return np.array(means)


def main(arguments: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
    """Train a population, save it, and print who earns what among whom."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--task", default="queue")
    parser.add_argument("--population", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--total-steps", type=int, default=300_000, help="agent-steps of each network"
    )
    parser.add_argument("--towns", type=int, default=16, help="of each of 8 layouts, at once")
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("runs/self_play"))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    config = Config(tasks=options.task, total_steps=options.total_steps, towns=options.towns)
    nets = train(config, options.population, options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    names: dict[str, MakePolicy] = {}
    for k, net in enumerate(nets):
        path = options.out / f"network_{k}.npz"
        net.save(path, tasks=options.task, seed=options.seed, population=len(nets))
        names[f"network {k}"] = lambda path=path: load_policy("learned", weights=str(path))  # type: ignore[misc]  # mypy: a default in a lambda
    others = {
        "random": lambda: load_policy("random"),
        "solution": lambda: load_policy("solution"),
    }
    seeds = HELD_OUT[: options.episodes]
    table: dict[str, dict[str, float]] = {}
    for focal, make in (names | others).items():
        table[focal] = {
            background: float(play_focal(options.task, make, other, seeds).mean())
            for background, other in (names | others).items()
        }
        told = ", ".join(f"{value:.3f} among {name}" for name, value in table[focal].items())
        print(f"{focal}: {told}")
    return table


if __name__ == "__main__":
    main()
