"""`valentines_evening`: the half hour before the party of `valentines_party`, and the party."""

from functools import partial

from genagents_env.tasks.evening import PEOPLE, SQUARE, EveningSolution, Occasion, assign_evening
from genagents_env.tasks.task import Task

PARTY = Occasion("valentines_party", "party")

TASK = Task(
    name="valentines_evening",
    summary="Be at the party at Hobbs Cafe from when you have heard of it, and tell of it.",
    lesson="Two of eight know, in a large town; nobody is paid before word comes.",
    people=PEOPLE,
    horizon=300,
    assign=partial(assign_evening, PARTY),
    make_solution=partial(EveningSolution, SQUARE),
    bounds=(0.0, 2.0),
    town=PARTY.scenario,
)
