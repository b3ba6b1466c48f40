"""What verdicts come to; what reports are built on."""

from genagents_env.judge.agreement import Agreed, agreements
from genagents_env.judge.groups import of_answers, of_runs
from genagents_env.judge.rankings import Ranking, rankings
from genagents_env.judge.scores import Score, ratings

__all__ = [
    "Agreed",
    "Ranking",
    "Score",
    "agreements",
    "of_answers",
    "of_runs",
    "rankings",
    "ratings",
]
