"""Change the town where an agent cannot perceive it: to check that nothing leaks."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.scenario.plan import OUTSIDE, ObjectPlan, TownPlan
from genagents_env.testing.legal import Env
from genagents_env.world.goals import GoalBoard
from genagents_env.world.interventions import Put, SetObject

Disturb: TypeAlias = Callable[[Env, str], bool]

STRANGE_STATE = "covered in dust"


def find_town(env: Env) -> TownEnv | None:
    """Return the town that an env of ours steps now, None of any other env."""
    inner = getattr(env.unwrapped, "town", env.unwrapped)
    return inner if isinstance(inner, TownEnv) else None


def disturb_unseen(env: Env, agent: str) -> bool:
    """Change the objects of a zone `agent` is not in, and move somebody there out of sight.

    Of the objects every other one gets a state that it never has, the rest one of their own.
    Works on our own env only. Changes apply at its next step.

    Returns:
        Whether there was anything to change.
    """
    town = _get_town(env)
    world = town.world
    plan, now = world.plan, world.snapshot
    own = town.possible_agents.index(agent)
    here = _zone(plan, int(now.arena[own]))
    things = [k for k, o in enumerate(plan.objects) if _zone(plan, o.arena) != here]
    for turn, k in enumerate(things):
        other = _find_other_state(plan.objects[k], now.object_states[k]) if turn % 2 else None
        town.intervene(SetObject(plan.object_id(k), other or STRANGE_STATE))
    for k in range(world.count):
        there = int(now.arena[k])
        if _zone(plan, there) == here or k in now.talks or not now.present[k]:
            continue
        rooms = (*range(OUTSIDE + 1, len(plan.arenas)), OUTSIDE)
        elsewhere = [a for a in rooms if a != there and _zone(plan, a) != here]
        if elsewhere:
            town.intervene(Put(world.names[k], plan.arena_id(elsewhere[0])))
            return True
    return bool(things)


def disturb_minds(env: Env, agent: str) -> bool:
    """Give all others the agent's own goals, turn round what they know, and change the culprit.

    What is to be found out, whom to `accuse`, is changed for the agent itself. Works on our own env
    only.

    Returns:
        Whether there was anything to change.
    """
    town = _get_town(env)
    world, board = town.world, town.parts.reward.board
    own = town.possible_agents.index(agent)
    others = [i for i in range(world.count) if i != own]
    copied, hidden = _copy_goals(board, own, others), _hide_other(board, own, world.names)
    facts = (1 << len(world.town.people.fact_ids)) - 1
    for i in others:
        world.state.facts[i] ^= facts
    return copied or hidden or bool(facts and others)


def _get_town(env: Env) -> TownEnv:
    town = find_town(env)
    if town is None:
        raise TypeError(f"{env} is no town of ours; give check_env a `disturb` of its own")
    return town


def _find_other_state(item: ObjectPlan, state: str) -> str | None:
    return next((other for other in item.states if other != state), None)


def _copy_goals(board: GoalBoard, own: int, others: list[int]) -> bool:
    """Give others the goals of `own`, with all that is shown of them."""
    before = board.kind.copy()
    for column in vars(board).values():
        if isinstance(column, np.ndarray) and column.shape == before.shape:
            column[others] = column[own]
    for i in others:
        board.goals[i] = list(board.goals[own])
        for slot in range(before.shape[1]):
            hidden = board._hidden.pop((own, slot), None)
            board._hidden.pop((i, slot), None)
            if hidden is not None:
                board._hidden[own, slot] = board._hidden[i, slot] = hidden
    board.version += 1
    return not np.array_equal(before, np.zeros_like(before))


def _hide_other(board: GoalBoard, own: int, names: tuple[str, ...]) -> bool:
    """Let it be somebody else whom `own` has to name."""
    found = [goal.kind == "accuse" for goal in board.goals[own]]
    for slot, goal in enumerate(board.goals[own]):
        if found[slot]:
            other = next(name for name in names if name not in (goal.person, names[own]))
            board.goals[own][slot] = goal.model_copy(update={"person": other})
    board.version += 1
    return any(found)


def _zone(plan: TownPlan, arena: int) -> int:
    return OUTSIDE if plan.arenas[arena].open_air else arena
