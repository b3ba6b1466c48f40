"""Agent-steps per CPU second of `VectorTown` beside as many towns stepped in a loop, in one run.

Both get the same actions: drawn beforehand, possible or not; or drawn from the masks, step by step.
Run: `python benchmarks/vector.py` (about a minute). Rounds alternate; the median of each is taken.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from genagents_env import town_v0
from genagents_env.wrappers import VectorTown


class Loop:
    """The documented loop: dictionaries, one `step` a town, `reset` at its end."""

    def __init__(self, scenario: str, towns: int) -> None:
        self.envs = [town_v0.parallel_env(scenario, actions="menu") for _ in range(towns)]
        self.agents = self.envs[0].possible_agents
        self.seen = [env.reset(seed=t)[0] for t, env in enumerate(self.envs)]

    def prepare(self, actions: Any) -> list[list[dict[str, int]]]:
        """Return actions, shape (steps, towns * A), as `step` of each town takes them."""
        shaped = actions.reshape(len(actions), len(self.envs), -1).tolist()
        return [[dict(zip(self.agents, own, strict=True)) for own in row] for row in shaped]

    def step(self, actions: list[dict[str, int]]) -> None:
        """Step every town once."""
        for t, (env, chosen) in enumerate(zip(self.envs, actions, strict=True)):
            self.seen[t] = env.step(chosen)[0]
            if not env.agents:
                self.seen[t] = env.reset()[0]

    def legal(self, draws: Any) -> list[dict[str, int]]:
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

    def prepare(self, actions: Any) -> Any:
        """Return actions as they are."""
        return actions

    def step(self, actions: Any) -> None:
        """Step every town once."""
        self.seen = self.vector.step(actions)[0]

    def legal(self, draws: Any) -> Any:
        """Return a possible choice for every slot: the part `draws` of those there are."""
        mask = self.seen["action_mask"]
        rank = (draws * mask.sum(axis=1)).astype(np.int64)
        return (mask.cumsum(axis=1) > rank[:, None]).argmax(axis=1)


def spent(work: Callable[[], None]) -> float:
    """Return the CPU seconds of `work`."""
    start = time.process_time()
    work()
    return time.process_time() - start


def spell(course: Loop | Vector, given: Any, *, legal: bool) -> float:
    """Return the CPU seconds of a spell; `given`: choices, or what to draw them by."""
    prepared = given if legal else course.prepare(given)

    def work() -> None:
        for row in prepared:
            course.step(course.legal(row) if legal else row)

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
                given = random.random(shape) if legal else random.integers(0, choices, shape)
                seconds.append((spell(loop, given, legal=legal), spell(vector, given, legal=legal)))
            kept = seconds[1:]  # the first warms up
            rates = [args.steps * slots / median(each) for each in zip(*kept, strict=True)]
            times = median(a / b for a, b in kept)
            drawn = "from the masks" if legal else "any"
            print(
                f"| {scenario} | {args.towns} | {len(loop.agents)} | {drawn} "
                f"| {rates[0]:,.0f} | {rates[1]:,.0f} | {times:.1f} |"
            )


if __name__ == "__main__":
    main()
