"""The events of a town tell all that is drawn of it, also where people come, go and are put."""

import numpy as np

from genagents_env import town_v0
from genagents_env.actions import Move, Talk
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.recorded import RecordedTown
from genagents_env.world.interventions import Intervention, Join, Part, Put, SetObject
from tests.show.render.towns import NAMES, NINE, check_same, town

ADA, BEN = "Ada Brook", "Ben Carver"
SUDDEN: dict[int, Intervention] = {
    3: Part(ADA),
    6: Put(BEN, "Cottage/study"),
    9: Join(ADA, "Cottage/kitchen"),
    12: SetObject("Cottage/kitchen/stove", "on"),
    13: SetObject("Cottage/kitchen/stove", "on fire"),
}


def test_whatever_happens_the_events_tell_what_is_drawn() -> None:
    env = town_v0.parallel_env(scenario="tiny")
    env.reset(seed=2)
    shown, seen = RecordedTown(env.world.plan, env.world.names), set()
    pairs: list[tuple[RenderSnapshot, RenderSnapshot]] = []
    while env.agents:
        world = env.world
        shown.advance(env.events)
        drawn = shown.take_snapshot(world.tick, world.time, world.positions)
        pairs.append((drawn, world.snapshot))
        seen |= {event.kind for event in env.events}
        if world.tick in SUDDEN:
            env.intervene(SUDDEN[world.tick])
        env.step({ADA: Talk(BEN, f"It is {world.tick}!"), BEN: Move("Cottage/kitchen")})
    for taken, true in pairs:  # what was taken has not changed since
        check_same(taken, true)
    assert {"start", "object", "part", "put", "join", "say", "doing", "arrive"} <= seen


def test_who_stands_beyond_the_map_is_drawn_at_its_edge() -> None:
    plan = town()
    away = np.array([[-3, 2], [99, 3], [4, 1000]], np.int16)
    drawn = RecordedTown(plan, NAMES).take_snapshot(0, NINE, away)
    assert drawn.x.tolist() == [0, plan.width - 1, 4]
    assert drawn.y.tolist() == [2, 3, plan.height - 1]
