"""What one `reset` or one `step` must return, checked call by call."""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from genagents_env.testing.legal import Env, Space


class EnvContractError(AssertionError):
    """An env breaks the contract; the text says where and how, in one sentence."""


class StepResult(NamedTuple):
    """What `step` returned; after a `reset` the middle three are empty."""

    observations: dict[str, object]
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, object]]


def check_spaces(env: Env) -> None:
    """Check that spaces are there before `reset`, and are the same object at each call.

    Raises:
        EnvContractError: they are not, or agents are listed twice.
    """
    agents = list(env.possible_agents)
    if len(set(agents)) != len(agents):
        raise EnvContractError(f"possible_agents lists an agent twice: {agents}")
    for agent in agents:
        for name in ("observation_space", "action_space"):
            first, again = getattr(env, name)(agent), getattr(env, name)(agent)
            if not isinstance(first, spaces.Space):
                raise EnvContractError(
                    f"{name}({agent!r}) is a {type(first).__name__}, not a Space"
                )
            if first is not again:
                raise EnvContractError(f"{name}({agent!r}) is a new object at each call")


def check_reset(env: Env, seed: int) -> StepResult:
    """Reset `env` and return what it returned, checked.

    Raises:
        EnvContractError: agents, keys or observations are not as the contract says.
    """
    options = {"options": 1}
    returned = env.reset(seed=seed, options=options)
    when = f"reset(seed={seed})"
    if options != {"options": 1}:
        raise EnvContractError(f"{when} changed the caller's options")
    if not (isinstance(returned, tuple) and len(returned) == 2):
        raise EnvContractError(
            f"{when} returned {type(returned).__name__}, not (observations, infos)"
        )
    observations, infos = returned
    live = list(env.agents)
    if not live or not set(live) <= set(env.possible_agents):
        raise EnvContractError(
            f"after {when} agents is {live}: empty, or not all are possible_agents"
        )
    _check_keys(when, live, observations=observations, infos=infos)
    check_observations(env, observations, when)
    return StepResult(observations, {}, {}, {}, infos)


def check_step(
    env: Env, actions: dict[str, object], ended: Collection[str], when: str
) -> StepResult:
    """Step `env` and return what it returned, checked; `ended`: who ended before this step.

    Raises:
        EnvContractError: keys, observations, rewards, flags or agents are not as the contract says.
    """
    held = env.agents
    live = list(held)
    result = env.step(actions)
    if not (isinstance(result, tuple) and len(result) == 5):
        raise EnvContractError(f"{when} returned {type(result).__name__}, not five dicts")
    returned = StepResult(*result)
    if held != live:
        raise EnvContractError(f"{when} changed the list of agents the caller held, in place")
    _check_keys(when, live, **returned._asdict())
    check_observations(env, returned.observations, when)
    _check_numbers(returned, when)
    _check_agents(env, live, returned, ended, when)
    return returned


def check_observations(env: Env, observations: dict[str, object], when: str) -> None:
    """Check that every observation lies in its agent's space, dtype included.

    Raises:
        EnvContractError: one does not.
    """
    for agent, observation in observations.items():
        space = env.observation_space(agent)
        why = explain_misfit(space, observation)
        if why is not None:
            raise EnvContractError(
                f"{when}: the observation of {agent!r} is outside its space: {why}"
            )


def explain_misfit(space: Space, value: object, path: str = "") -> str | None:
    """Return why `value` is not in `space`, dtype included, or None if it is."""
    if isinstance(space, spaces.Dict):
        if not isinstance(value, dict) or value.keys() != space.spaces.keys():
            got = list(value) if isinstance(value, dict) else type(value).__name__
            return f"{path or 'it'} has keys {got}, expected {list(space.spaces)}"
        parts = (
            explain_misfit(part, value[key], f"{path}[{key!r}]") for key, part in space.items()
        )
        return next((why for why in parts if why is not None), None)
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        if not isinstance(value, np.ndarray):
            return f"{path or 'it'} is a {type(value).__name__}, not an array"
        if value.dtype != space.dtype or value.shape != space.shape:
            return (
                f"{path or 'it'} has dtype {value.dtype}, shape {value.shape}; "
                f"expected {space.dtype}, {space.shape}"
            )
    if not space.contains(value):
        shown = repr(value)
        return f"{path or 'it'} is {shown[:200]}"
    return None


def _check_keys(when: str, live: list[str], **dicts: Any) -> None:
    for name, held in dicts.items():
        if type(held) is not dict:
            raise EnvContractError(f"{when}: {name} is a {type(held).__name__}, not a dict")
        if held.keys() != set(live):
            raise EnvContractError(
                f"{when}: {name} has keys {list(held)}, but the live agents were {live}"
            )
    for agent, info in dicts["infos"].items():
        if type(info) is not dict:
            raise EnvContractError(
                f"{when}: infos[{agent!r}] is a {type(info).__name__}, not a dict"
            )


def _check_numbers(returned: StepResult, when: str) -> None:
    for agent, reward in returned.rewards.items():
        if type(reward) is not float or not math.isfinite(reward):
            raise EnvContractError(
                f"{when}: the reward of {agent!r} is {reward!r} ({type(reward).__name__}), "
                "not a finite float"
            )
    for name in ("terminations", "truncations"):
        for agent, flag in getattr(returned, name).items():
            if type(flag) is not bool:
                raise EnvContractError(
                    f"{when}: {name}[{agent!r}] is a {type(flag).__name__}, not a bool"
                )


def _check_agents(
    env: Env, live: list[str], returned: StepResult, ended: Collection[str], when: str
) -> None:
    over = {a for a in live if returned.terminations[a] or returned.truncations[a]}
    staying = [agent for agent in live if agent not in over]
    if [agent for agent in env.agents if agent in live] != staying:
        raise EnvContractError(f"{when}: agents is {env.agents}, but those not ended are {staying}")
    back = [agent for agent in env.agents if agent in ended]
    if back:
        raise EnvContractError(f"{when}: {back} had ended and are in agents again")
    if not set(env.agents) <= set(env.possible_agents):
        raise EnvContractError(f"{when}: agents is {env.agents}, not all of them possible_agents")
