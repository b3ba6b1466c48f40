"""`errand`: each agent has to put one thing, in another room, into one of its states."""

import numpy as np

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.env import TownEnv
from genagents_env.errors import ScenarioError
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import (
    count_way,
    draw_names,
    fit_horizon,
    list_rooms,
    list_things,
)
from genagents_env.train.tasks.solution import PerceptSolution
from genagents_env.train.tasks.task import Task, set_up

PEOPLE, HORIZON, STEP_COST = 3, 60, 0.01


def assign_errands(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put PEOPLE into a town, each with a thing to change in a room that is not their own."""
    names = draw_names(rng, PEOPLE)
    rooms, things = list_rooms(town), list_things(town)
    if len(things) < PEOPLE:
        needed = f"{PEOPLE} things that anybody may put into another state; it has {len(things)}"
        raise ScenarioError([f"errand in {town.name}: the task needs {needed}"])
    chosen = [list(things)[i] for i in rng.permutation(len(things))[:PEOPLE]]
    wanted = [things[thing][rng.integers(1, len(things[thing]))] for thing in chosen]
    taken = {thing.rpartition("/")[0] for thing in chosen}
    free = [room for room in rooms if room not in taken] or list(rooms)
    homes = [free[i] for i in rng.integers(len(free), size=PEOPLE)]
    texts = [
        f"Put {thing} into the state {state}." for thing, state in zip(chosen, wanted, strict=True)
    ]
    goals = [
        {"agent": name, "kind": "use", "object": thing, "state": state}
        for name, thing, state in zip(names, chosen, wanted, strict=True)
    ]
    ticks = fit_horizon(town, HORIZON)
    cost = STEP_COST * HORIZON / ticks
    reward = {"name": "goals", "goals": goals, "deal": True, "step_cost": cost, "ends": True}
    return set_up(town, zip(names, homes, texts, strict=True), ticks, reward=reward)


class ErrandSolution(PerceptSolution):
    """Walks to the thing and uses it."""

    name = "errand_solution"

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Use the thing where it is within reach, else walk to it."""
        left = [goal for goal in percept.goals if not goal.done]
        if not left or left[0].object is None or left[0].state is None:
            return Idle()
        thing, state = left[0].object, left[0].state
        near = next((item for item in percept.objects if item.id == thing), None)
        if near is not None and near.usable:
            # What it cannot become at once it becomes by way of another state.
            options = near.next_states
            return Interact(thing, state if state in options or not options else options[0])
        return Move(thing)


def find_errand_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return the reward of each for the shortest way to its thing, and one use of it."""
    world, board = env.world, env.parts.reward.board
    ground, cost = world.town.ground, world.scenario.reward.step_cost
    optimum: dict[AgentID, float] = {}
    for i, agent in enumerate(env.possible_agents):
        thing = world.plan.objects[int(board.object[i, 0])]
        same = ground.free & (ground.zone == ground.zone_of_arena[thing.arena])
        tiles = same.nonzero()[0].tolist()
        reach = [tile for tile in tiles if thing.find_distance(*ground.xy(tile)) <= 1]
        optimum[agent] = 1.0 - cost * (count_way(ground, int(world.state.tile[i]), reach) + 1)
    return optimum


TASK = Task(
    name="errand",
    summary="Put a thing in another room into the state that your goal names.",
    lesson="The goal differs from episode to episode and from agent to agent.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_errands,
    make_solution=ErrandSolution,
    bounds=(-STEP_COST * HORIZON, 1.0),
    find_optimum=find_errand_optimum,
)
