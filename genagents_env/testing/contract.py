"""Checks of what one `reset` or one `step` returns."""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from genagents_env.testing.compare import find_difference
from genagents_env.testing.legal import Env, Space


class EnvContractError(AssertionError):
    """An env breaks the contract; the text says where and how, in one sentence."""


class StepResult(NamedTuple):
    """The five dicts of `step`; after a `reset` the middle three are empty."""

    observations: dict[str, object]
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, object]]


def check_same(expected: object, got: object, problem: str) -> None:
    """Raise EnvContractError with `problem` and where two values of `to_plain` differ, if they do.

    The first number in a difference inside a `StepResult` becomes the name of that part.
    """
    why = find_difference(expected, got)
    if why is None:
        return
    for k, name in enumerate(StepResult._fields):
        if why.startswith(f"[{k}]"):
            why = name + why.removeprefix(f"[{k}]")
    raise EnvContractError(f"{problem} {why}")


def check_spaces(env: Env) -> None:
    """Check that spaces are there before `reset`, and are the same object at each call.

    Raises:
        EnvContractError: they are not, or agents are listed twice.
    """
    agents = list(env.possible_agents)
    _require(len(set(agents)) == len(agents), f"possible_agents lists an agent twice: {agents}")
    for agent in agents:
        for name in ("observation_space", "action_space"):
            first, again = getattr(env, name)(agent), getattr(env, name)(agent)
            shown = f"{name}({agent!r})"
            is_space = isinstance(first, spaces.Space)
            _require(is_space, f"{shown} is a {type(first).__name__}, not a Space")
            _require(first is again, f"{shown} is a new object at each call")


def check_reset(env: Env, seed: int) -> StepResult:
    """Reset `env` and return what it returned, checked.

    Raises:
        EnvContractError: agents, keys or observations are not as the contract says.
    """
    options, when = {"options": 1}, f"reset(seed={seed})"
    returned = env.reset(seed=seed, options=options)
    _require(options == {"options": 1}, f"{when} changed the caller's options")
    is_pair = isinstance(returned, tuple) and len(returned) == 2
    _require(is_pair, f"{when} returned {type(returned).__name__}, not (observations, infos)")
    observations, infos = returned
    live = list(env.agents)
    _require(
        bool(live) and set(live) <= set(env.possible_agents),
        f"after {when} agents is {live}: empty, or not all are possible_agents",
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
    agents = env.agents
    live = list(agents)
    result = env.step(actions)
    is_five = isinstance(result, tuple) and len(result) == 5
    _require(is_five, f"{when} returned {type(result).__name__}, not five dicts")
    returned = StepResult(*result)
    _require(agents == live, f"{when} changed the list of agents the caller held, in place")
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
        why = explain_misfit(env.observation_space(agent), observation)
        if why is not None:
            raise EnvContractError(
                f"{when}: the observation of {agent!r} is outside its space: {why}"
            )


def explain_misfit(space: Space, value: object, path: str = "") -> str | None:
    """Return why `value` is not in `space`, dtype included, or None if it is."""
    shown = path or "it"
    if isinstance(space, spaces.Dict):
        if not isinstance(value, dict) or value.keys() != space.spaces.keys():
            got = list(value) if isinstance(value, dict) else type(value).__name__
            return f"{shown} has keys {got}, expected {list(space.spaces)}"
        parts = (
            explain_misfit(part, value[key], f"{path}[{key!r}]") for key, part in space.items()
        )
        return next((why for why in parts if why is not None), None)
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        if not isinstance(value, np.ndarray):
            return f"{shown} is a {type(value).__name__}, not an array"
        if value.dtype != space.dtype or value.shape != space.shape:
            return (
                f"{shown} has dtype {value.dtype}, shape {value.shape}; "
                f"expected {space.dtype}, {space.shape}"
            )
    return None if space.contains(value) else f"{shown} is {repr(value)[:200]}"


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise EnvContractError(problem)


def _check_keys(when: str, live: list[str], **dicts: Any) -> None:
    for name, part in dicts.items():
        _require(type(part) is dict, f"{when}: {name} is a {type(part).__name__}, not a dict")
        _require(
            part.keys() == set(live),
            f"{when}: {name} has keys {list(part)}, but the live agents were {live}",
        )
    for agent, info in dicts["infos"].items():
        is_dict = type(info) is dict
        _require(is_dict, f"{when}: infos[{agent!r}] is a {type(info).__name__}, not a dict")


def _check_numbers(returned: StepResult, when: str) -> None:
    for agent, reward in returned.rewards.items():
        _require(
            type(reward) is float and math.isfinite(reward),
            f"{when}: the reward of {agent!r} is {reward!r} ({type(reward).__name__}), "
            "not a finite float",
        )
    for name in ("terminations", "truncations"):
        for agent, flag in getattr(returned, name).items():
            is_bool = type(flag) is bool
            _require(is_bool, f"{when}: {name}[{agent!r}] is a {type(flag).__name__}, not a bool")


def _check_agents(
    env: Env, live: list[str], returned: StepResult, ended: Collection[str], when: str
) -> None:
    over = {a for a in live if returned.terminations[a] or returned.truncations[a]}
    staying = [agent for agent in live if agent not in over]
    now = env.agents
    _require(
        [agent for agent in now if agent in live] == staying,
        f"{when}: agents is {now}, but those not ended are {staying}",
    )
    back = [agent for agent in now if agent in ended]
    _require(not back, f"{when}: {back} had ended and are in agents again")
    known = set(now) <= set(env.possible_agents)
    _require(known, f"{when}: agents is {now}, not all of them possible_agents")
