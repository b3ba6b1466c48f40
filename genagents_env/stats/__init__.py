"""Statistics of a laboratory: intervals, contrasts of arms, agreement of judges, ranking.

Knows numbers and names alone: nothing of runs, worlds or models. Everything is a pure function of
its arguments; whatever resamples takes a seed. `docs/statistics.md` says why these tests.
"""

from genagents_env.stats.agreement import Kappa, fleiss, kappa
from genagents_env.stats.contrasts import MIN_SEEDS, Contrast, contrast, correct_family, smallest_p
from genagents_env.stats.intervals import Interval, compute_interval
from genagents_env.stats.ranking import Match, Skill, rank

__all__ = [
    "MIN_SEEDS",
    "Contrast",
    "Interval",
    "Kappa",
    "Match",
    "Skill",
    "compute_interval",
    "contrast",
    "correct_family",
    "fleiss",
    "kappa",
    "rank",
    "smallest_p",
]
