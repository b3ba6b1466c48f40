"""A fast random sampler of legal actions, for both action formats and behind every wrapper."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv

Env: TypeAlias = ParallelEnv[str, Any, Any]  # of any observations and actions
Space: TypeAlias = spaces.Space[Any]
Mask: TypeAlias = npt.NDArray[Any]

PHRASES = ("", "Good morning.", "Have you heard the news?", "hello", "See you later!", "Why?")


def legal_mask(observation: object, info: Mapping[str, object]) -> Mask | None:
    """Return one agent's mask over its choices, shape (N,), wherever it is; None without one.

    It may be `observation["action_mask"]`, `info["action_mask"]` (an array), or
    `info["action_mask"]["choice"]` (the words format).
    """
    holder = observation if isinstance(observation, dict) else {}
    mask = holder.get("action_mask", info.get("action_mask"))
    if isinstance(mask, Mapping):
        mask = mask.get("choice")
    return None if mask is None else np.asarray(mask)


def sample_legal(
    env: Env,
    observations: Mapping[str, object],
    infos: Mapping[str, Mapping[str, object]],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return a random legal action for each agent of `env.agents`.

    Uniform over the choices the mask allows, or over all where there is no mask. Actions lie in
    the action space; messages are short phrases. Depends on nothing but its arguments.

    Args:
        env: gives the live agents and their action spaces: Discrete, or a Dict of Discrete and
            Text. Any other space is sampled by itself, which is slow.
        observations: as `reset` or `step` returned them.
        infos: as `reset` or `step` returned them.
        rng: the source of randomness; three draws or fewer an agent.
    """
    return {
        agent: _sample(
            env.action_space(agent), legal_mask(observations.get(agent), infos.get(agent, {})), rng
        )
        for agent in env.agents
    }


def _sample(space: Space, mask: Mask | None, rng: np.random.Generator) -> object:
    if isinstance(space, spaces.Discrete):
        if mask is None:
            return int(space.start) + int(rng.integers(space.n))
        legal = np.flatnonzero(mask)
        return int(space.start) + int(legal[rng.integers(len(legal))])
    if isinstance(space, spaces.Text):
        phrase = PHRASES[int(rng.integers(len(PHRASES)))]
        if space.contains(phrase):
            return phrase
    if isinstance(space, spaces.Dict):
        return {
            key: _sample(part, mask if isinstance(part, spaces.Discrete) else None, rng)
            for key, part in space.items()
        }
    space.seed(int(rng.integers(2**31)))
    return space.sample()
