"""`keep_secret`: two pairs exchange secrets, which an outsider who goes about must not hear.

Words carry HEARING tiles, to everybody in the same room or in the open air. The outsider is first
where one of a pair lives, and later where one of the other pair does.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from genagents_env.actions import Action, Idle
from genagents_env.percept import OwnGoal, Percept
from genagents_env.policy import AgentID, Context
from genagents_env.profile import Profile
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_names, draw_rooms, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import find_goal, go, list_open
from genagents_env.train.tasks.task import Task, find_time, set_up
from genagents_env.train.tasks.telling import TellingSolution, draw_fact, make_rules, sum_worths

PEOPLE, HORIZON, HEARING = 5, 100, 6
VISITS = ((8, 38), (58, 88))  # when the outsider is where, in ticks
SECRETS = (  # the sentence, and the word that goes with its time and number
    ("The key lies under stone {number} until {time}.", "key"),
    ("The letter comes at {time} to box {number}.", "letter"),
    ("The boat leaves at {time} from berth {number}.", "boat"),
    ("The painting goes at {time} as lot {number}.", "painting"),
    ("The map lies on shelf {number} from {time}.", "map"),
    ("The money is in safe {number} until {time}.", "money"),
    ("The cook waits at {time} by gate {number}.", "cook"),
    ("The deed is signed at {time} on page {number}.", "deed"),
)


def assign_secrets(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put two pairs and an outsider into a town; she begins where one of a pair lives."""
    names, homes = draw_names(rng, PEOPLE), draw_rooms(rng, list_rooms(town), PEOPLE - 1)
    first, later = int(rng.integers(2)), 2 + int(rng.integers(2))
    if rng.integers(2):
        first, later = later, first
    chosen = [SECRETS[i] for i in rng.permutation(len(SECRETS))[: PEOPLE - 1]]
    facts = [
        {"id": f"secret_{i}", "known_by": [name], "secret": True} | draw_fact(rng, *secret)
        for i, (name, secret) in enumerate(zip(names, chosen, strict=False))
    ]
    ticks = fit_horizon(town, HORIZON)
    visits = [
        (place, *(find_time(town, tick * ticks // HORIZON) for tick in times))
        for place, times in zip((homes[first], homes[later]), VISITS, strict=True)
    ]
    goals = [*_list_goals(names, homes), *_list_visits(names[-1], visits)]
    texts = [
        f'You know a secret: "{fact["statement"]}" Tell it, with its time and number, to '
        f"{names[i ^ 1]}, who lives at {homes[i ^ 1]} and has one for you, when {names[-1]} is not "
        f"within {HEARING} tiles in the same room or outdoors. {names[-1]} must hear neither."
        for i, fact in enumerate(facts)
    ]
    errands = (f"at {place} from {start:%H:%M} to {end:%H:%M}" for place, start, end in visits)
    texts.append(f"You have business {', and '.join(errands)}.")
    return set_up(
        town,
        zip(names, [*homes, homes[first]], texts, strict=True),
        ticks,
        reward={"name": "goals", "goals": goals},
        facts=facts,
        rules=make_rules(PEOPLE, hearing=HEARING),
    )


def _list_goals(names: Sequence[str], homes: Sequence[str]) -> list[dict[str, Any]]:
    """Return the goals of the pairs: tell the other, keep it from the outsider."""
    goals: list[dict[str, Any]] = []
    for i in range(len(homes)):
        own = {"agent": names[i], "fact": f"secret_{i}"}
        goals.append(own | {"kind": "tell", "person": names[i ^ 1], "place": homes[i ^ 1]})
        goals.append(own | {"kind": "keep", "person": names[-1]})
    return goals


def _list_visits(name: str, visits: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [
        {"agent": name, "kind": "be", "place": place, "start": start, "end": end, "worth": 0.5}
        for place, start, end in visits
    ]


class SecretSolution(TellingSolution):
    """Meets the other at the home of the one first by name; both leave where the outsider hears."""

    name = "keep_secret_solution"
    hearing = HEARING

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Nobody had to leave yet."""
        super().reset(profiles, seed, context)
        self._spots: dict[AgentID, str] = {}

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Keep appointments, or tell the other the secret where nobody listens."""
        visits = list_open(percept, "be")
        if visits:
            return go(percept, visits[0].place)
        tell, keep = find_goal(percept, "tell"), find_goal(percept, "keep")
        if tell is None or keep is None:
            return Idle()
        return self._decide_pair(agent, percept, tell, keep.person or "")

    def _decide_pair(
        self, agent: AgentID, percept: Percept, goal: OwnGoal, outsider: str
    ) -> Action:
        other, fact = goal.person or "", goal.fact or ""
        mine, theirs = self.homes[agent], goal.place or ""
        first, second = (mine, theirs) if percept.me.name < other else (theirs, mine)
        spot = self._spots.setdefault(agent, first)
        apart = {person.name: person.distance for person in percept.people}
        if goal.done and any(speaker == other for _, speaker in self.heard[agent]):
            return Idle()
        if other not in apart:
            return go(percept, spot)
        if apart.get(outsider, HEARING + 2) > HEARING + 1:  # who may come a step nearer
            return Idle() if goal.done else self.tell(agent, percept, fact, other)
        if percept.me.place == spot:
            spot = self._spots[agent] = second if spot == first else first
        return go(percept, spot)


TASK = Task(
    name="keep_secret",
    summary="Exchange secrets in pairs; an outsider who goes about must not hear them.",
    lesson=(
        "Words are heard by all in earshot: to tell at first sight is wrong where the outsider "
        "stands near, and both of a pair have to leave for the same place."
    ),
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_secrets,
    make_solution=SecretSolution,
    bounds=(-1.0, 1.0),
    find_optimum=sum_worths,
)
