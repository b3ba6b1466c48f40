"""`invite`: a host has word of a party; guests learn from it where and when, and have to come.

Until a time the guests are at work together, where the host finds them; then they go their ways.
"""

from datetime import datetime

import numpy as np

from genagents_env.actions import Action, Idle
from genagents_env.percept import OwnGoal, Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_names, draw_rooms, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import go, list_open
from genagents_env.train.tasks.task import Task, find_time, set_up
from genagents_env.train.tasks.telling import TellingSolution, draw_fact, make_rules, sum_worths

PEOPLE, HORIZON, HEARING = 5, 120, 5
WORK, PARTY = (30, 60), (90, 120)  # ticks
WORK_WORTH = 0.5
OCCASIONS = ("birthday party", "garden party", "housewarming", "dance", "tea party", "card evening")


def assign_party(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put a host and guests into rooms of their own, as far as these last."""
    names, rooms = draw_names(rng, PEOPLE), list_rooms(town)
    work, party, *homes = draw_rooms(rng, rooms, 2 + PEOPLE)
    host = int(rng.integers(PEOPLE))
    ticks = fit_horizon(town, HORIZON)
    hours = [find_time(town, tick * ticks // HORIZON) for tick in (*WORK, *PARTY)]
    occasion = OCCASIONS[rng.integers(len(OCCASIONS))]
    when = f"from {hours[2]:%H:%M} to {hours[3]:%H:%M}"
    sentence = f"There is a {occasion}, by invitation {{number}}, at {party} {when}."
    drawn = draw_fact(rng, sentence, occasion, digits=5)
    fact = {"id": "party", "known_by": [names[host]], "secret": True} | drawn
    statement = drawn["statement"]
    goals: list[dict[str, object]] = []
    texts = []
    for i, name in enumerate(names):
        if i == host:
            goals.append({"agent": name, "kind": "tell", "fact": "party", "place": work})
            texts.append(_invite(statement, work, hours))
        else:
            goals.append(_make_visit(name, work, hours[:2]) | {"worth": WORK_WORTH})
            texts.append(_employ(work, hours))
        goals.append(_make_visit(name, party, hours[2:]) | {"fact": "party"})
    return set_up(
        town,
        zip(names, homes, texts, strict=True),
        ticks,
        reward={"name": "goals", "goals": goals},
        facts=[fact],
        rules=make_rules(PEOPLE, hearing=HEARING),
    )


def _make_visit(name: str, place: str, hours: list[datetime]) -> dict[str, object]:
    return {"agent": name, "kind": "be", "place": place, "start": hours[0], "end": hours[1]}


def _invite(statement: str, work: str, hours: list[datetime]) -> str:
    return (
        f'You give a party: "{statement}" Tell everybody so, with the number, while they are at '
        f"{work} from {hours[0]:%H:%M} to {hours[1]:%H:%M}, and be there yourself."
    )


def _employ(work: str, hours: list[datetime]) -> str:
    return (
        f"Work at {work} from {hours[0]:%H:%M} to {hours[1]:%H:%M}. Somebody gives a party: hear "
        "where and when, and be there from its beginning to its end."
    )


class InviteSolution(TellingSolution):
    """Keeps its appointments in order; the host first tells those at work."""

    name = "invite_solution"
    hearing = HEARING

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go to the next appointment, and tell those who have not heard."""
        visits = [goal for goal in list_open(percept, "be") if goal.start is not None]
        visit = min(visits, key=_get_start, default=None)
        for goal in list_open(percept, "tell"):
            if visit is None or percept.time < _get_start(visit):
                return self._spread_word(agent, percept, goal)
        return Idle() if visit is None else go(percept, visit.place)

    def _spread_word(self, agent: AgentID, percept: Percept, goal: OwnGoal) -> Action:
        fact = goal.fact or ""
        for seen in percept.people:
            if (fact, seen.name) not in self.heard[agent]:
                return self.tell(agent, percept, fact, seen.name)
        return go(percept, goal.place)


def _get_start(goal: OwnGoal) -> datetime:
    return goal.start or datetime.max  # noqa: DTZ901 - town time has no zone


TASK = Task(
    name="invite",
    summary="A host tells guests of a party; they learn from it where and when, and come.",
    lesson=(
        "The host has to be in time where the guests are; what a guest is to do is not known "
        "before the word comes."
    ),
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_party,
    make_solution=InviteSolution,
    bounds=(0.0, 2.0),
    find_optimum=sum_worths,
)
