"""`valentines_evening`: the half hour before the party of `valentines_party`, and the party."""

from genagents_env.train.tasks.evening import Occasion, make_evening

TASK = make_evening(
    "valentines_evening",
    Occasion("valentines_party", "party"),
    horizon=300,
    summary="Be at the party at Hobbs Cafe from when you have heard of it, and tell of it.",
    lesson="Two of eight know, in a large town; nobody is paid before word comes.",
)
