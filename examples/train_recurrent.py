"""Train residents by recurrent PPO on the plain menu: the recipe of the benchmark, CPU only.

    pip install 'genagents-env[train]'
    python examples/train_recurrent.py --task errand --seeds 3 --out runs/errand

One network plays all agents. What is in a slot is read by the same weights whatever the slot, so
that nothing has to be learned twice; a GRU remembers what was seen. `--prosocial 1` pays everybody
the mean of all, which finds cooperation where each for themselves does not. The script writes
weights, results and curves, by the sparse reward of each agent in towns that training never shows.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.distributions import Categorical

from genagents_env.observe import plain_columns as plain
from genagents_env.observe.plain_slots import FACT_SLOTS, PERSON_SLOTS, PLACE_SLOTS, THING_SLOTS
from genagents_env.train.tasks import HELD_OUT, LAYOUTS, find_layout
from genagents_env.train.tasks.vector import make_vector
from genagents_env.train.wrappers import VectorTown

matplotlib.use("Agg")
import matplotlib.pyplot as plt

Batch = dict[str, torch.Tensor]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Config:
    """The command line: each field is an option of the same name."""

    task: str = "errand"
    seeds: int = 3
    out: str = "runs/train_recurrent"
    total_steps: int = 600_000  # agent-steps of one seed
    layouts: int = 32
    towns: int = 4  # of each layout
    prosocial: float = 0.0  # part of one's reward that is the mean of all; 1 is a team
    hold: float = 4.0  # ticks for which the chance that draws choices stays the same, on average
    shaping: float = 1.0  # weight of the potential; 0 is the sparse reward
    rollout: int = 16  # ticks between updates, and that gradients go back
    epochs: int = 4
    minibatches: int = 8
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.03
    value: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 64
    slot: int = 16  # numbers by which a slot is known
    evaluations: int = 10  # points of the curve
    episodes: int = 20  # of an evaluation


class Net(nn.Module):
    """Reads slots by shared weights, remembers by a GRU, and rates what can be done about each.

    All inputs have the shape (ticks, rows, ...), memories (rows, hidden).
    """

    kinds = (
        ("places", plain.PLACES, PLACE_SLOTS, plain.PLACE),
        ("people", plain.PEOPLE, PERSON_SLOTS, plain.PERSON),
        ("things", plain.THINGS, THING_SLOTS, plain.THING),
        ("facts", plain.FACTS, FACT_SLOTS, plain.FACT),
    )

    def __init__(self, hidden: int, slot: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.readers = nn.ModuleDict({name: _layer(size, slot) for name, _, _, size in self.kinds})
        self.whole = _layer(plain.PLACES + 2 * slot * len(self.kinds), hidden)
        self.memory = nn.GRU(hidden, hidden)
        self.plans = nn.ModuleDict({name: _layer(hidden, slot) for name, *_ in self.kinds})
        self.place, self.person = _layer(slot, 1, 0.01), _layer(slot, 3, 0.01)
        self.thing, self.tell = _layer(slot, 1 + plain.STATE_SLOTS, 0.01), _layer(slot, 1, 0.01)
        self.self = _layer(hidden, 2, 0.01)
        self.critic = nn.Sequential(_layer(hidden, hidden), nn.Tanh(), _layer(hidden, 1))

    def forward(
        self, seen: torch.Tensor, begun: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return logits, values and the memories after the last tick.

        Args:
            seen: observations, shape (ticks, rows, SIZE).
            begun: 1 where an episode begins, shape (ticks, rows): nothing is remembered there.
            memory: before the first tick, shape (rows, hidden).
        """
        read = {}
        for name, first, count, size in self.kinds:
            slots = seen[..., first : first + count * size].unflatten(-1, (count, size))
            read[name] = torch.tanh(self.readers[name](slots))
        pooled = [part for own in read.values() for part in (own.mean(-2), own.amax(-2))]
        whole = torch.tanh(self.whole(torch.cat([seen[..., : plain.PLACES], *pooled], -1)))
        states = []
        for tick in range(len(seen)):
            memory = memory * (1 - begun[tick])[:, None]
            out, after = self.memory(whole[tick][None], memory[None])
            states.append(out[0])
            memory = after[0]
        state = torch.stack(states) + whole
        return self._rate(seen, read, state), self.critic(state).squeeze(-1), memory

    def _rate(self, seen: torch.Tensor, read: Batch, state: torch.Tensor) -> torch.Tensor:
        """Return the logits of all choices, in the order of the menu."""
        about = {
            name: torch.tanh(read[name] + self.plans[name](state)[..., None, :]) for name in read
        }
        own, people, facts = self.self(state), about["people"], about["facts"]
        person, thing = self.person(people), self.thing(about["things"])
        tell = self.tell(torch.tanh(people[..., :, None, :] + facts[..., None, :, :]))
        parts = [
            own[..., :1],
            self.place(about["places"]).squeeze(-1),
            person[..., 0],
            person[..., 1],
            tell.flatten(-3),
            thing[..., 0],
            thing[..., 1:].flatten(-2),
            person[..., 2],
            own[..., 1:],
        ]
        return torch.cat(parts, -1)


def _layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def draw_choices(logits: torch.Tensor, masks: torch.Tensor) -> Categorical:
    """Return the distribution over choices; the masked ones have probability 0."""
    return Categorical(logits=logits.masked_fill(masks == 0, -1e9), validate_args=False)


class Point(NamedTuple):
    """One point of a curve: agent-steps so far, and the mean return of an agent."""

    steps: int
    mean: float


@dataclass
class Training:
    """What came of one seed: the network, its curve, CPU seconds without that, agent-steps."""

    net: Net
    curve: list[Point] = field(default_factory=list)
    seconds: float = 0.0
    steps: int = 0


class Evaluation:
    """Episodes of a task with given seeds, played together by the sparse reward."""

    def __init__(self, task: str, seeds: Sequence[int] = HELD_OUT[:20], **options: Any) -> None:
        self.seeds = list(seeds)
        layouts = [find_layout(seed) for seed in seeds]
        self.vector = make_vector(task, layouts, 1, shaping=0.0, menu="plain", **options)

    @torch.no_grad()
    def play(self, net: Net, seed: int = 0) -> Floats:
        """Return what each agent of each episode earns, shape (episodes, agents).

        Choices are drawn as in training.
        """
        torch.manual_seed(seed)
        rows = self.vector.num_envs
        seen, _ = self.vector.reset(seed=self.seeds)
        earned, first = np.zeros(rows), np.ones(rows, dtype=np.bool_)
        memory, begun = torch.zeros(rows, net.hidden), torch.zeros(1, rows)
        while first.any():
            numbers = torch.from_numpy(seen["observation"])[None]
            logits, _, memory = net(numbers, begun, memory)
            chosen = draw_choices(logits[0], torch.from_numpy(seen["action_mask"])).sample()
            seen, rewards, ends, cuts, _ = self.vector.step(chosen.numpy())
            earned[first] += rewards[first]
            first &= ~(ends | cuts)
        return earned.reshape(len(self.seeds), -1)


class Rollouts:
    """The towns as training goes through them, `rollout` ticks at a time."""

    def __init__(self, config: Config, vector: VectorTown, seed: int) -> None:
        self.config, self.vector = config, vector
        self.seen, infos = vector.reset(seed=seed)
        self.present = infos["present"]
        self.memory = torch.zeros(vector.num_envs, config.hidden)
        self.begun = torch.ones(vector.num_envs)
        self.noise = torch.zeros(self.seen["action_mask"].shape)
        self.running, self.squares, self.count = np.zeros(vector.num_envs), 0.0, 0

    @torch.no_grad()
    def collect(self, net: Net) -> Batch:
        """Act; return the steps of all slots, shape (ticks, slots, ...), with advantages.

        The horizon ends an episode as the task's end does: what is learned is what can be earned
        within it, and the observation says which part of it is over.
        """
        before, ticks = self.memory, list[Batch]()
        for _ in range(self.config.rollout):
            row = {
                "seen": torch.from_numpy(self.seen["observation"]),
                "masks": torch.from_numpy(self.seen["action_mask"]),
                "begun": self.begun,
                "live": torch.from_numpy(self.present),
            }
            logits, values, self.memory = net(row["seen"][None], self.begun[None], self.memory)
            policy = draw_choices(logits[0], row["masks"])
            row["chosen"], row["value"] = self._draw(policy.logits), values[0]
            row["logprob"] = policy.log_prob(row["chosen"])
            self.seen, rewards, ends, cuts, infos = self.vector.step(row["chosen"].numpy())
            self.present = infos["present"]
            over = ends | cuts | ~self.present
            row["reward"] = torch.from_numpy(self._scale(self._share(rewards), over))
            self.begun = torch.from_numpy(over.astype(np.float32))
            row["done"] = self.begun
            ticks.append(row)
        batch = {key: torch.stack([row[key] for row in ticks]) for key in ticks[0]}
        last = torch.from_numpy(self.seen["observation"])[None]
        _, after, _ = net(last, self.begun[None], self.memory)
        batch["advantage"] = advantages(self.config, batch, after[0])
        batch["return"] = batch["advantage"] + batch["value"]
        batch["memory"] = before[None]
        return batch

    def _draw(self, logits: torch.Tensor) -> torch.Tensor:
        """Draw choices by the Gumbel-max trick, each by the same noise for some ticks.

        Each is drawn by its probability, but an agent goes on with what it has begun, as long as
        that is about as probable: chance that is new at every tick hardly gets out of a room.
        """
        new = torch.rand(len(logits)) * self.config.hold < 1
        fresh = torch.distributions.Gumbel(0.0, 1.0).sample(logits.shape)
        self.noise = torch.where(new[:, None] | (self.begun > 0)[:, None], fresh, self.noise)
        return (logits + self.noise).argmax(-1)

    def _scale(self, rewards: Floats, over: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        """Return rewards over the spread of discounted returns so far, so that all tasks are alike.

        Small rewards would be lost beside the gain of the policy, which is normalised.
        """
        self.running = self.config.gamma * self.running + rewards
        self.squares += float(np.square(self.running).sum())
        self.count += len(rewards)
        self.running[over] = 0.0
        spread = max(1e-6, np.sqrt(self.squares / self.count))
        scaled: npt.NDArray[np.float32] = (rewards / spread).astype(np.float32)
        return scaled

    def _share(self, rewards: Floats) -> Floats:
        """Return rewards of which a part is the mean of all in the town."""
        part = self.config.prosocial
        team = rewards.reshape(self.vector.towns, -1).mean(axis=1)
        shared: Floats = (1 - part) * rewards + part * team.repeat(len(self.vector.agents))
        return shared


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
    """Update the network by clipped PPO; a minibatch is whole sequences of some slots."""
    for _ in range(config.epochs):
        for slots in torch.randperm(batch["reward"].shape[1]).chunk(config.minibatches):
            part = {key: held[:, slots] for key, held in batch.items()}
            logits, values, _ = net(part["seen"], part["begun"], part["memory"][0])
            live, policy = part["live"], draw_choices(logits, part["masks"])
            gain = part["advantage"]
            gain = (gain - gain[live].mean()) / (gain[live].std() + 1e-8)
            ratio = (policy.log_prob(part["chosen"]) - part["logprob"]).exp()
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            loss = -torch.min(ratio * gain, clipped * gain)
            loss = loss + config.value * (values - part["return"]).pow(2)
            loss = (loss - entropy * policy.entropy())[live].mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), config.max_grad_norm)
            optimizer.step()


def train(config: Config, seed: int, say: Callable[[str], object] = lambda line: None) -> Training:
    """Return the network trained from `seed`, with its curve; `say` hears of each of its points."""
    torch.manual_seed(seed)
    numbers = [(seed * config.layouts + k) % LAYOUTS for k in range(config.layouts)]
    vector = make_vector(
        config.task,
        numbers,
        config.towns,
        shaping=config.shaping,
        discount=config.gamma,
        menu="plain",
    )
    rollouts, net = Rollouts(config, vector, seed), Net(config.hidden, config.slot)
    optimizer = torch.optim.Adam(net.parameters(), lr=config.learning_rate, eps=1e-5)
    each = config.rollout * vector.num_envs
    updates = max(1, config.total_steps // each)
    done, test = Training(net), Evaluation(config.task, HELD_OUT[: config.episodes])
    points = {round((k + 1) * updates / config.evaluations) for k in range(config.evaluations)}
    for update in range(updates):
        begun, left = time.process_time(), 1.0 - update / updates
        optimizer.param_groups[0]["lr"] = left * config.learning_rate
        learn(config, net, optimizer, rollouts.collect(net), left * config.entropy)
        done.seconds += time.process_time() - begun
        done.steps += each
        if update + 1 in points:
            state = torch.get_rng_state()
            done.curve.append(Point(done.steps, float(test.play(net).mean())))
            torch.set_rng_state(state)
            earned = f"{done.curve[-1].mean:.4f} an agent in towns never seen"
            say(f"{config.task}, seed {seed}: {done.steps:,} agent-steps, {earned}")
    vector.close()
    return done


def draw(path: Path, task: str, curves: Sequence[Sequence[Point]]) -> None:
    """Draw the curve of each seed."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for seed, curve in enumerate(curves):
        steps, means = zip(*curve, strict=True)
        label = "recurrent PPO" if seed == 0 else None
        axes.plot(steps, means, color="tab:blue", alpha=0.7, label=label)
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
    curves = []
    for seed in range(config.seeds):
        done = train(config, seed, say=print)
        torch.save(done.net.state_dict(), out / f"seed_{seed}.pt")
        rate = done.steps / done.seconds
        print(f"seed {seed}: {done.seconds:.0f} CPU seconds, {rate:,.0f} agent-steps in each")
        curves.append(done.curve)
    result = {"config": asdict(config), "curves": curves}
    (out / "result.json").write_text(json.dumps(result, indent=1))
    draw(out / f"{config.task}.png", config.task, curves)


if __name__ == "__main__":
    main()
