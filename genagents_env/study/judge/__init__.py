"""Judges: models and people who rate answers by a rubric, or say which of two is the better."""

from genagents_env.study.judge.completed_sheets import CompletedSheet, read_sheet
from genagents_env.study.judge.pairwise import compare
from genagents_env.study.judge.rating import rate
from genagents_env.study.judge.rubric import Rubric, list_rubrics, load_rubric
from genagents_env.study.judge.runs import judge_finished_run, judge_run
from genagents_env.study.judge.session import JudgingProgress, JudgingResult
from genagents_env.study.judge.sheets import write_sheet
from genagents_env.study.judge.texts import About, JudgedText, load_texts
from genagents_env.study.judge.verdicts import Comparison, Rating, Verdicts

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
