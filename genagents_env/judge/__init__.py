"""Judges: models and people who rate answers by a rubric, or say which of two is the better."""

from genagents_env.judge.completed_sheets import CompletedSheet, read_sheet
from genagents_env.judge.pairwise import compare
from genagents_env.judge.rating import rate
from genagents_env.judge.rubric import Rubric, list_rubrics, load_rubric
from genagents_env.judge.runs import judge_finished_run, judge_run
from genagents_env.judge.session import JudgingProgress, JudgingResult
from genagents_env.judge.sheets import write_sheet
from genagents_env.judge.texts import About, JudgedText, load_texts
from genagents_env.judge.verdicts import Comparison, Rating, Verdicts

__all__ = [
    "About",
    "Comparison",
    "CompletedSheet",
    "JudgedText",
    "JudgingProgress",
    "JudgingResult",
    "Rating",
    "Rubric",
    "Verdicts",
    "compare",
    "judge_finished_run",
    "judge_run",
    "list_rubrics",
    "load_rubric",
    "load_texts",
    "rate",
    "read_sheet",
    "write_sheet",
]
