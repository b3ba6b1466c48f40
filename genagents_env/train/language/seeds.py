"""The seeds of episodes to learn from, and of those kept for measuring."""

from typing import Literal, TypeAlias

from genagents_env.train.tasks import HELD_OUT, TRAINING

Split: TypeAlias = Literal["training", "held_out"]


def list_seeds(split: Split) -> range:
    """Return the seeds of the episodes of a split; the two have none in common.

    Those of a task have no town in common either.
    """
    return TRAINING if split == "training" else HELD_OUT
