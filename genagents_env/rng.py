"""Counter-based randomness: every draw is a pure function of (seed, tick, agent, purpose).

There is no generator state to save, so a resumed or re-ordered run draws the same numbers.
Hash: SplitMix64 finaliser (Steele, Lea, Flood 2014) over the mixed words; strings enter through
BLAKE2b, never through `hash`, which changes with PYTHONHASHSEED.
"""

from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
# The same constants for arrays, whose overflow wraps without a warning.
_STEP = np.uint64(_GOLDEN)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_RANK = int.from_bytes(blake2b(b"rank", digest_size=8).digest(), "little")


def _mix(x: int) -> int:
    x = (x + _GOLDEN) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def draw_bits(seed: int, *words: int | str) -> int:
    """Return 64 uniform bits determined by `seed` and `words` (order matters)."""
    state = _mix(seed & _MASK)
    for word in words:
        if isinstance(word, str):
            word = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
        state = _mix(state ^ (word & _MASK))
    return state


def draw_unit(seed: int, *words: int | str) -> float:
    """Return a uniform float in [0, 1) determined by `seed` and `words`."""
    return (draw_bits(seed, *words) >> 11) * 2.0**-53


def draw_index(seed: int, count: int, *words: int | str) -> int:
    """Return a uniform integer in [0, count) determined by `seed` and `words`; `count` >= 1."""
    return (draw_bits(seed, *words) * count) >> 64


def _mix_all(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    return _finalise(x + _STEP)


def _finalise(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    x = (x ^ (x >> _SHIFTS[0])) * _FACTORS[0]
    x = (x ^ (x >> _SHIFTS[1])) * _FACTORS[1]
    return x ^ (x >> _SHIFTS[2])


@lru_cache(maxsize=64)
def _list_steps(count: int) -> npt.NDArray[np.uint64]:
    steps = np.arange(1, count + 1, dtype=np.uint64) * _STEP
    steps.flags.writeable = False
    return steps


def draw_keys(
    seeds: npt.NDArray[np.uint64], words: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.uint64]:
    """Return `count` times 64 uniform bits for each of T seeds and words, shape (T, count).

    The first of them are the same whatever `count` is.
    """
    word = np.uint64(_RANK)
    base = _mix_all(_mix_all(_mix_all(seeds) ^ words.astype(np.uint64)) ^ word)
    return _finalise(base[:, None] + _list_steps(count))


def ranks(
    seeds: npt.NDArray[np.uint64], ticks: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int64]:
    """Return `rank(seed, tick, count)` for each of T seeds and ticks, shape (T, count)."""
    return np.argsort(draw_keys(seeds, ticks, count), axis=1, kind="stable")


def rank(seed: int, tick: int, count: int) -> npt.NDArray[np.int64]:
    """Return the order in which `count` agents win ties at `tick`: a permutation, shape (count,).

    Fair over ticks and seeds, independent of the order of any dictionary.
    """
    base = np.uint64(draw_bits(seed, tick, _RANK))
    steps = _list_steps(count)
    return np.argsort(_finalise(base + steps), kind="stable")
