"""`find`: somebody is at work in one of the rooms, and has to be found.

Nothing observed says which rooms one has looked into already: a search without memory walks in
circles. The one who is looked for is paid for staying at work, so that nobody comes along.
"""

from collections.abc import Mapping

import numpy as np

from genagents_env.actions import Action, Idle, Move
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, Policy, get_percept
from genagents_env.profile import Profile
from genagents_env.scenario import Scenario
from genagents_env.tasks.distance import fit_horizon
from genagents_env.tasks.layouts import draw_names, list_rooms
from genagents_env.tasks.meet import find_meeting, is_in_sight
from genagents_env.tasks.task import Task, change, find_time, make_people, set_clock, strip

PEOPLE, HORIZON, STEP_COST = 2, 150, 0.002


def assign_search(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put one who seeks into a town, and one who is at work in another room."""
    (seeker, worker), rooms = draw_names(rng, PEOPLE), list_rooms(town)
    homes = [rooms[i] for i in rng.permutation(len(rooms))[:2]]
    ticks = fit_horizon(town, HORIZON)
    time = {"start": find_time(town, 0), "end": find_time(town, ticks)}
    goals = [
        {"agent": seeker, "kind": "meet", "person": worker},
        {"agent": worker, "kind": "be", "place": homes[1]} | time,
    ]
    texts = [f"Find {worker}, who is in one of the rooms.", f"Work at {homes[1]}."]
    people = make_people((seeker, worker), homes, texts)
    reward = {"name": "goals", "goals": goals, "step_cost": STEP_COST * HORIZON / ticks}
    return change(town, **strip(town), people=people, reward=reward, **set_clock(ticks))


class FindSolution(Policy):
    """Looks into every room once, those first whose doors are in sight; who works stays."""

    name = "find_solution"

    def __init__(self) -> None:
        self._visited: dict[AgentID, set[str]] = {}
        self._next: dict[AgentID, str] = {}

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Nobody has looked anywhere yet."""
        self._visited, self._next = {}, {}

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return for each agent the next step."""
        return {agent: self._decide(agent, get_percept(infos, agent)) for agent in observations}

    def _decide(self, agent: AgentID, percept: Percept) -> Action:
        goal, here = find_meeting(percept), percept.me.place
        if goal is None or goal.person is None:
            return Idle()
        if is_in_sight(percept, goal.person):
            return Move(goal.person)
        visited = self._visited.setdefault(agent, set())
        visited.add(here)
        if self._next.get(agent) in (None, here):
            self._next[agent] = _choose_room(percept, visited)
        return Move(self._next[agent])


def _choose_room(percept: Percept, visited: set[str]) -> str:
    """Return a room that one has not looked into, one with its door in sight before others."""
    rooms = _list_rooms(percept)
    near = [place for place in percept.exits if place in rooms and place not in visited]
    left = [place for place in rooms if place not in visited]
    return (near or left or rooms or [percept.me.place])[0]


def _list_rooms(percept: Percept) -> list[str]:
    """Return the rooms one knows, without the houses that they are in."""
    houses = {place.split("/")[0] for place in percept.known if "/" in place}
    return [place for place in percept.known if place not in houses]


TASK = Task(
    name="find",
    summary="Find somebody who is in one of the rooms, you do not know in which.",
    lesson="It takes memory: no observation tells which rooms one has looked into already.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_search,
    make_solution=FindSolution,
    bounds=(-STEP_COST * HORIZON, 1.0),
)
