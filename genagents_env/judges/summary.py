"""What verdicts come to; what reports are built on."""

from genagents_env.judges.agreement import Agreed, agreements
from genagents_env.judges.groups import of_answers, of_runs
from genagents_env.judges.rankings import Ranking, rankings
from genagents_env.judges.scores import Score, ratings

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
