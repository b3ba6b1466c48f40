"""Judgements summed up, for the terminal and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.cli.judged_runs import JudgedRuns
    from genagents_env.judge.summary import JudgeAgreement, Ranking, Score
    from genagents_env.judge.verdicts import Judgement


class JudgingSummary:
    """Scores, rankings and agreement; without the extra `lab` the ratings alone, and a message."""

    def __init__(self, given: "Sequence[Judgement]", judged: "JudgedRuns") -> None:
        from genagents_env.judge.summary import measure_agreement, rank_conditions, score_conditions

        self.ratings: tuple[Score, ...] = score_conditions(given)
        self.rankings: tuple[Ranking, ...] = ()
        self.agreements: tuple[JudgeAgreement, ...] = ()
        try:
            self.rankings = rank_conditions(given)
            self.agreements = measure_agreement(given, judged.load_check_verdicts())
        except ConfigError as error:
            say(f"genagents: rankings and agreement are left out: {error}", error=True)

    def format_lines(self) -> Iterator[str]:
        """Yield the tables that have rows."""
        from genagents_env.report.judging import tabulate_for_terminal

        for table in tabulate_for_terminal(self.ratings, self.rankings, self.agreements):
            yield ""
            yield from table.format_lines()

    def to_json(self) -> dict[str, list[dict[str, object]]]:
        """Return everything as JSON values."""
        return {
            "ratings": [asdict(one) for one in self.ratings],
            "rankings": [
                asdict(one) | {"position_bias": one.position_bias} for one in self.rankings
            ],
            "agreements": [asdict(one) for one in self.agreements],
        }
