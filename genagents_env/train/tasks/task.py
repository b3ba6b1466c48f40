"""A task: people, goals and a reward that a seed draws for a town."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from numbers import Real
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from pydantic import TypeAdapter

from genagents_env.config import TownOptions, check_seed
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, ScenarioError
from genagents_env.policy import AgentID, Policy
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.loader import check_scenario
from genagents_env.scenario.plan import name_arena
from genagents_env.train.tasks.layouts import draw_block_town, draw_town

TRAINING = range(0, 10_000)  # seeds of episodes to train on
HELD_OUT = range(1_000_000, 1_010_000)  # seeds of episodes in towns that training never shows
ELSEWHERE = range(2_000_000, 2_010_000)  # of episodes in towns of another kind, larger ones
SEEDS = {TRAINING: "to train on", HELD_OUT: "held out", ELSEWHERE: "of another kind"}
LAYOUTS = 128  # towns of each of the three
_BASELINES = TypeAdapter(dict[str, dict[str, float]])


@dataclass(frozen=True, slots=True)
class Task:
    """A scenario generator with a seed, a horizon and its baselines.

    Attributes:
        name: as `town_v0.rl_env(name)` takes it.
        summary: the task in a sentence.
        lesson: what is hard about it, in a sentence or two.
        people: number of agents, in every town.
        horizon: ticks of an episode at most, 60 to 300.
        assign: puts people, facts, goals, reward and clock into a town, drawn from a generator.
        make_solution: returns the task's own solution, the policy `solution` of its episodes, for
            the words format with percepts.
        bounds: the least and the most that one agent can earn in an episode, without shaping.
        find_optimum: returns by agent what the best policies earn together in an episode that has
            just begun; None where it is not known.
        rooms: of a drawn town, at least and at most.
        town: the shipped scenario in which it plays, in place of drawn towns.
    """

    name: str
    summary: str
    lesson: str
    people: int
    horizon: int
    assign: Callable[[Scenario, np.random.Generator], Scenario]
    make_solution: Callable[..., Policy]
    bounds: tuple[float, float]
    find_optimum: Callable[[TownEnv], Mapping[AgentID, float]] | None = None
    rooms: tuple[int, int] = (4, 8)
    town: str | None = None

    def draw(self, seed: int, town: str | Scenario | None = None) -> Scenario:
        """Return the scenario of an episode's seed.

        Args:
            seed: the same layout, people and goals for all seeds of one `find_layout`.
            town: a scenario by name or folder, or a loaded one, in place of the task's own.

        Raises:
            ScenarioError: the task cannot be put into that town; all reasons are listed.
        """
        layout, town = find_layout(seed), town or self.town
        if town is None and layout in ELSEWHERE:
            town = draw_block_town(layout, people=self.people)
        elif town is None:
            town = draw_town(layout, rooms=self.rooms, people=self.people)
        elif isinstance(town, str):
            town = load_scenario(town)
        rng = np.random.default_rng((crc32(self.name.encode()), layout))
        drawn = self.assign(town, rng)
        faults = check_scenario(drawn)
        if faults:
            raise ScenarioError([f"{self.name} in {town.name}: {fault}" for fault in faults])
        return drawn


def find_layout(seed: int) -> int:
    """Return the number of the town in which the episode of a seed plays.

    Seeds of TRAINING, HELD_OUT and ELSEWHERE have LAYOUTS towns each, and none in common.

    Raises:
        ConfigError: `seed` is in none of them.
    """
    block = find_block(seed)
    return block.start + (seed - block.start) % LAYOUTS


def find_block(seed: int) -> range:
    """Return to which of TRAINING, HELD_OUT and ELSEWHERE a seed belongs.

    Raises:
        ConfigError: to none of them.
    """
    check_seed(seed)
    for block in SEEDS:
        if seed in block:
            return block
    ranges = ", ".join(f"{b.start} to {b.stop - 1} ({what})" for b, what in SEEDS.items())
    raise ConfigError(f"seed: {seed} is not allowed in a task; {ranges}")


def read_baselines() -> dict[str, dict[str, float]]:
    """Read the mean return of an agent on held-out seeds, by task and by policy.

    `python -m benchmarks.learning` measures it; tasks without figures are left out.
    """
    text = Path(__file__).with_name("baselines.json").read_text("utf-8")
    return _BASELINES.validate_json(text)


def change(town: Scenario, **changes: Any) -> Scenario:
    """Return `town` with other values under the keys of `scenario.toml`, validated."""
    return Scenario.model_validate(town.model_dump() | {k: _freeze(v) for k, v in changes.items()})


def _freeze(value: Any) -> Any:
    """Return a value with tuples for lists, as scenarios hold them."""
    if isinstance(value, Mapping):
        return {key: _freeze(part) for key, part in value.items()}
    return tuple(map(_freeze, value)) if isinstance(value, list | tuple) else value


def check_discount(discount: float) -> float:
    """Return the discount of a learner; ConfigError where it is none."""
    if not isinstance(discount, Real) or not 0 < discount <= 1:
        raise ConfigError(f"discount: {discount!r} is not allowed; above 0, at most 1")
    return discount


def check_length(scenario: Scenario, options: TownOptions) -> None:
    """Raise ConfigError for options that make an episode longer than its rewards are meant for."""
    for name in ("start", "hours", "seconds_per_tick"):
        if options.get(name) is not None:
            raise ConfigError(f"{name}: a task has its own; max_cycles ends its episodes earlier")
    ticks = options.get("max_cycles")
    if isinstance(ticks, int) and ticks > scenario.horizon:
        told = f"an episode of {scenario.name} has {scenario.horizon} ticks"
        raise ConfigError(f"max_cycles: {ticks} is not allowed; {told}")


def shape_reward(scenario: Scenario, weight: float, discount: float) -> Scenario:
    """Return a scenario that also pays for progress towards goals; its best policies stay.

    Args:
        scenario: with goals or errands.
        weight: of the potential; 0 pays for achieved goals only.
        discount: the learner's own.

    Raises:
        ConfigError: a number is out of range.
    """
    if not 0 <= weight <= 100:
        raise ConfigError(f"shaping: {weight} is not allowed; 0 to 100")
    reward = scenario.reward.model_dump() | {"shaping": weight, "discount": discount}
    return change(scenario, reward=reward)


def set_up(
    town: Scenario,
    people: Iterable[tuple[str, str, str]],
    ticks: int,
    *,
    reward: Mapping[str, Any],
    facts: Sequence[Mapping[str, Any]] = (),
    rules: dict[str, Any] | None = None,
    sectors: Sequence[Mapping[str, Any]] | None = None,
) -> Scenario:
    """Return `town` with other people, who have a task, and without its plot.

    Each starts at home, awake; everybody knows all places, as in drawn towns, and what belonged to
    those who lived there is anybody's.

    Args:
        town: a drawn or a shipped one.
        people: name, home and goal, in words, of each.
        ticks: of an episode.
        reward: the keys of `[reward]`.
        facts: what there is to know.
        rules: those that are not the town's own.
        sectors: in place of the town's own.
    """
    if sectors is None:
        sectors = [sector.model_dump() for sector in town.sectors]
    described = [
        {"name": name, "home": home, "goal": goal, "persona": f"{name} lives at {home}"}
        for name, home, goal in people
    ]
    return change(
        town,
        people=described,
        reward=reward,
        facts=facts,
        rules=town.rules.model_dump() | {"walk_speed": 0.1, "restart": False} | (rules or {}),
        sectors=[{**_open_to_all(sector), "common": True} for sector in sectors],
        casts={},
        **dict.fromkeys(("gatherings", "events", "questions", "checks", "success"), ()),
        **set_clock(ticks),
    )


def _open_to_all(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sector, an arena or a thing without its users, nor those of what is in it."""
    inside = {
        key: [_open_to_all(inner) for inner in part[key]]
        for key in ("arenas", "objects")
        if key in part
    }
    return {**part, **inside, "users": ()}


def change_arena(
    town: Scenario, room: str, edit: Callable[[dict[str, Any]], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the sectors of a town, with what `edit` makes of the arena `room` in its place."""
    sectors = [sector.model_dump() for sector in town.sectors]
    for sector in sectors:
        sector["arenas"] = [
            edit(arena) if name_arena(sector["name"], arena["name"]) == room else arena
            for arena in sector["arenas"]
        ]
    return sectors


def set_clock(ticks: int, seconds: int = 10) -> dict[str, Any]:
    """Return the keys of a scenario that lasts so many ticks."""
    return {"hours": ticks * seconds / 3600, "seconds_per_tick": seconds}


def find_time(town: Scenario, tick: int) -> datetime:
    """Return the town's time at a tick of 10 seconds, for goals and gatherings."""
    return town.start + timedelta(seconds=tick * 10)
