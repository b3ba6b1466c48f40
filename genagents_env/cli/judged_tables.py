"""What judges said, as tables for the terminal and as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.cli.judged_runs import JudgedRuns
    from genagents_env.judge.summary import JudgeAgreement, Ranking, Score
    from genagents_env.judge.verdicts import Judgement
    from genagents_env.report.table import CellValue, Table


class JudgingSummary:
    """What verdicts come to; without the extra `lab` the ratings alone, and a message."""

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
        for table in (
            _tabulate_ratings(self.ratings),
            *map(_tabulate_ranking, self.rankings),
            _tabulate_agreements(self.agreements),
        ):
            if table.rows:
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


def _tabulate_ratings(scores: "Iterable[Score]") -> "Table":
    from genagents_env.report.judging import format_judge
    from genagents_env.report.table import Table

    rows: list[tuple[CellValue, ...]] = []
    for one in scores:
        judge = format_judge(one.judge, one.by)
        scale = f"{one.low} to {one.high}"
        means = (
            one.mean,
            min(one.seeds.values(), default=None),
            max(one.seeds.values(), default=None),
        )
        rows.append(
            (one.rubric, one.condition, judge, scale, *means, len(one.seeds), one.answers, one.n)
        )
    columns = (
        "rubric",
        "condition",
        "judge",
        "scale",
        "mean",
        "lowest seed",
        "highest seed",
        "seeds",
        "answers",
        "ratings",
    )
    return Table("ratings", "Ratings", columns, tuple(rows))


def _tabulate_ranking(one: "Ranking") -> "Table":
    from genagents_env.report.judging import format_judge
    from genagents_env.report.table import Table, format_cell

    rows: list[tuple[CellValue, ...]] = [
        (k, s.name, s.mu, s.low, s.high, one.mean_ranks.get(s.name), s.wins, s.losses, s.ties)
        for k, s in enumerate(one.skills, 1)
    ]
    columns = ("", "condition", "skill", "low", "high", "mean rank", "wins", "losses", "ties")
    where = f", {one.block}" if one.block else ""
    title = f"Ranked by {format_judge(one.judge, one.by)}, {one.rubric}{where}"
    note = f"{one.n} comparisons."
    if one.both:
        note += (
            f" Of {one.both} pairs read in both orders {one.flipped} got another verdict in the "
            f"other (position bias {format_cell(one.position_bias)})."
        )
    return Table("ranking", title, columns, tuple(rows), note)


def _tabulate_agreements(found: "Iterable[JudgeAgreement]") -> "Table":
    from genagents_env.report.table import Table

    rows: list[tuple[CellValue, ...]] = []
    for one in found:
        judges = (
            f"{one.judges[0]}, its repeats" if one.sort == "itself" else " and ".join(one.judges)
        )
        rows.append(
            (
                one.of,
                judges,
                one.statistic,
                one.value,
                one.low,
                one.high,
                one.n,
                one.agreed,
                one.note,
            )
        )
    columns = ("of", "judges", "statistic", "value", "low", "high", "n", "share alike", "note")
    return Table("agreement", "Agreement", columns, tuple(rows))
