"""Agent-steps per CPU second of `VectorTown` beside as many towns stepped in a loop, in one run.

Both get the same actions: drawn beforehand, possible or not; or drawn from the masks, step by step.
Run: `python -m benchmarks.vector` (about a minute). Rounds alternate; the median of each is taken.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from statistics import median
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from genagents_env import town_v0
from genagents_env.train.wrappers import VectorTown

Choices = npt.NDArray[np.int64]
Actions = TypeVar("Actions")
Draws = npt.NDArray[np.float64]  # parts of the choices there are, in [0, 1)


class Course(Protocol[Actions]):
    """Towns under measurement."""

    def prepare(self, actions: Choices) -> Iterable[Actions]:
        """Return actions, shape (steps, slots), as `step` takes them."""

    def step(self, actions: Actions) -> None:
        """Step every town once."""

    def legal(self, draws: Draws) -> Actions:
        """Return a possible choice for every slot: the part `draws` of those there are."""


class Loop:
    """The documented loop: dictionaries, one `step` a town, `reset` at its end."""

    def __init__(self, scenario: str, towns: int) -> None:
        self.envs = [town_v0.parallel_env(scenario, actions="menu") for _ in range(towns)]
        self.agents = self.envs[0].possible_agents
        self.seen = [env.reset(seed=t)[0] for t, env in enumerate(self.envs)]

    def prepare(self, actions: Choices) -> list[list[dict[str, int]]]:
        """Return actions, shape (steps, towns * A), as `step` of each town takes them."""
        shaped = actions.reshape(len(actions), len(self.envs), -1).tolist()
        return [[dict(zip(self.agents, own, strict=True)) for own in row] for row in shaped]

    def step(self, actions: list[dict[str, int]]) -> None:
        """Step every town once."""
        for t, (env, chosen) in enumerate(zip(self.envs, actions, strict=True)):
            self.seen[t] = env.step(chosen)[0]
            if not env.agents:
                self.seen[t] = env.reset()[0]

    def legal(self, draws: Draws) -> list[dict[str, int]]:
        """Return a possible choice for every agent: the part `draws` of those there are."""
        chosen = []
        for own, row in zip(self.seen, draws.reshape(len(self.envs), -1), strict=True):
            choices = {}
            for draw, (agent, seen) in zip(row, own.items(), strict=False):
                possible = seen["action_mask"].nonzero()[0]
                choices[agent] = int(possible[int(draw * len(possible))])
            chosen.append(choices)
        return chosen


class Vector:
    """`VectorTown`: arrays."""

    def __init__(self, scenario: str, towns: int) -> None:
        self.vector = VectorTown(scenario, towns)
        self.seen, _ = self.vector.reset(seed=0)

    def prepare(self, actions: Choices) -> Choices:
        """Return actions as they are."""
        return actions

    def step(self, actions: Choices) -> None:
        """Step every town once."""
        self.seen = self.vector.step(actions)[0]

    def legal(self, draws: Draws) -> Choices:
        """Return a possible choice for every slot: the part `draws` of those there are."""
        mask = self.seen["action_mask"]
        rank = (draws * mask.sum(axis=1)).astype(np.int64)
        chosen: Choices = (mask.cumsum(axis=1) > rank[:, None]).argmax(axis=1)
        return chosen


def spent(work: Callable[[], None]) -> float:
    """Return the CPU seconds of `work`."""
    start = time.process_time()
    work()
    return time.process_time() - start


def spell(course: Course[Actions], choices: Choices) -> float:
    """Return the CPU seconds of stepping with `choices`, possible or not, shape (steps, slots)."""
    prepared = course.prepare(choices)

    def work() -> None:
        for row in prepared:
            course.step(row)

    return spent(work)


def spell_legal(course: Course[Actions], draws: Draws) -> float:
    """Return the CPU seconds of a spell in which the masks and `draws` decide step by step."""

    def work() -> None:
        for row in draws:
            course.step(course.legal(row))

    return spent(work)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", nargs="+", default=["tiny"])
    parser.add_argument("--towns", type=int, default=64)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    print(
        "| scenario | towns | agents | actions | loop, agent-steps / CPU s | VectorTown | times |"
    )
    print("|---|---|---|---|---|---|---|")
    for scenario in args.scenario:
        loop, vector = Loop(scenario, args.towns), Vector(scenario, args.towns)
        random, slots = np.random.default_rng(0), vector.vector.num_envs
        choices = vector.vector.single_action_space.n  # type: ignore[attr-defined]  # Discrete
        for legal in (False, True):
            seconds: list[tuple[float, float]] = []
            for _ in range(args.rounds + 1):
                shape = (args.steps, slots)
                if legal:
                    draws = random.random(shape)
                    seconds.append((spell_legal(loop, draws), spell_legal(vector, draws)))
                else:
                    drawn = random.integers(0, choices, shape)
                    seconds.append((spell(loop, drawn), spell(vector, drawn)))
            kept = seconds[1:]  # the first warms up
            rates = [args.steps * slots / median(each) for each in zip(*kept, strict=True)]
            times = median(a / b for a, b in kept)
            source = "from the masks" if legal else "any"
            print(
                f"| {scenario} | {args.towns} | {len(loop.agents)} | {source} "
                f"| {rates[0]:,.0f} | {rates[1]:,.0f} | {times:.1f} |"
            )


if __name__ == "__main__":
    main()
