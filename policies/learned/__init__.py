"""A policy learned by PPO on the suite of tasks: a small network, run in numpy.

It reads the numbers of an observation and nothing else, and chooses from the portable menu, whose
choices mean the same in every town. `examples/train_ppo.py` makes its weights.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.observe.columns import PORTABLE_SIZE
from genagents_env.observe.portable_menu import list_portable_choices
from genagents_env.policy import Context, Infos, Observations, Policy, Profile, State
from genagents_env.rng import draw_unit

from .network import Network, load_network

__all__ = ["LearnedPolicy"]

WEIGHTS = Path(__file__).with_name("weights.npz")


class LearnedPolicy(Policy):
    """Chooses what its network says, among what the mask allows.

    Args:
        weights: a file written by `examples/train_ppo.py`; the shipped one if empty.
        temperature: 1 draws choices as training did; 0 takes the most probable one, which goes on
            without end where that is a mistake; between them rarer choices are drawn more rarely.

    Raises:
        FileError: the weights cannot be read.
        ConfigError: they do not fit this version, or `temperature` is below 0.
    """

    name = "learned"
    needs_portable_menu = True
    file_options = ("weights",)

    def __init__(self, weights: str = "", temperature: float = 0.5) -> None:
        if not 0.0 <= temperature <= 100.0:
            raise ConfigError(f"temperature: {temperature} is not allowed; 0 to 100")
        self.temperature = temperature
        self.network: Network = load_network(
            Path(weights) if weights else WEIGHTS, PORTABLE_SIZE, len(list_portable_choices())
        )
        self.seed, self.acts = 0, 0

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode."""
        self.seed, self.acts = seed, 0

    def act(self, observations: Observations, infos: Infos) -> dict[str, Any]:
        """Return a legal choice for each agent, as the environment's own action format.

        Raises:
            PolicyError: there is no action mask, or not of the portable menu.
        """
        self.acts += 1
        if not observations:
            return {}
        agents = list(observations)
        masks = np.stack([self._read_mask(observations[a], infos.get(a, {})) for a in agents])
        seen = np.stack([observations[a]["observation"] for a in agents])
        wanted = (self.network.inputs, self.network.choices)
        if (seen.shape[1], masks.shape[1]) != wanted:
            raise PolicyError(
                f"learned reads {wanted[0]} numbers and knows {wanted[1]} choices, here are "
                f'{seen.shape[1]} and {masks.shape[1]}; make the town with menu="portable"'
            )
        logits = np.where(masks == 0, -np.inf, self.network.compute_logits(seen))
        chosen = [self._choose(agent, row) for agent, row in zip(agents, logits, strict=True)]
        # In the words format talk without a message is small talk.
        return {
            agent: choice
            if "action_mask" in observations[agent]
            else {"choice": choice, "message": ""}
            for agent, choice in zip(agents, chosen, strict=True)
        }

    def _read_mask(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        if "action_mask" in observation:
            return observation["action_mask"]
        if "action_mask" in info:
            return info["action_mask"]["choice"]
        raise PolicyError(
            "learned needs an action mask: infos[agent]['action_mask'] (words) "
            "or observations[agent]['action_mask'] (menu)"
        )

    def _choose(self, agent: str, logits: npt.NDArray[np.float64]) -> int:
        if self.temperature == 0.0:
            return int(logits.argmax())
        scaled = np.exp((logits - logits.max()) / self.temperature).cumsum()
        drawn = draw_unit(self.seed, self.acts, agent, "learned") * scaled[-1]
        return int(np.searchsorted(scaled, drawn, side="right"))

    def state(self) -> State:
        """Return the number of acts so far, and which weights decided."""
        return {"acts": self.acts, "weights": self.network.digest}

    def load_state(self, state: State) -> None:
        """Resume from `state`.

        Raises:
            PolicyError: other weights decided up to here.
        """
        if state["weights"] != self.network.digest:
            raise PolicyError("learned: the weights have changed since; give those of the run")
        self.acts = state["acts"]
