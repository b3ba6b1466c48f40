"""Judgements of a sweep's runs, as tables."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError, RecordError
from genagents_env.judge.summary import (
    JudgeAgreement,
    Ranking,
    Score,
    measure_agreement,
    rank_conditions,
    score_conditions,
)
from genagents_env.judge.verdicts import Verdicts
from genagents_env.report.table import CellValue, Table
from genagents_env.report.trial import MeasuredTrial
from genagents_env.stats import compute_interval


def tabulate_judgements(path: Path, runs: Sequence[MeasuredTrial]) -> tuple[tuple[Table, ...], str]:
    """Return the tables that have a row, and why others could not be made.

    Args:
        path: of the verdicts; there need not be any.
        runs: finished ones give the rules' verdicts, with which judges are compared.
    """
    if not path.is_file() and not any(run.verdicts for run in runs):
        return (), ""
    try:
        given = list(Verdicts(path))
    except RecordError as error:
        return (), f"What judges said is left out: {error}"
    checks = {run.trial: run.verdicts for run in runs if run.counted and run.verdicts}
    tables, faults = [], []
    makers: tuple[Callable[[], Table], ...] = (
        lambda: _tabulate_ratings(score_conditions(given)),
        lambda: _tabulate_rankings(rank_conditions(given)),
        lambda: _tabulate_agreements(measure_agreement(given, checks)),
    )
    for make in makers:
        try:
            tables.append(make())
        except ConfigError as error:
            faults.append(f"Some of what judges said is left out: {error}")
    return tuple(table for table in tables if table.rows), next(iter(faults), "")


def _tabulate_ratings(scores: Iterable[Score]) -> Table:
    rows = tuple(
        (
            *(
                one.rubric,
                one.condition,
                format_judge(one.judge, one.by),
                f"{one.low} to {one.high}",
            ),
            compute_interval(list(one.seeds.values())) if one.seeds else None,
            *(one.answers, one.n, one.unusable),
        )
        for one in scores
    )
    columns = (
        *("rubric", "condition", "judge", "scale", "mean over seeds [95 % interval]"),
        *("answers", "ratings", "unusable"),
    )
    note = "Repeats of one answer are averaged first, then the answers of each seed."
    return Table("ratings", "Ratings", columns, rows, note)


def _tabulate_rankings(found: Iterable[Ranking]) -> Table:
    rows: list[tuple[CellValue, ...]] = []
    for one in found:
        for skill in one.skills:
            rank = one.mean_ranks.get(skill.name)
            rows.append(
                (
                    *(one.rubric, format_judge(one.judge, one.by), one.block, skill.name),
                    *(skill.mu, skill.low, skill.high, skill.wins, skill.losses, skill.ties),
                    *(rank, one.position_bias, one.first_read),
                )
            )
    columns = (
        *("rubric", "judge", "block", "condition", "skill", "low", "high", "wins", "losses"),
        *("ties", "mean rank", "verdicts that flip with the order", "won by the one read first"),
    )
    note = "Skills from pairwise comparisons; two whose intervals overlap are not told apart."
    return Table("rankings", "Rankings", columns, tuple(rows), note)


def _tabulate_agreements(found: Iterable[JudgeAgreement]) -> Table:
    rows = tuple(
        (
            *(one.of, f"with {one.sort}", ", ".join(one.judges), one.statistic, one.value),
            *(one.low, one.high, one.n, one.agreed, one.note),
        )
        for one in found
    )
    columns = (
        *("of", "agreement", "judges", "statistic", "value", "low", "high", "n"),
        *("share alike", "note"),
    )
    return Table("judges_agreement", "Agreement of judges", columns, rows)


def format_judge(name: str, by: str) -> str:
    """Return a judge's name; a person's says so."""
    return f"{name} (human)" if by == "human" else name
