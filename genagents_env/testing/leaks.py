"""Checks for information leaks: the town is changed out of an agent's sight."""

import copy
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.testing.compare import to_plain
from genagents_env.testing.contract import StepResult, check_observations, check_reset, check_same
from genagents_env.testing.legal import Env, sample_legal
from genagents_env.world.goals import GoalBoard
from genagents_env.world.interventions import Put, SetObject

Disturb: TypeAlias = Callable[[Env, str], bool]

CAUSES = ("event_id",)  # ids count all events of the town, also those one does not perceive
PROBES = 6  # moments of an episode
STRANGE_STATE = "covered in dust"
_APART, _IDLED = 4, 3  # steps


def check_leaks(
    make_env: Callable[[], Env], seed: int, disturb: Disturb | None = None, probes: int = PROBES
) -> None:
    """Change what an agent cannot perceive in copies of an env; the agent must not notice.

    Of each of some moments of an episode, for one agent after another, a copy is changed: of our
    own env who and what is out of sight, then what the others want and know. Both go on idling for
    some steps; the observations and infos of the agent must be the same.

    Args:
        make_env: returns a new env.
        seed: of the episode, and of the legal actions in it.
        disturb: changes an env in place of these; other envs are passed over without it.
        probes: moments, at most.

    Raises:
        EnvContractError: the agent notices, and by what.
    """
    env = make_env()
    disturbances = (disturb_unseen, disturb_minds) if disturb is None else (disturb,)
    if disturb is None and find_town(env) is None:
        return
    rng = np.random.default_rng(seed)
    at = check_reset(env, seed)
    for k in range(probes):
        at = advance(env, at, rng, _APART)
        if not env.agents:
            return
        agent = env.agents[k % len(env.agents)]
        seen = _watch(_copy(env), agent)
        for change in disturbances:
            other = _copy(env)
            if change(other, agent):
                problem = f"{agent!r} notices what it cannot perceive: its observation,"
                for expected, got in zip(seen, _watch(other, agent), strict=False):
                    check_same(expected, got, problem)


def advance(env: Env, at: StepResult, rng: np.random.Generator, steps: int) -> StepResult:
    """Step with legal actions while anyone is live; return the last that was returned."""
    for _ in range(steps):
        if env.agents:
            at = StepResult(*env.step(sample_legal(env, at.observations, at.infos, rng)))
    return at


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
        states = plan.objects[k].states if turn % 2 else ()
        other = next((state for state in states if state != now.object_states[k]), STRANGE_STATE)
        town.intervene(SetObject(plan.object_id(k), other))
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


def _copy(env: Env) -> Env:
    """Return a copy of an env; of ours what never changes is shared."""
    town = find_town(env)
    constants = [] if town is None else [town.world.town, town.world.scenario, town.config]
    return copy.deepcopy(env, {id(constant): constant for constant in constants})


def _watch(env: Env, agent: str) -> list[object]:
    """Return an agent's observations and infos while all idle for some steps, or until the end.

    What others have achieved may end an episode.
    """
    percepts: list[object] = []
    for _ in range(_IDLED):
        if agent not in env.agents:
            break
        result = StepResult(*env.step({}))
        check_observations(env, result.observations, "after a change out of sight, step")
        percepts.append(to_plain([result.observations[agent], result.infos[agent]], skip=CAUSES))
    return percepts


def _get_town(env: Env) -> TownEnv:
    town = find_town(env)
    if town is None:
        raise TypeError(f"{env} is no town of ours; give check_env a `disturb` of its own")
    return town


def _copy_goals(board: GoalBoard, own: int, others: list[int]) -> bool:
    """Give others the goals of `own`, with all that is shown of them."""
    before = board.kind.copy()
    for column in vars(board).values():
        if isinstance(column, np.ndarray) and column.shape == before.shape:
            column[others] = column[own]
    board._unnoticed = [at for at in board._unnoticed if at[0] == own]
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
    accusing = [slot for slot, goal in enumerate(board.goals[own]) if goal.kind == "accuse"]
    for slot in accusing:
        goal = board.goals[own][slot]
        other = next(name for name in names if name not in (goal.person, names[own]))
        board.goals[own][slot] = goal.model_copy(update={"person": other})
    board.version += 1
    return bool(accusing)


def _zone(plan: TownPlan, arena: int) -> int:
    return OUTSIDE if plan.arenas[arena].open_air else arena
