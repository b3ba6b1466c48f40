"""Short rollouts of Oak Hill in which the probability of passing on a fact is planted."""

from collections.abc import Mapping

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.scenario import load_scenario
from genagents_env.study.evaluate.measures.diffusion import trace_facts
from genagents_env.study.stats import Effect, compute_effect, correct_family, list_contrasts
from genagents_env.study.stats.effects import CellValues

FACTS = ("party", "candidacy")
Runs = Mapping[int, Mapping[str, float]]


class Pool:
    """The first hour of valentines_party in sixty ticks, each share and seed lived once."""

    def __init__(self) -> None:
        self.env = TownEnv("valentines_party", start="08:00", hours=1, seconds_per_tick=60)
        self.facts = load_scenario("valentines_party").facts
        self.known: dict[tuple[float, int], dict[str, float]] = {}

    def run(self, share: float, seed: int) -> dict[str, float]:
        """Return, of each fact, the part of the people who know it or have heard it."""
        if (share, seed) not in self.known:
            policy = load_policy("scripted", share=share)
            names = self.env.possible_agents
            events = rollout(self.env, policy, seed, keep_events=True).events
            found = trace_facts(self.facts, names, events)
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


def swap_labels(first: Runs, second: Runs, draw: int) -> tuple[Runs, Runs]:
    """Return the two arms with the labels of each seed's two runs exchanged by a coin."""
    coins = np.random.default_rng(draw).integers(2, size=len(first)).tolist()
    flip = dict(zip(sorted(first), coins, strict=True))
    return (
        {seed: (second if flip[seed] else first)[seed] for seed in first},
        {seed: (first if flip[seed] else second)[seed] for seed in second},
    )
