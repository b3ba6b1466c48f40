"""The environments that `benchmarks.throughput` measures."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.errands import Chatter, Deeds, Errands
from benchmarks.towns import make_crowd, make_town
from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.record import RunMeta, RunWriter


@dataclass
class Course:
    """One environment under measurement; `step` advances everyone once.

    `at_once`: how many steps are made before the clock is looked at.
    """

    name: str
    agents: int
    step: Callable[[], None]
    in_sight: Callable[[], float] | None = None
    at_once: int = 20

    def __post_init__(self) -> None:
        self.rates: list[float] = []

    def spell(self, seconds: float) -> float:
        """Step for `seconds` of CPU time; note and return the agent-steps per second."""
        start, count = time.process_time(), 0
        while time.process_time() - start < seconds:
            for _ in range(self.at_once):
                self.step()
            count += self.at_once
        self.rates.append(count * self.agents / (time.process_time() - start))
        return self.rates[-1]

    @property
    def speed(self) -> float:
        """Agent-steps per CPU second: the median spell after the first, which warms up."""
        return float(np.median(self.rates[1:]))


def town(agents: int, *, actions: str, read: bool = False) -> Course:
    """Return the town with everyone on errands."""
    env = town_v0.parallel_env(scenario=make_town(agents), actions=actions, max_cycles=10**9)
    env.percepts = actions == "words"
    env.reset(seed=0)
    errands = Errands(env, words=actions == "words")
    seen: list[int] = []

    def step() -> None:
        infos = env.step(errands.actions())[4]
        seen.append(len(env.world.pairs[0]))
        if read:
            for info in infos.values():
                _read(info["percept"])

    name = f"town, {actions}" + (", percepts read" if read else "")
    return Course(name, agents, step, lambda: float(np.mean(seen)) / agents)


def deeds(agents: int) -> Course:
    """Return the town with everyone on errands by name: Move, Interact, Talk and Idle."""
    env = town_v0.parallel_env(scenario=make_town(agents), max_cycles=10**9)
    env.reset(seed=0)
    todo = Deeds(env)

    def step() -> None:
        env.step(todo.actions())

    return Course("town, Move, Talk, Interact, Idle", agents, step)


def recorded(agents: int, folder: Path) -> Course:
    """Return the town on errands with every tick committed to a run file."""
    env = town_v0.parallel_env(scenario=make_town(agents), max_cycles=10**9)
    env.reset(seed=0)
    errands, writer = Errands(env, words=True), _open(env, folder / f"{agents}.sqlite")

    def step() -> None:
        env.step(errands.actions())
        writer.commit_tick(env.world.tick, env.world.positions, env.events)

    return Course("town, words, recorded", agents, step)


def crowd(agents: int, folder: Path) -> Course:
    """Return a full room in which everyone speaks and perceives all, every tick recorded."""
    env = town_v0.parallel_env(scenario=make_crowd(agents), max_cycles=10**9)
    env.percepts = True
    env.percepts = True
    env.reset(seed=0)
    chatter, writer = Chatter(env), _open(env, folder / f"crowd_{agents}.sqlite")

    def step() -> None:
        infos = env.step(chatter.actions())[4]
        for info in infos.values():
            _read(info["percept"])
        writer.commit_tick(env.world.tick, env.world.positions, env.events)

    return Course("a crowd talks, read, recorded", agents, step)


def beginning(agents: int) -> Course:
    """Return a town that is built and reset; a step is both."""
    scenario = make_town(agents)

    def step() -> None:
        env = town_v0.parallel_env(scenario=scenario, max_cycles=10**9)
        env.reset(seed=0)

    return Course("construction and reset", agents, step, at_once=1)


def again(agents: int) -> Course:
    """Return a town that is reset again and again."""
    env = town_v0.parallel_env(scenario=make_town(agents), max_cycles=10**9)
    env.reset(seed=0)

    def step() -> None:
        env.reset()

    return Course("reset again", agents, step, at_once=1)


def simple_spread(agents: int) -> Course:
    """Return mpe2's simple_spread with random actions."""
    from mpe2 import simple_spread_v3

    env = simple_spread_v3.parallel_env(N=agents, max_cycles=10**9)
    env.reset(seed=0)
    random = np.random.default_rng(0)

    def step() -> None:
        env.step(dict(zip(env.agents, random.integers(0, 5, agents).tolist(), strict=True)))

    return Course("mpe2 simple_spread", agents, step)


def _read(percept: Percept) -> None:
    _ = (percept.people, percept.objects, percept.me, percept.heard, percept.known)


def _open(env: TownEnv, path: Path) -> RunWriter:
    idle = {agent: {"name": "errands", "config": {}} for agent in env.agents}
    start = env.world.town.clock.start.isoformat()
    meta = RunMeta(env.world.scenario, {}, idle, 0, tuple(env.agents), start, 10)
    writer = RunWriter.create(path, meta)
    writer.commit_tick(0, env.world.positions, env.events)
    return writer
