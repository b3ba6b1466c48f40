"""Arrays to learn from: an agent's episode, or some steps of all slots of a `VectorTown`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.errors import ConfigError
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.policy import AgentID, Infos, Observations

if TYPE_CHECKING:
    from genagents_env.train.wrappers import VectorTown
    from genagents_env.train.wrappers.vector_town import Info, Observation

Act: TypeAlias = Callable[["Observation"], npt.ArrayLike]
Bools = npt.NDArray[np.bool_]

StepResult: TypeAlias = tuple[
    Observations,
    Mapping[AgentID, float],
    Mapping[AgentID, bool],
    Mapping[AgentID, bool],
    Infos,
]


@dataclass(frozen=True)
class Trajectory:
    """The L steps of an agent at which it was in town.

    Attributes:
        observations: before each action, float32, shape (L, D).
        masks: of the possible choices, int8, shape (L, N).
        actions: as given; None for none.
        choices: the actions as numbers of the menu, int64, shape (L,); -1 for other actions.
        rewards: float64, shape (L,).
        dones: whether the agent had ended after the step, shape (L,).
        last: the observation after the last step, shape (D,).
        terminated: whether it ended for a reason other than the horizon.
    """

    observations: Floats
    masks: Mask
    actions: tuple[object, ...]
    choices: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    dones: Bools
    last: Floats
    terminated: bool


@dataclass(frozen=True)
class Segment:
    """S steps of B slots; episodes begin and end in it.

    Attributes:
        observations: before each action, float32, shape (S, B, D).
        masks: of the possible choices, int8, shape (S, B, N).
        actions: the choices, int64, shape (S, B).
        rewards: float64, shape (S, B).
        terminations: shape (S, B).
        truncations: shape (S, B).
        present: whether the slot's agent was in town to act, shape (S, B): learn from these.
        successors: the observations after each action, float32, shape (S, B, D): at the end of an
            episode its last one, not the first of the next.
    """

    observations: Floats
    masks: Mask
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    terminations: Bools
    truncations: Bools
    present: Bools
    successors: Floats


@dataclass
class _Steps:
    observations: list[Floats] = field(default_factory=list)
    masks: list[Mask] = field(default_factory=list)
    actions: list[object] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    dones: list[bool] = field(default_factory=list)
    last: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    terminated: bool = False

    def stack(self) -> Trajectory:
        return Trajectory(
            np.stack(self.observations),
            np.stack(self.masks),
            tuple(self.actions),
            np.array([_to_choice(action) for action in self.actions], dtype=np.int64),
            np.array(self.rewards, dtype=np.float64),
            np.array(self.dones, dtype=np.bool_),
            self.last,
            self.terminated,
        )


class TrajectoryRecorder:
    """Records trajectories while an episode is played."""

    def __init__(self, observations: Observations, infos: Infos) -> None:
        self._now, self._infos = observations, infos
        self._steps: dict[AgentID, _Steps] = {}

    def note(self, actions: Mapping[AgentID, object], step: StepResult) -> None:
        """Add a step: the actions on the last observations, and the result of `env.step`."""
        after, rewards, terminations, truncations, infos = step
        for agent, before in self._now.items():
            if agent not in rewards:
                continue  # it has ended before
            steps = self._steps.setdefault(agent, _Steps())
            steps.observations.append(before["observation"])
            own = self._infos[agent]
            mask = (
                before["action_mask"] if "action_mask" in before else own["action_mask"]["choice"]
            )
            steps.masks.append(mask)
            steps.actions.append(actions.get(agent))
            steps.rewards.append(rewards[agent])
            steps.dones.append(terminations[agent] or truncations[agent])
            steps.last, steps.terminated = after[agent]["observation"], terminations[agent]
        alive = [a for a in after if not (terminations[a] or truncations[a])]
        self._now, self._infos = {a: after[a] for a in alive}, infos

    def trajectories(self) -> dict[AgentID, Trajectory]:
        """Return the trajectories of all agents that took a step."""
        return {agent: steps.stack() for agent, steps in self._steps.items()}


def segments(vector: "VectorTown", act: Act, steps: int, *, seed: int = 0) -> Iterator[Segment]:
    """Reset `vector` and yield segments of `steps` steps, without end: for on-policy training.

    Args:
        vector: the towns; step and reset it nowhere else meanwhile.
        act: gets the observations of all slots, as `VectorTown.step` returns them, and returns
            their actions, shape (slots,). It may change between segments: that is training.
        steps: of a segment, at least 1.
        seed: of the towns.

    Raises:
        ConfigError: `steps` is below 1.
    """
    if steps < 1:
        raise ConfigError(f"steps: {steps} is not allowed; at least 1")
    if vector.metadata["autoreset_mode"].name != "SAME_STEP":
        raise ConfigError("vector: segments need autoreset=AutoresetMode.SAME_STEP")
    return _segments(vector, act, steps, seed)


def _segments(vector: "VectorTown", act: Act, steps: int, seed: int) -> Iterator[Segment]:
    seen, infos = vector.reset(seed=seed)
    present = infos["present"]
    while True:
        rows: list[tuple[npt.NDArray[np.generic], ...]] = []
        for _ in range(steps):
            actions = np.asarray(act(seen), dtype=np.int64)
            after, *outcome, infos = vector.step(actions)
            came = _find_successors(after["observation"], infos)
            rows.append(
                (seen["observation"], seen["action_mask"], actions, *outcome, present, came)
            )
            seen, present = after, infos["present"]
        yield Segment(*(np.stack(column) for column in zip(*rows, strict=True)))


def _find_successors(after: Floats, infos: "Info") -> Floats:
    if "final_obs" not in infos:
        return after
    successors = after.copy()
    for slot in infos["_final_obs"].nonzero()[0].tolist():
        successors[slot] = infos["final_obs"][slot]["observation"]
    return successors


def _to_choice(action: object) -> int:
    if isinstance(action, Mapping):
        action = action.get("choice")
    return int(action) if isinstance(action, int | np.integer) else -1
