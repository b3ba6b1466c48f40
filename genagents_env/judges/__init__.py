"""Judges: models and people who rate answers by a rubric, or say which of two is the better."""

from .answers import About, Said, said
from .bench import Heard, Moment
from .filled import Filled, read_sheet
from .pairwise import compare
from .rating import rate
from .rubric import Rubric, load_rubric, rubric_names
from .sheets import write_sheet
from .verdicts import Comparison, Rating, Verdicts

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
