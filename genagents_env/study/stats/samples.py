"""Checks of the input: finite numbers, at least one; and differences within rounding error."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from genagents_env.errors import ConfigError
from genagents_env.rng import draw_bits

Floats = npt.NDArray[np.float64]

_GRAIN = 2.0**-40  # far above the rounding of sums (2**-52 a step), far below what is measured


def check_sample(values: Iterable[float], what: str) -> Floats:
    """Return `values` as a vector of shape (n,), n >= 1.

    Args:
        values: finite numbers, booleans among them.
        what: they are, for the message.

    Raises:
        ConfigError: there is none, or one is None, NaN or infinite.
    """
    found = np.array(list(values), dtype=np.float64)
    if not found.size or not np.isfinite(found).all():
        raise ConfigError(f"{what}: {found.tolist()}; allowed: finite numbers, one or more")
    return found


def find_grain(values: Floats) -> float:
    """Return the smallest difference that counts: 2**-40 of the largest absolute value.

    Within it 0.3 - 0.1 and 0.2 are one number: ties are ties, and equal differences have no
    spread. 0 where all values are 0.
    """
    return _GRAIN * float(np.abs(values).max(initial=0.0))


def is_constant(values: Floats, grain: float) -> bool:
    """Return whether no two of `values` are more than `grain` apart."""
    return bool(np.ptp(values) <= grain)


def make_generator(seed: int, purpose: str) -> np.random.Generator:
    """Return a new generator determined by `seed` and `purpose`."""
    return np.random.default_rng(draw_bits(seed, "stats", purpose))
