"""What is planted is found, and what is not there is not: on rollouts of a shipped scenario."""

from collections.abc import Mapping

import numpy as np
import pytest

from genagents_env.env import TownEnv
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.scenario import load_scenario
from genagents_env.study.evaluate.measures.diffusion import trace_run_facts
from genagents_env.study.stats.effects import (
    CellValues,
    Effect,
    compute_effect,
    correct_family,
    list_contrasts,
)
from tests.study.evaluate.suspects import make_data

FACTS = ("party", "candidacy")
Runs = Mapping[int, Mapping[str, float]]
SEEDS = 20
REPETITIONS = 100


class Pool:
    """The first hour of valentines_party in sixty ticks, each share and seed lived once."""

    def __init__(self) -> None:
        self.env = TownEnv("valentines_party", start="08:00", hours=1, seconds_per_tick=60)
        self.town = load_scenario("valentines_party")
        self.known: dict[tuple[float, int], dict[str, float]] = {}

    def run(self, share: float, seed: int) -> dict[str, float]:
        """Return, of each fact, the part of the people who know it or have heard it."""
        if (share, seed) not in self.known:
            policy = load_policy("scripted", share=share)
            names = self.env.possible_agents
            events = rollout(self.env, policy, seed, keep_events=True).events
            found = trace_run_facts(make_data(self.town, names=names, events=events))
            self.known[share, seed] = {
                each.fact: (len(each.at_start) + len(each.heard)) / len(names) for each in found
            }
        return self.known[share, seed]

    def arm(self, share: float, seeds: int) -> dict[int, dict[str, float]]:
        return {seed: self.run(share, seed) for seed in range(seeds)}


def contrast_facts(first: Runs, second: Runs) -> tuple[Effect, ...]:
    """Compare both facts, corrected as one family."""
    levels = {"share": ("first", "second")}
    (one,) = list_contrasts(levels)
    effects = []
    for fact in FACTS:
        sides = {"first": first, "second": second}
        values: CellValues = {
            (name,): {s: run[fact] for s, run in side.items()} for name, side in sides.items()
        }
        effects.append(compute_effect(f"known.{fact}", values, levels, one))
    return correct_family([effect for effect in effects if effect is not None])


def draw_relabelled(pool: Runs, size: int, draw: int) -> tuple[Runs, Runs]:
    """Return two arms of `size` runs each, drawn from `pool` without replacement, new labels."""
    order = np.random.default_rng(draw).permutation(sorted(pool)).tolist()
    first, second = order[:size], order[size : 2 * size]
    return (
        {label: pool[number] for label, number in enumerate(first)},
        {label: pool[number] for label, number in enumerate(second)},
    )


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool()


def are_significant(effects: tuple[Effect, ...]) -> list[bool]:
    return [each.found for each in effects]


@pytest.mark.slow
def test_a_planted_difference_is_found_with_twenty_seeds(pool: Pool) -> None:
    contrasts = contrast_facts(pool.arm(0.3, SEEDS), pool.arm(0.6, SEEDS))
    assert all(are_significant(contrasts))
    for each in contrasts:
        assert each.n == SEEDS
        assert each.note == ""
        assert each.difference > 0.1
        assert each.low is not None
        assert each.low > 0
        assert each.size is not None
        assert each.size > 0.8


@pytest.mark.slow
def test_two_arms_of_one_pool_hardly_ever_differ(pool: Pool) -> None:
    runs = pool.arm(0.3, 4 * SEEDS)
    false = sum(
        any(are_significant(contrast_facts(*draw_relabelled(runs, SEEDS, draw))))
        for draw in range(REPETITIONS)
    )
    assert false <= 10
