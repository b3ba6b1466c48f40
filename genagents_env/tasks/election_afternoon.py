"""`election_afternoon`: the half hour before the talk of `mayoral_election`, and the talk."""

from functools import partial

from genagents_env.tasks.evening import PEOPLE, SQUARE, EveningSolution, Occasion, assign_evening
from genagents_env.tasks.task import Task

SPEECH = Occasion("mayoral_election", "speech", facts=("candidacy",))

TASK = Task(
    name="election_afternoon",
    summary="Be at the talk in Johnson Park from when you have heard of it, and tell of it.",
    lesson="The candidate tells who he is, one other tells of the talk: two words, one audience.",
    people=PEOPLE,
    horizon=180,
    assign=partial(assign_evening, SPEECH),
    make_solution=partial(EveningSolution, SQUARE),
    bounds=(0.0, 2.0),
    town=SPEECH.scenario,
)
