"""The policy named `random`: every legal choice is equally likely, independently at every tick."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from genagents_env.errors import PolicyError
from genagents_env.policy import Context, Infos, Observations, Policy, Profile, State
from genagents_env.rng import draw_index


class UniformPolicy(Policy):
    """Chooses uniformly among what the action mask allows, in either action format.

    A choice depends on the seed, the number of acts so far and the agent, not on who else acts.

    Args:
        message: what is said when the choice is to talk (words format).
    """

    name = "random"

    def __init__(self, message: str = "Hello!") -> None:
        self.message = message
        self.seed, self.acts = 0, 0

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode."""
        self.seed, self.acts = seed, 0

    def act(self, observations: Observations, infos: Infos) -> dict[str, Any]:
        """Return a legal choice for each agent, as the environment's own action format.

        Raises:
            PolicyError: there is no action mask to read.
        """
        self.acts += 1
        return {
            agent: self._choice(agent, observations[agent], infos.get(agent, {}))
            for agent in observations
        }

    def _choice(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        if isinstance(observation, Mapping) and "action_mask" in observation:
            return self._draw(agent, observation["action_mask"])
        if "action_mask" in info:
            choice = self._draw(agent, info["action_mask"]["choice"])
            return {"choice": choice, "message": self.message}
        raise PolicyError(
            "random needs an action mask: infos[agent]['action_mask'] (words) "
            "or observations[agent]['action_mask'] (menu)"
        )

    def _draw(self, agent: str, mask: Any) -> int:
        legal = np.flatnonzero(mask)
        return int(legal[draw_index(self.seed, len(legal), self.acts, agent, "random")])

    def state(self) -> State:
        """Return the number of acts so far."""
        return {"acts": self.acts}

    def load_state(self, state: State) -> None:
        """Resume from `state`."""
        self.acts = state["acts"]
