"""What one agent saw, did and earned in an episode, as arrays to learn from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.observe.spaces import Floats, Mask
from genagents_env.policy import AgentID, Infos, Observations

StepResult: TypeAlias = tuple[
    Observations,
    Mapping[AgentID, float],
    Mapping[AgentID, bool],
    Mapping[AgentID, bool],
    Infos,
]


@dataclass(frozen=True)
class Trajectory:
    """L steps of one agent: those at which it was in town.

    Attributes:
        observations: the numbers it acted on, float32, shape (L, D).
        masks: what it might have chosen, int8, shape (L, N).
        actions: what it did; None where it chose nothing.
        choices: the same as places in the menu, int64, shape (L,); -1 for anything else.
        rewards: float64, shape (L,).
        dones: whether it had ended after the step, shape (L,).
        last: the numbers seen after the last step, shape (D,).
        terminated: whether it ended for a reason other than the horizon.
    """

    observations: Floats
    masks: Mask
    actions: tuple[object, ...]
    choices: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    dones: npt.NDArray[np.bool_]
    last: Floats
    terminated: bool


@dataclass
class _Steps:
    observations: list[Floats] = field(default_factory=list)
    masks: list[Mask] = field(default_factory=list)
    actions: list[object] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    dones: list[bool] = field(default_factory=list)
    last: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    terminated: bool = False


class TrajectoryRecorder:
    """Gathers trajectories while an episode is played."""

    def __init__(self, observations: Observations, infos: Infos) -> None:
        self._now, self._infos = observations, infos
        self._steps: dict[AgentID, _Steps] = {}

    def note(self, actions: Mapping[AgentID, object], step: StepResult) -> None:
        """Add a step: what was done at the moment seen last, and what `env.step` returned."""
        after, rewards, terminations, truncations, infos = step
        for agent, seen in self._now.items():
            if agent not in rewards:
                continue  # it has ended before
            steps = self._steps.setdefault(agent, _Steps())
            steps.observations.append(seen["observation"])
            own = self._infos[agent]
            mask = seen["action_mask"] if "action_mask" in seen else own["action_mask"]["choice"]
            steps.masks.append(mask)
            steps.actions.append(actions.get(agent))
            steps.rewards.append(rewards[agent])
            steps.dones.append(terminations[agent] or truncations[agent])
            steps.last, steps.terminated = after[agent]["observation"], terminations[agent]
        alive = [a for a in after if not (terminations[a] or truncations[a])]
        self._now, self._infos = {a: after[a] for a in alive}, infos

    def trajectories(self) -> dict[AgentID, Trajectory]:
        """Return those of all agents that took a step."""
        return {agent: _stack(steps) for agent, steps in self._steps.items()}


def _stack(steps: _Steps) -> Trajectory:
    return Trajectory(
        np.stack(steps.observations),
        np.stack(steps.masks),
        tuple(steps.actions),
        np.array([_to_choice(action) for action in steps.actions], dtype=np.int64),
        np.array(steps.rewards, dtype=np.float64),
        np.array(steps.dones, dtype=np.bool_),
        steps.last,
        steps.terminated,
    )


def _to_choice(action: object) -> int:
    if isinstance(action, Mapping):
        action = action.get("choice")
    return int(action) if isinstance(action, int | np.integer) else -1
