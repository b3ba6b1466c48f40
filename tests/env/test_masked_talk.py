"""What the mask says of talk is what happens, also on the tick at which a cool-down ends."""

import copy

from genagents_env import town_v0
from genagents_env.actions import Move, Talk
from genagents_env.env import TownEnv


def is_talk_possible(env: TownEnv) -> bool:
    """Return whether Ada's words reach Ben at the next tick, with nobody else doing anything."""
    other = copy.deepcopy(env)
    return other.step({"Ada Brook": Talk("Ben Carver", "Hello again.")})[4]["Ada Brook"][
        "illegal"
    ] == 0 and bool(other.world.snapshot.outcomes[0].ok)


def test_the_mask_allows_talk_on_the_very_tick_at_which_a_cool_down_ends() -> None:
    env = town_v0.parallel_env("tiny", actions="menu")
    observations, _ = env.reset(seed=0)
    talk, leave = env.parts.menu.talk, env.parts.menu.leave
    while not observations["Ada Brook"]["action_mask"][talk]:
        observations = env.step({agent: Move("Cottage/kitchen") for agent in env.agents})[0]
    env.step({"Ada Brook": Talk("Ben Carver", "Hello.")})
    observations = env.step({"Ada Brook": leave})[0]
    told, happened = [], []
    for _ in range(10):
        told.append(bool(observations["Ada Brook"]["action_mask"][talk]))
        happened.append(is_talk_possible(env))
        observations = env.step({})[0]
    assert told == happened
    assert told[0] is False
    assert told[-1] is True
