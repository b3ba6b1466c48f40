"""What verdicts come to; what reports are built on."""

from genagents_env.study.judge.agreement import JudgeAgreement, measure_agreement
from genagents_env.study.judge.groups import filter_by_answers, filter_by_runs
from genagents_env.study.judge.rankings import Ranking, rank_conditions
from genagents_env.study.judge.scores import Score, score_conditions

__all__ = [
    "JudgeAgreement",
    "Ranking",
    "Score",
    "filter_by_answers",
    "filter_by_runs",
    "measure_agreement",
    "rank_conditions",
    "score_conditions",
]
