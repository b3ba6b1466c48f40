"""Change the town where an agent cannot perceive it: to check that nothing leaks."""

from collections.abc import Callable
from typing import TypeAlias

from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.testing.legal import Env
from genagents_env.world.interventions import Put, SetObject

Disturb: TypeAlias = Callable[[Env, str], bool]

STRANGE_STATE = "covered in dust"


def disturb_unseen(env: Env, agent: str) -> bool:
    """Change the objects of a zone `agent` is not in, and move somebody there out of sight.

    Works on our own env only. Changes apply at its next step.

    Returns:
        Whether there was anything to change.
    """
    town = env.unwrapped
    world = town.world
    plan, now = world.plan, world.snapshot
    here = _zone(plan, int(now.arena[town.possible_agents.index(agent)]))
    things = [k for k, o in enumerate(plan.objects) if _zone(plan, o.arena) != here]
    for k in things:
        town.intervene(SetObject(plan.object_id(k), STRANGE_STATE))
    for k, name in enumerate(town.possible_agents):
        there = int(now.arena[k])
        if _zone(plan, there) == here or k in now.talks or not now.present[k]:
            continue
        rooms = (*range(OUTSIDE + 1, len(plan.arenas)), OUTSIDE)
        elsewhere = [a for a in rooms if a != there and _zone(plan, a) != here]
        if elsewhere:
            town.intervene(Put(name, plan.arena_id(elsewhere[0])))
            return True
    return bool(things)


def _zone(plan: TownPlan, arena: int) -> int:
    return OUTSIDE if plan.arenas[arena].open_air else arena
