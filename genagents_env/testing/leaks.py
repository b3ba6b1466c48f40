"""Whether what an agent cannot perceive reaches it."""

import copy
from collections.abc import Callable

import numpy as np

from genagents_env.testing.compare import find_difference, to_plain
from genagents_env.testing.contract import (
    EnvContractError,
    StepResult,
    check_observations,
    check_reset,
)
from genagents_env.testing.legal import Env, sample_legal
from genagents_env.testing.unseen import Disturb, disturb_minds, disturb_unseen, find_town
from genagents_env.testing.wrong_actions import CAUSES

PROBES = 6  # moments of an episode
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
                _check_unnoticed(seen, _watch(other, agent), agent)


def _copy(env: Env) -> Env:
    """Return a copy of an env; of ours what never changes is shared."""
    town = find_town(env)
    constants = [] if town is None else [town.world.town, town.world.scenario, town.config]
    return copy.deepcopy(env, {id(one): one for one in constants})


def _watch(env: Env, agent: str) -> list[object]:
    """Return what an agent is told while all idle for some steps; less where it is over before.

    What others have achieved may end an episode.
    """
    found: list[object] = []
    for _ in range(_IDLED):
        if agent not in env.agents:
            break
        result = StepResult(*env.step({}))
        check_observations(env, result.observations, "after a change out of sight, step")
        found.append(to_plain([result.observations[agent], result.infos[agent]], skip=CAUSES))
    return found


def _check_unnoticed(seen: list[object], also: list[object], agent: str) -> None:
    for one, other in zip(seen, also, strict=False):
        why = find_difference(one, other)
        if why is not None:
            raise EnvContractError(
                f"{agent!r} notices what it cannot perceive: its observation, {why}"
            )


def advance(env: Env, at: StepResult, rng: np.random.Generator, steps: int) -> StepResult:
    """Step with legal actions while anyone is live; return the last that was returned."""
    for _ in range(steps):
        if env.agents:
            at = StepResult(*env.step(sample_legal(env, at.observations, at.infos, rng)))
    return at
