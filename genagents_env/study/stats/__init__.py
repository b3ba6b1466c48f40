"""Statistics of a laboratory: effects of factors, intervals, times to an event.

Knows numbers and names alone: nothing of runs, worlds or models. Everything is a pure function of
its arguments. `docs/statistics.md` says why these tests.
"""

from genagents_env.study.stats.effects import (
    Contrast,
    Effect,
    compute_effect,
    correct_family,
    count_needed_seeds,
    find_detectable,
    list_contrasts,
    list_numbers,
)
from genagents_env.study.stats.intervals import Interval, compute_interval
from genagents_env.study.stats.signs import ALPHA, MIN_SEEDS, find_smallest_p
from genagents_env.study.stats.survival import Survival, compare_times

__all__ = [
    "ALPHA",
    "MIN_SEEDS",
    "Contrast",
    "Effect",
    "Interval",
    "Survival",
    "compare_times",
    "compute_effect",
    "compute_interval",
    "correct_family",
    "count_needed_seeds",
    "find_detectable",
    "find_smallest_p",
    "list_contrasts",
    "list_numbers",
]
