"""`spread`: one has news; it has to reach everybody, each of whom knows whom to tell next.

The first tells two others, each of these one more, and those two see to one another. What is earned
is divided among all.
"""

import numpy as np

from genagents_env.actions import Action
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_names, draw_rooms, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import go, list_open
from genagents_env.train.tasks.task import Task, set_up
from genagents_env.train.tasks.telling import TellingSolution, draw_fact, make_rules

PEOPLE, HORIZON, STEP_COST, HEARING = 5, 120, 0.01, 1
NEXT = ((1, 2), (3,), (4,), (4,), (3,))  # whom each has to tell, by number
NEWS = (  # the sentence, and the word that goes with its time and number
    ("The ferry leaves at {time} from berth {number}.", "ferry"),
    ("The storm is here at {time}, at {number} miles an hour.", "storm"),
    ("The school is shut from {time} for {number} days.", "school"),
    ("The well is open from {time} for {number} buckets.", "well"),
    ("The mayor speaks at {time} in hall {number}.", "mayor"),
    ("The circus begins at {time} on field {number}.", "circus"),
)


def assign_news(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put PEOPLE into rooms of their own, as far as these last; one of them has news."""
    names, homes = draw_names(rng, PEOPLE), draw_rooms(rng, list_rooms(town), PEOPLE)
    order = rng.permutation(PEOPLE).tolist()  # who is the first, and so on
    sentence, key = NEWS[rng.integers(len(NEWS))]
    drawn = draw_fact(rng, sentence, key)
    fact = {"id": "news", "known_by": [names[order[0]]], "secret": True} | drawn
    statement = drawn["statement"]
    goals, texts = [], [""] * PEOPLE
    for place, others in enumerate(NEXT):
        who = order[place]
        whom = [order[other] for other in others]
        goals += [
            {
                "agent": names[who],
                "kind": "tell",
                "fact": "news",
                "person": names[j],
                "place": homes[j],
                "worth": 1 / len(whom),
            }
            for j in whom
        ]
        hearers = " and ".join(f"{names[j]}, who lives at {homes[j]}" for j in whom)
        what = (
            f'You have news: "{statement}" Tell' if place == 0 else "When you hear the news, tell"
        )
        texts[who] = f"{what} {hearers}. It has to reach everybody, with its time and number."
    ticks = fit_horizon(town, HORIZON)
    cost = STEP_COST * HORIZON / ticks
    reward = {"name": "goals", "goals": goals, "step_cost": cost, "ends": True, "shared": True}
    rules = make_rules(PEOPLE, hearing=HEARING, overhear=False)
    people = zip(names, homes, texts, strict=True)
    return set_up(town, people, ticks, reward=reward, facts=[fact], rules=rules)


class SpreadSolution(TellingSolution):
    """Stays at home until the news comes, then takes it where it has to go."""

    name = "spread_solution"
    hearing = HEARING

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Tell those of the goals who are in earshot, else go to the home of the next."""
        goals = list_open(percept, "tell")
        if not goals or "news" not in self.words[agent]:
            return go(percept, self.homes[agent])
        near = self.list_near(percept)
        here = [goal for goal in goals if goal.person in near]
        in_sight = {other.name for other in percept.people}
        goal = (here or [goal for goal in goals if goal.person in in_sight] or goals)[0]
        if goal.person in in_sight:
            return self.tell(agent, percept, "news", goal.person or "")
        return go(percept, goal.place)


TASK = Task(
    name="spread",
    summary="Bring news to everybody: each knows whom to tell next, and where they live.",
    lesson=(
        "Who has no news yet has to be found at home; who has it has to go at once, one of them to "
        "two places, one after the other."
    ),
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_news,
    make_solution=SpreadSolution,
    bounds=(-STEP_COST * HORIZON, 1.0),
    rooms=(5, 8),
)
