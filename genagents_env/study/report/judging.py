"""Judgements as tables: of a sweep's runs for its page, of any for the terminal."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError, FileError, RecordError
from genagents_env.files import find_inside
from genagents_env.record import RunReader
from genagents_env.study.evaluate.checks import Verdict, find_verdicts
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.judge.summary import (
    JudgeAgreement,
    Ranking,
    Score,
    measure_agreement,
    rank_conditions,
    score_conditions,
)
from genagents_env.study.judge.verdicts import Verdicts
from genagents_env.study.report.study_runs import StudyRun
from genagents_env.study.report.table import CellValue, Table, format_cell
from genagents_env.study.stats import compute_interval


def tabulate_judgements(path: Path, runs: Sequence[StudyRun]) -> tuple[tuple[Table, ...], str]:
    """Return the tables that have a row, and why others could not be made.

    Args:
        path: of the verdicts; there need not be any.
        runs: of those judges by whom there are verdicts, finished ones give the rules' verdicts,
            with which judges are compared.
    """
    if not os.path.lexists(path):
        return (), ""
    try:
        given = list(Verdicts(find_inside(path.parent, path.name)))
        checks = _read_check_verdicts(runs)
    except (FileError, RecordError) as error:
        return (), f"What judges said is left out: {error}"
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


def _read_check_verdicts(runs: Sequence[StudyRun]) -> dict[str, tuple[Verdict, ...]]:
    found = {}
    for run in runs:
        if run.counted and run.file.is_file():
            with RunReader(run.file) as reader:
                found[run.name] = tuple(find_verdicts(RunData(reader)))
    return {name: verdicts for name, verdicts in found.items() if verdicts}


def _tabulate_ratings(scores: Iterable[Score]) -> Table:
    rows = tuple(
        (
            *(
                one.rubric,
                one.condition,
                _format_judge(one.judge, one.by),
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
                    *(one.rubric, _format_judge(one.judge, one.by), one.block, skill.name),
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


def tabulate_for_terminal(
    scores: Iterable[Score], rankings: Iterable[Ranking], agreements: Iterable[JudgeAgreement]
) -> Iterator[Table]:
    """Yield the tables that have a row, narrow ones without intervals over seeds."""
    for table in (
        _list_ratings(scores),
        *map(_list_ranking, rankings),
        _list_agreements(agreements),
    ):
        if table.rows:
            yield table


def _list_ratings(scores: Iterable[Score]) -> Table:
    rows: list[tuple[CellValue, ...]] = []
    for one in scores:
        judge = _format_judge(one.judge, one.by)
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


def _list_ranking(one: Ranking) -> Table:
    rows: list[tuple[CellValue, ...]] = [
        (k, s.name, s.mu, s.low, s.high, one.mean_ranks.get(s.name), s.wins, s.losses, s.ties)
        for k, s in enumerate(one.skills, 1)
    ]
    columns = ("", "condition", "skill", "low", "high", "mean rank", "wins", "losses", "ties")
    where = f", {one.block}" if one.block else ""
    title = f"Ranked by {_format_judge(one.judge, one.by)}, {one.rubric}{where}"
    note = f"{one.n} comparisons."
    if one.both:
        note += (
            f" Of {one.both} pairs read in both orders {one.flipped} got another verdict in the "
            f"other (position bias {format_cell(one.position_bias)})."
        )
    return Table("ranking", title, columns, tuple(rows), note)


def _list_agreements(found: Iterable[JudgeAgreement]) -> Table:
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


def _format_judge(name: str, by: str) -> str:
    """Return a judge's name; a person's says so."""
    return f"{name} (human)" if by == "human" else name
