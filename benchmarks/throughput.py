"""Agent-steps per CPU second of the town beside mpe2's simple_spread, measured in one run.

Random errands: everyone walks to a random place of the town, then to the next. Every agent gets its
text and numbers at every step. Run: `python -m benchmarks.throughput` (about three minutes).
"""

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.towns import make_town
from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.record import RunMeta, RunWriter


class Errands:
    """Sends everyone to random places (of 200 at most); a new errand for whoever has arrived."""

    def __init__(self, env: TownEnv, *, words: bool) -> None:
        self._env, self._words = env, words
        self._random = np.random.default_rng(0)
        places = 1 + self._random.permutation(len(env.world.town.places.all))[:200]
        # Drawn beforehand: what is measured is the town, not this.
        self._errands = cycle(self._random.choice(places, 100_000).tolist())
        self._actions: dict[str, object] = {}
        self._send(range(env.world.count))

    def actions(self) -> dict[str, object]:
        """Return everyone's action for the next step."""
        arrived = self._env.world.state.arrived.nonzero()[0].tolist()
        if arrived:
            self._send(arrived)
        return self._actions

    def _send(self, who: Iterable[int]) -> None:
        ids = self._env.possible_agents
        for i, choice in zip(who, self._errands, strict=False):
            value: object = {"choice": choice, "message": ""} if self._words else choice
            self._actions[ids[i]] = value


@dataclass
class Course:
    """One environment under measurement; `step` advances everyone once."""

    name: str
    agents: int
    step: Callable[[], None]
    in_sight: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        self.rates: list[float] = []

    def spell(self, seconds: float) -> None:
        """Step for `seconds` of CPU time and note the rate."""
        start, count = time.process_time(), 0
        while time.process_time() - start < seconds:
            for _ in range(20):
                self.step()
            count += 20
        self.rates.append(count * self.agents / (time.process_time() - start))

    @property
    def speed(self) -> float:
        """Agent-steps per CPU second: the median spell after the first, which warms up."""
        return float(np.median(self.rates[1:]))


def town(agents: int, *, actions: str, read: bool = False) -> Course:
    """Return the town with everyone on errands."""
    env = town_v0.parallel_env(scenario=make_town(agents), actions=actions, max_cycles=10**9)
    env.reset(seed=0)
    errands = Errands(env, words=actions == "words")
    seen: list[int] = []

    def step() -> None:
        infos = env.step(errands.actions())[4]
        seen.append(len(env.world.pairs[0]))
        if read:
            for info in infos.values():
                percept = info["percept"]
                _ = (percept.people, percept.objects, percept.me, percept.heard, percept.known)

    name = f"town, {actions}" + (", percepts read" if read else "")
    return Course(name, agents, step, lambda: float(np.mean(seen)) / agents)


def recorded(agents: int, folder: Path) -> Course:
    """Return the town on errands with every tick committed to a run file."""
    env = town_v0.parallel_env(scenario=make_town(agents), max_cycles=10**9)
    env.reset(seed=0)
    errands, world = Errands(env, words=True), env.world
    idle = {agent: {"name": "errands", "config": {}} for agent in env.agents}
    start = world.town.clock.start.isoformat()
    meta = RunMeta(world.scenario, {}, idle, 0, tuple(env.agents), start, 10)
    writer = RunWriter.create(folder / f"{agents}.sqlite", meta)
    writer.commit_tick(0, world.positions, env.events)

    def step() -> None:
        env.step(errands.actions())
        writer.commit_tick(world.tick, world.positions, env.events)

    return Course("town, words, recorded", agents, step)


def simple_spread(agents: int) -> Course:
    """Return mpe2's simple_spread with random actions."""
    from mpe2 import simple_spread_v3

    env = simple_spread_v3.parallel_env(N=agents, max_cycles=10**9)
    env.reset(seed=0)
    random = np.random.default_rng(0)

    def step() -> None:
        env.step(dict(zip(env.agents, random.integers(0, 5, agents).tolist(), strict=True)))

    return Course("mpe2 simple_spread", agents, step)


def main() -> None:
    """Run all in turn, round after round, so that a busy machine is busy for all; print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds a spell")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--agents", type=int, nargs="+", default=[25, 100, 1000])
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        courses = [simple_spread(25)]
        for count in args.agents:
            courses.append(town(count, actions="menu"))
            courses.append(town(count, actions="words"))
            courses.append(town(count, actions="words", read=True))
            courses.append(recorded(count, Path(folder)))
        for _ in range(args.rounds + 1):
            for course in courses:
                course.spell(args.seconds)
    print("| environment | agents | in sight | agent-steps / CPU s | times mpe2 |")
    print("|---|---|---|---|---|")
    for course in courses:
        sight = "" if course.in_sight is None else f"{course.in_sight():.1f}"
        ratio = course.speed / courses[0].speed
        print(f"| {course.name} | {course.agents} | {sight} | {course.speed:,.0f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
