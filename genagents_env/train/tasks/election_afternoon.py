"""`election_afternoon`: the half hour before the talk of `mayoral_election`, and the talk."""

from genagents_env.train.tasks.evening import Occasion, make_evening

TASK = make_evening(
    "election_afternoon",
    Occasion("mayoral_election", "speech", facts=("candidacy",)),
    horizon=180,
    summary="Be at the talk in Johnson Park from when you have heard of it, and tell of it.",
    lesson="The candidate tells who he is, one other tells of the talk: two words, one audience.",
)
