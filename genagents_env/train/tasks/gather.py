"""`gather`: be where the others are, at the appointed time; two places will do, nobody says which.

A tick of the appointed time is worth the part of the others who are at the same of the two places.
Neither is better, and each agent has them in an order of its own: what to agree on has to be
something that all of them see, such as which one lies further west. All together earn 1 each; half
at each place a third.
"""

import numpy as np
import numpy.typing as npt

from genagents_env.actions import Action
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_names, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import PerceptSolution, go
from genagents_env.train.tasks.task import Task, find_time, set_up

PEOPLE, HORIZON = 4, 70
_STARTS, _LASTS = (40, 50), 20  # ticks: when the time begins, how long it is


def assign_gathering(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put PEOPLE into a town, with two places to gather at and a time."""
    names, rooms = draw_names(rng, PEOPLE), list_rooms(town)
    order = rng.permutation(len(rooms))
    places, free = [rooms[i] for i in order[:2]], [rooms[i] for i in order[2:]] or list(rooms)
    homes = [free[i] for i in rng.integers(len(free), size=PEOPLE)]
    ticks = fit_horizon(town, HORIZON)
    # In a large town it begins later by what the ways are longer.
    start = int(rng.integers(_STARTS[0], _STARTS[1] + 1)) + ticks - HORIZON
    time = {"start": find_time(town, start), "end": find_time(town, start + _LASTS)}
    goals = [
        {"agent": name, "kind": "be", "place": place} | time
        for i, name in enumerate(names)
        for place in (places if i % 2 else places[::-1])
    ]
    texts = [
        f"Be with all the others from {time['start']:%H:%M:%S} to {time['end']:%H:%M:%S}, "
        f"at {places[0]} or at {places[1]}."
    ] * PEOPLE
    reward = {"name": "company", "goals": goals, "deal": True}
    return set_up(town, zip(names, homes, texts, strict=True), ticks, reward=reward)


class GatherSolution(PerceptSolution):
    """Goes to the place whose name comes first, and stays there."""

    name = "gather_solution"

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go to the place whose name comes first, or stay there."""
        return go(percept, min(goal.place or "" for goal in percept.goals))


def find_gathering_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return the reward of each where all go at once to the better of the two places."""
    world, board = env.world, env.parts.reward.board
    start, end = int(board.start[0, 0]), int(board.end[0, 0])
    ticks = np.arange(start + 1, end + 1)
    best: npt.NDArray[np.float64] = np.zeros((world.count, len(ticks)))
    for place in board.place[0].tolist():
        targets = world.town.paths.find_targets(place)
        paths = [
            world.town.paths.to_tiles.find_path(tile, targets) or ()
            for tile in world.state.tile.tolist()
        ]
        there = np.array([ticks >= len(path) for path in paths])
        company = there * (there.sum(axis=0) - 1) / (world.count - 1)
        best = max(best, company, key=np.sum)
    return dict(zip(env.possible_agents, best.mean(axis=1).tolist(), strict=True))


TASK = Task(
    name="gather",
    summary="Be with all the others at the appointed time, at either of two places.",
    lesson="Nothing tells the two places apart but a convention that all have to find together.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_gathering,
    make_solution=GatherSolution,
    bounds=(0.0, 1.0),
    find_optimum=find_gathering_optimum,
)
