"""`meet`: two who visit, two who are visited at home; each pair has to stand side by side.

A visitor knows where the other lives, and has to tell that one from the others in sight. Who is
visited does not know from where the visitor comes, and does best to be at home.
"""

import numpy as np

from genagents_env.actions import Action, Idle, Move
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import count_steps, draw_names, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import PerceptSolution, go, list_open
from genagents_env.train.tasks.task import Task, set_up
from genagents_env.world.tiles import Ground, Ints

PEOPLE, HORIZON, STEP_COST = 4, 80, 0.01


def assign_meetings(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put two pairs into a town, who live in different rooms; the first of a pair visits."""
    names, rooms = draw_names(rng, PEOPLE), list_rooms(town)
    pairs = [rng.permutation(len(rooms))[:2] for _ in range(PEOPLE // 2)]
    homes = [rooms[index] for pair in pairs for index in pair]
    goals = [
        {"agent": name, "kind": "meet", "person": names[i ^ 1], "place": homes[i | 1]}
        for i, name in enumerate(names)
    ]
    texts = [
        f"Visit {names[i + 1]}, who lives at {homes[i + 1]}."
        if i % 2 == 0
        else f"Receive {names[i - 1]}, who comes to see you at {homes[i]}."
        for i in range(PEOPLE)
    ]
    ticks = fit_horizon(town, HORIZON)
    cost = STEP_COST * HORIZON / ticks
    reward = {"name": "goals", "goals": goals, "step_cost": cost, "ends": True}
    return set_up(town, zip(names, homes, texts, strict=True), ticks, reward=reward)


class MeetSolution(PerceptSolution):
    """Goes to the place of the goal, and up to the other where in sight."""

    name = "meet_solution"

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go up to the other where in sight, else to the place of the goal."""
        return meet(percept, percept.goals[0].place)


def meet(percept: Percept, place: str | None) -> Action:
    """Go up to whom one has to meet where in sight, else to a place; stay once that is done."""
    for goal in list_open(percept, "meet"):
        if goal.person in {person.name for person in percept.people}:
            return Move(goal.person or "")
        return go(percept, place)
    return Idle()


def find_meeting_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return the reward of each where a pair meets as soon as possible, wherever that is."""
    world = env.world
    ground, cost = world.town.ground, world.scenario.reward.step_cost
    optimum: dict[AgentID, float] = {}
    for i in range(0, world.count, 2):
        visitor, host = (count_steps(ground, int(world.state.tile[j])) for j in (i, i + 1))
        earned = 1.0 - cost * max(1, _find_soonest(ground, visitor, host))
        optimum |= dict.fromkeys(env.possible_agents[i : i + 2], earned)
    return optimum


def _find_soonest(ground: Ground, steps: Ints, others: Ints) -> int:
    """Count the ticks until two can be beside each other, given their steps to each tile."""
    best = ground.count
    reached = (steps >= 0).nonzero()[0]
    for across in (-1, 0, 1):
        for down in (-1, 0, 1):
            x, y = ground.x[reached] + across, ground.y[reached] + down
            inside = (x >= 0) & (x < ground.width) & (y >= 0) & (y < ground.height)
            here = reached[inside]
            there = y[inside] * ground.width + x[inside]
            fits = (others[there] >= 0) & (ground.arena[here] == ground.arena[there])
            ticks = np.maximum(steps[here], others[there])[fits]
            best = min(best, int(ticks.min(initial=best)))
    return best


TASK = Task(
    name="meet",
    summary="Stand beside the one whom your goal names: visit them, or wait for them at home.",
    lesson="Who comes to see whom differs, and it has to be the right one of those in sight.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_meetings,
    make_solution=MeetSolution,
    bounds=(-STEP_COST * HORIZON, 1.0),
    find_optimum=find_meeting_optimum,
)
