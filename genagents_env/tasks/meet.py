"""`meet`: two pairs who live apart; each has to stand beside the one who is named in the goal.

The other's home is told, but the other sets out, too: two who wait never meet, and two who each go
to the other's home may pass each other out of sight.
"""

from collections.abc import Mapping

import numpy as np

from genagents_env.actions import Action, Idle, Move
from genagents_env.env import TownEnv
from genagents_env.percept import OwnGoal, Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, Policy, get_percept
from genagents_env.profile import Profile
from genagents_env.scenario import Scenario
from genagents_env.tasks.distance import count_steps, fit_horizon
from genagents_env.tasks.layouts import draw_names, list_rooms
from genagents_env.tasks.task import Task, change, make_people, set_clock, strip
from genagents_env.world.tiles import Ground, Ints

PEOPLE, HORIZON, STEP_COST = 4, 80, 0.01


def assign_meetings(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put two pairs into a town, the two of a pair into different rooms."""
    names, rooms = draw_names(rng, PEOPLE), list_rooms(town)
    pairs = [rng.permutation(len(rooms))[:2] for _ in range(PEOPLE // 2)]
    homes = [rooms[index] for pair in pairs for index in pair]
    goals = [
        {"agent": name, "kind": "meet", "person": names[i ^ 1], "place": homes[i ^ 1]}
        for i, name in enumerate(names)
    ]
    texts = [f"Meet {names[i ^ 1]}, who lives at {homes[i ^ 1]}." for i in range(PEOPLE)]
    ticks = fit_horizon(town, HORIZON)
    reward = {
        "name": "goals",
        "goals": goals,
        "step_cost": STEP_COST * HORIZON / ticks,
        "ends": True,
    }
    people = make_people(names, homes, texts)
    return change(town, **strip(town), people=people, reward=reward, **set_clock(ticks))


class MeetSolution(Policy):
    """Goes to the other's home and up to the other where in sight.

    Of two who miss each other, the first by name waits where the other lives, and the other comes
    back.
    """

    name = "meet_solution"

    def __init__(self) -> None:
        self._homes: dict[AgentID, str] = {}
        self._returning: set[AgentID] = set()

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Nobody has missed anybody yet."""
        self._homes, self._returning = {}, set()

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return for each agent the next step towards the other."""
        return {agent: self._decide(agent, get_percept(infos, agent)) for agent in observations}

    def _decide(self, agent: AgentID, percept: Percept) -> Action:
        home = self._homes.setdefault(agent, percept.me.place)
        goal = find_meeting(percept)
        if goal is None or goal.person is None or goal.place is None:
            return Idle()
        if is_in_sight(percept, goal.person):
            return Move(goal.person)
        if percept.me.place == goal.place and percept.me.name > goal.person:
            self._returning.add(agent)
        if agent in self._returning:
            return Move(home)
        return Idle() if percept.me.place == goal.place else Move(goal.place)


def find_meeting(percept: Percept) -> OwnGoal | None:
    """Return the goal to meet somebody that is still to be achieved."""
    return next((goal for goal in percept.goals if goal.kind == "meet" and not goal.done), None)


def is_in_sight(percept: Percept, name: str) -> bool:
    """Return whether somebody is in sight."""
    return any(seen.name == name for seen in percept.people)


def find_meeting_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return what each earns where both of a pair take the ways on which they meet the soonest.

    Who does not know where in a room the other stands, and by which way the other comes, can at
    best reach it by luck.
    """
    world, board = env.world, env.parts.reward.board
    steps = [count_steps(world.town.ground, tile) for tile in world.state.tile.tolist()]
    cost = world.scenario.reward.step_cost
    optimum: dict[AgentID, float] = {}
    for i, agent in enumerate(env.possible_agents):
        j = int(board.person[i, 0])
        ticks = _find_soonest(world.town.ground, steps[i], steps[j])
        optimum[agent] = 1.0 - cost * max(1, ticks)
    return optimum


def _find_soonest(ground: Ground, one: Ints, other: Ints) -> int:
    """Return after how many ticks two can be beside each other, given their steps to each tile."""
    best = ground.count
    reached = (one >= 0).nonzero()[0]
    for across in (-1, 0, 1):
        for down in (-1, 0, 1):
            x, y = ground.x[reached] + across, ground.y[reached] + down
            inside = (x >= 0) & (x < ground.width) & (y >= 0) & (y < ground.height)
            here = reached[inside]
            there = y[inside] * ground.width + x[inside]
            fits = (other[there] >= 0) & (ground.arena[here] == ground.arena[there])
            ticks = np.maximum(one[here], other[there])[fits]
            best = min(best, int(ticks.min(initial=best)))
    return best


TASK = Task(
    name="meet",
    summary="Stand beside the one whom your goal names; you know where they live.",
    lesson="The other sets out, too: where to look, and who of two goes on, depends on both.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_meetings,
    make_solution=MeetSolution,
    bounds=(-STEP_COST * HORIZON, 1.0),
    find_optimum=find_meeting_optimum,
)
