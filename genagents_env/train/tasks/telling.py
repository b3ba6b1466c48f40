"""Facts, rules of talk, the base of solutions, and bounds on spread, for the tasks of telling."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np

from genagents_env.actions import Action, Move, Talk
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, get_percept
from genagents_env.profile import Profile
from genagents_env.scenario.schema import Goal
from genagents_env.train.tasks.layouts import count_steps
from genagents_env.train.tasks.solution import PerceptSolution
from genagents_env.world.goals import find_ticks
from genagents_env.world.places import find_arenas
from genagents_env.world.tiles import Ints

VISION = 8  # tiles
_APART = 24  # characters at most between two of the words by which a fact is recognised


def draw_fact(
    rng: np.random.Generator, sentence: str, key: str, *, digits: int = 3
) -> dict[str, Any]:
    """Return statement and patterns of a fact with a time and a number of its own.

    It is recognised by key, time and number near one another, in any order and whatever is said
    around them. There are too many times and numbers to recite.

    Args:
        rng: draws both.
        sentence: with `{number}`, and perhaps `{time}`.
        key: the word that goes with them.
        digits: of the number.
    """
    time = f"{rng.integers(6, 23):02d}:{5 * rng.integers(12):02d}"
    number = str(rng.integers(10 ** (digits - 1), 10**digits))
    slots = [key, number] + [time.replace(":", "[:.]")] * ("{time}" in sentence)
    gap = rf"\b.{{0,{_APART}}}\b"
    patterns = [rf"\b{gap.join(order)}\b" for order in permutations(slots)]
    return {"statement": sentence.format(time=time, number=number), "patterns": patterns}


def make_rules(people: int, *, hearing: int, overhear: bool = True) -> dict[str, Any]:
    """Return rules by which everybody may speak at any time, and words carry `hearing` tiles.

    Facts pass on from those who know them alone: to recite what others might know helps nobody.
    """
    talk = {
        "max_members": people,
        "max_exchanges": 1000,
        "turn_taking": "free",
        "cooldown_seconds": 0,
        "idle_seconds": 60,
    }
    heard = {
        "overhear": overhear,
        "hearing_radius": hearing,
        "vision_radius": VISION,
        "claims": True,
    }
    return {**heard, "phone": False, "conversation": talk}


class TellingSolution(PerceptSolution):
    """Plays a task of telling: the base of such solutions.

    It remembers the sentences it has to tell, and who has heard which of them.

    Attributes:
        hearing: how many tiles words carry.
        words: for each agent the sentence of each fact it knows.
        heard: for each agent who has heard which facts, as far as it knows.
        homes: where each agent began.
    """

    hearing: int

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin with what everybody knows at the start."""
        self.words = {
            agent: {fact.id: fact.statement for fact in profile.facts}
            for agent, profile in profiles.items()
        }
        self.heard: dict[AgentID, set[tuple[str, str]]] = {agent: set() for agent in profiles}
        self.homes: dict[AgentID, str] = {}
        self._said: dict[AgentID, tuple[str, tuple[str, ...]]] = {}

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return the next action of each agent."""
        for agent in observations:
            self._remember(agent, get_percept(infos, agent))
        return super().act(observations, infos)

    def tell(self, agent: AgentID, percept: Percept, fact: str, to: str) -> Action:
        """Say the sentence of a fact to somebody in earshot, or go up to them."""
        near = self.list_near(percept)
        if to not in near:
            return Move(to)
        self._said[agent] = (fact, (to, *near))
        return Talk(to, self.words[agent][fact])

    def list_near(self, percept: Percept) -> list[str]:
        """Return the names of those in earshot, nearest first."""
        return [
            person.name
            for person in percept.people
            if person.distance <= self.hearing and not person.asleep
        ]

    def _remember(self, agent: AgentID, percept: Percept) -> None:
        """Remember who has heard what one said, and what others said."""
        self.homes.setdefault(agent, percept.me.place)
        fact, hearers = self._said.pop(agent, ("", ()))
        if percept.result.ok:
            self.heard[agent].update((fact, name) for name in hearers)
        for words in percept.heard:
            for fact in words.facts:
                self.words[agent].setdefault(fact, words.text)
                self.heard[agent].add((fact, words.speaker or ""))


def find_soonest(env: TownEnv) -> Ints:
    """Count the ticks until each two can be in earshot of each other at the soonest, (N, N).

    Both may walk; a word takes one tick more.
    """
    ground, tiles = env.world.town.ground, env.world.state.tile.tolist()
    steps = [count_steps(ground, tile) for tile in tiles]
    free = (steps[0] >= 0).nonzero()[0]
    ways = [np.where(own[free] < 0, ground.count, own[free]) for own in steps]
    x, y, zone = ground.x[free], ground.y[free], ground.zone[free]
    apart = np.maximum(np.abs(x[:, None] - x), np.abs(y[:, None] - y))
    near = (apart <= env.world.town.people.hearing.max()) & (zone[:, None] == zone)
    soonest: Ints = np.zeros((len(tiles), len(tiles)), dtype=np.int64)
    for i, own in enumerate(ways):
        for j, other in enumerate(ways[:i]):
            both = np.maximum(own[:, None], other[None, :])
            soonest[i, j] = soonest[j, i] = both[near].min()
    return soonest


def find_word(env: TownEnv, fact: int) -> list[int]:
    """Return the tick at which each can know a fact at the soonest.

    A word goes from one to the next, and no two can talk sooner than `find_soonest` says.
    """
    soonest = find_soonest(env)
    bits = env.world.town.people.facts_at_start
    known = [0 if own >> fact & 1 else int(soonest.max()) + 2 for own in bits]
    for _ in bits:
        for i, j in np.argwhere(soonest >= 0).tolist():
            if i != j:
                known[j] = min(known[j], max(known[i], int(soonest[i, j])) + 1)
    return known


def sum_worths(env: TownEnv) -> dict[AgentID, float]:
    """Sum the worths of what each agent can achieve in an episode that has just begun.

    Of appointments those parts count that one can be in time for; a secret kept earns nothing.
    """
    goals = env.parts.reward.board.goals
    return {
        agent: sum(
            goal.worth * (_find_presence(env, i, goal) if goal.kind == "be" else 1.0)
            for goal in goals[i]
            if goal.kind != "keep"
        )
        for i, agent in enumerate(env.possible_agents)
    }


def _find_presence(env: TownEnv, i: int, goal: Goal) -> float:
    """Return the part of the time of a goal `be` that its agent can be there, setting out now."""
    world = env.world
    steps = count_steps(world.town.ground, int(world.state.tile[i]))
    arenas = find_arenas(world.plan, goal.place or "")
    there = steps[list(world.town.ground.tiles_of(arenas))]
    start, end = find_ticks(world, goal)
    first = max(start + 1, int(there[there >= 0].min(initial=end + 1)))  # ticks count when over
    return max(0, end + 1 - first) / (end - start)
