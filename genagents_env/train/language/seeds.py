"""The seeds of episodes to learn from, and of those kept for measuring."""

from typing import Literal, TypeAlias

from genagents_env.errors import ConfigError
from genagents_env.train.tasks import HELD_OUT, TRAINING

Split: TypeAlias = Literal["training", "held_out"]


def list_seeds(split: Split) -> range:
    """Return the seeds of the episodes of a split; the two have none in common.

    Those of a task have no town in common either.

    Raises:
        ConfigError: `split` is neither.
    """
    splits = {"training": TRAINING, "held_out": HELD_OUT}
    if split not in splits:
        raise ConfigError(f"split: {split!r} is not allowed; {' or '.join(splits)}")
    return splits[split]
