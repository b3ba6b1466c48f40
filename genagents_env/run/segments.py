"""Batches for on-policy training: a number of steps of all slots of a `VectorTown`, repeatedly."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.errors import ConfigError
from genagents_env.observe.spaces import Floats, Mask

if TYPE_CHECKING:
    from genagents_env.wrappers import VectorTown
    from genagents_env.wrappers.vector_town import Info, Observation

Act: TypeAlias = Callable[["Observation"], npt.ArrayLike]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Segment:
    """S steps of B slots; episodes begin and end in it.

    Attributes:
        observations: the numbers acted on, float32, shape (S, B, D).
        masks: what might have been chosen, int8, shape (S, B, N).
        actions: the choices, int64, shape (S, B).
        rewards: float64, shape (S, B).
        terminations: shape (S, B).
        truncations: shape (S, B).
        present: whether the slot's agent was in town to act, shape (S, B): learn from these.
        successors: what came of each action, float32, shape (S, B, D): where an episode ended,
            what was seen last of it, not the beginning of the next.
    """

    observations: Floats
    masks: Mask
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    terminations: Bools
    truncations: Bools
    present: Bools
    successors: Floats


def segments(vector: "VectorTown", act: Act, steps: int, *, seed: int = 0) -> Iterator[Segment]:
    """Reset `vector` and yield segments of `steps` steps, without end.

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
    return _segments(vector, act, steps, seed)


def _segments(vector: "VectorTown", act: Act, steps: int, seed: int) -> Iterator[Segment]:
    seen, infos = vector.reset(seed=seed)
    present = infos["present"]
    while True:
        rows: list[tuple[npt.NDArray[np.generic], ...]] = []
        for _ in range(steps):
            actions = np.asarray(act(seen), dtype=np.int64)
            after, rewards, terminations, truncations, infos = vector.step(actions)
            numbers, masks = seen["observation"], seen["action_mask"]
            came = _successors(after["observation"], infos)
            rows.append(
                (numbers, masks, actions, rewards, terminations, truncations, present, came)
            )
            seen, present = after, infos["present"]
        yield Segment(*(np.stack(column) for column in zip(*rows, strict=True)))


def _successors(after: Floats, infos: "Info") -> Floats:
    if "final_obs" not in infos:
        return after
    came = after.copy()
    for slot in infos["_final_obs"].nonzero()[0].tolist():
        came[slot] = infos["final_obs"][slot]["observation"]
    return came
