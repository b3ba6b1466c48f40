"""Judges: models and people who rate answers by a rubric, or say which of two is the better."""

from genagents_env.judge.answers import About, Said, said
from genagents_env.judge.bench import Heard, Moment
from genagents_env.judge.filled import Filled, read_sheet
from genagents_env.judge.pairwise import compare
from genagents_env.judge.rating import rate
from genagents_env.judge.rubric import Rubric, load_rubric, rubric_names
from genagents_env.judge.sheets import write_sheet
from genagents_env.judge.verdicts import Comparison, Rating, Verdicts

__all__ = [
    "About",
    "Comparison",
    "Filled",
    "Heard",
    "Moment",
    "Rating",
    "Rubric",
    "Said",
    "Verdicts",
    "compare",
    "load_rubric",
    "rate",
    "read_sheet",
    "rubric_names",
    "said",
    "write_sheet",
]
