"""Statistics of a laboratory: intervals, contrasts of arms, agreement of judges, ranking.

Knows numbers and names alone: nothing of runs, worlds or models. Everything is a pure function of
its arguments; whatever resamples takes a seed. `docs/statistics.md` says why these tests.
"""

from genagents_env.stats.agreement import Kappa, fleiss, kappa
from genagents_env.stats.contrasts import MIN_SEEDS, Contrast, contrast, corrected, smallest_p
from genagents_env.stats.intervals import Interval, interval
from genagents_env.stats.ranking import Match, Skill, ranked

__all__ = [
    "MIN_SEEDS",
    "Contrast",
    "Interval",
    "Kappa",
    "Match",
    "Skill",
    "contrast",
    "corrected",
    "fleiss",
    "interval",
    "kappa",
    "ranked",
    "smallest_p",
]
