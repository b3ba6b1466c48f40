"""Judges: models and people who rate answers by a rubric, or say which of two is the better."""

from genagents_env.study.judge.agreement import measure_agreement
from genagents_env.study.judge.by_rubric import judge_texts
from genagents_env.study.judge.rankings import rank_conditions
from genagents_env.study.judge.rubric import Rubric, list_rubrics, load_rubric
from genagents_env.study.judge.runs import judge_finished_run, judge_run
from genagents_env.study.judge.scores import score_conditions
from genagents_env.study.judge.session import JudgingResult
from genagents_env.study.judge.sheets import read_sheet, write_sheets
from genagents_env.study.judge.texts import About, JudgedText, load_texts
from genagents_env.study.judge.verdicts import Judgement, Verdicts

__all__ = [
    "About",
    "JudgedText",
    "Judgement",
    "JudgingResult",
    "Rubric",
    "Verdicts",
    "judge_finished_run",
    "judge_run",
    "judge_texts",
    "list_rubrics",
    "load_rubric",
    "load_texts",
    "measure_agreement",
    "rank_conditions",
    "read_sheet",
    "score_conditions",
    "write_sheets",
]
