"""`find`: two who have lost each other; neither knows where the other is, or will look.

Rooms are seen from inside alone, so two who search on their own miss each other, and one who waits
may wait for ever while the other does so, too. It takes a point that both would think of.
"""

import numpy as np

from genagents_env.actions import Action
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_names, fit_horizon, list_rooms
from genagents_env.train.tasks.meet import meet
from genagents_env.train.tasks.solution import PerceptSolution
from genagents_env.train.tasks.task import Task, set_up

PEOPLE, HORIZON, STEP_COST = 2, 100, 0.01


def assign_search(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put two into different rooms of a town, each of whom has to find the other."""
    names, rooms = draw_names(rng, PEOPLE), list_rooms(town)
    homes = [rooms[i] for i in rng.permutation(len(rooms))[:PEOPLE]]
    goals = [
        {"agent": name, "kind": "meet", "person": names[1 - i]} for i, name in enumerate(names)
    ]
    texts = [f"Find {other}, whom you have lost." for other in names[::-1]]
    ticks = fit_horizon(town, HORIZON)
    cost = STEP_COST * HORIZON / ticks
    reward = {"name": "goals", "goals": goals, "step_cost": cost, "ends": True}
    return set_up(town, zip(names, homes, texts, strict=True), ticks, reward=reward)


class FindSolution(PerceptSolution):
    """Goes to the room whose name comes first of all, and up to the other where in sight."""

    name = "find_solution"

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go up to the other where in sight, else to the room within a house that comes first."""
        inner = [place for place in percept.known if "/" in place]
        return meet(percept, min(inner or percept.known))


TASK = Task(
    name="find",
    summary="Find somebody whom you have lost, and who is looking for you.",
    lesson="Neither knows where the other is: it takes a point that both would think of.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_search,
    make_solution=FindSolution,
    rooms=(7, 8),
    bounds=(-STEP_COST * HORIZON, 1.0),
)
