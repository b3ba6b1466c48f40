"""What judges said as tables, of a sweep's runs or of any, for the page and the terminal."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from genagents_env.errors import ConfigError, FileError, RecordError
from genagents_env.files import find_inside
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.checks import Verdict, find_verdicts
from genagents_env.study.judge.agreement import JudgeAgreement, measure_agreement
from genagents_env.study.judge.rankings import Ranking, rank_conditions
from genagents_env.study.judge.scores import Score, score_conditions
from genagents_env.study.judge.verdicts import Judgement, Verdicts, format_judge
from genagents_env.study.report.study_runs import StudyRun
from genagents_env.study.report.table import CellValue, Table
from genagents_env.study.stats import compute_interval

VERDICTS = "verdicts.jsonl"


@dataclass(frozen=True, slots=True)
class JudgementSummary:
    """What verdicts come to.

    Attributes:
        ratings: by rubric, judge and condition.
        rankings: of conditions, from comparisons.
        agreements: of judges.
        fault: why rankings and agreements are left out; empty where they are not.
    """

    ratings: tuple[Score, ...]
    rankings: tuple[Ranking, ...] = ()
    agreements: tuple[JudgeAgreement, ...] = ()
    fault: str = ""

    def list_tables(self) -> Iterator[Table]:
        """Yield the tables that have a row."""
        tables = (
            _tabulate_ratings(self.ratings),
            _tabulate_rankings(self.rankings),
            _tabulate_agreements(self.agreements),
        )
        return (table for table in tables if table.rows)

    def as_json(self) -> dict[str, JSON]:
        """Return everything as JSON values."""
        rankings = [asdict(one) | {"position_bias": one.position_bias} for one in self.rankings]
        return {
            "ratings": list(map(asdict, self.ratings)),
            "rankings": rankings,
            "agreements": list(map(asdict, self.agreements)),
        }


def summarise_judgements(
    given: Sequence[Judgement], checks: Mapping[str, Sequence[Verdict]]
) -> JudgementSummary:
    """Return what verdicts come to; without the extra `lab` the ratings alone, and why.

    Args:
        given: by a rubric.
        checks: by run, the verdicts on the checks of its scenario.
    """
    ratings = score_conditions(given)
    try:
        return JudgementSummary(ratings, rank_conditions(given), measure_agreement(given, checks))
    except ConfigError as error:
        return JudgementSummary(ratings, fault=f"rankings and agreement are left out: {error}")


def read_judgements(folder: Path, runs: Iterable[StudyRun]) -> tuple[list[Judgement], str]:
    """Return what judges said of these runs, and what is left out: all of it, or that on others."""
    path = folder / VERDICTS
    if not os.path.lexists(path):
        return [], ""
    files = {run.file.stem for run in runs if run.measured is not None}
    try:
        given = list(Verdicts(find_inside(folder, VERDICTS)))
    except (FileError, RecordError) as error:
        return [], f"What judges said is left out: {error}"
    mine = [one for one in given if files.issuperset(one.runs)]
    lost = len(given) - len(mine)
    told = f"Left out: {lost:,} of what judges said, on runs that this study has no more."
    return mine, told if lost else ""


def tabulate_judgements(
    given: Sequence[Judgement], runs: Iterable[StudyRun]
) -> tuple[tuple[Table, ...], str]:
    """Return the tables that have a row, and why others could not be made.

    Args:
        given: what judges said of `runs`.
        runs: those that count in no mean do so in no table; the others give the rules' verdicts,
            with which judges are compared.
    """
    counted = {run.file.stem: run.file for run in runs if run.counted}
    mine = [one for one in given if counted.keys() >= set(one.runs)]
    files = {name: path for name, path in counted.items() if mine and path.is_file()}
    try:
        found = summarise_judgements(mine, read_check_verdicts(files))
    except RecordError as error:
        return (), f"What judges said is left out: {error}"
    return tuple(found.list_tables()), found.fault and f"Of what judges said {found.fault}"


def read_check_verdicts(files: Mapping[str, Path]) -> dict[str, Sequence[Verdict]]:
    """Return the verdicts on the scenarios' checks of the runs that a model judged by these."""
    found: dict[str, Sequence[Verdict]] = {}
    for run, path in files.items():
        with RunReader(path) as reader:
            if reader.judgements():
                found[run] = find_verdicts(reader)
    return found


def _tabulate_ratings(scores: Iterable[Score]) -> Table:
    rows = tuple(
        (
            *(one.rubric, one.condition, format_judge(one.by, one.judge)),
            f"{one.low} to {one.high}",
            compute_interval(list(one.seeds.values())) if one.seeds else None,
            *(one.answers, one.n, one.copied, one.unusable),
        )
        for one in scores
    )
    columns = (
        *("rubric", "condition", "judge", "scale", "mean over seeds [95 % interval]"),
        *("answers", "ratings", "copied", "unusable"),
    )
    note = (
        "Repeats of one answer are averaged first, then the answers of each seed. Copied are those "
        "given to the very same words elsewhere, which were asked for once."
    )
    return Table("ratings", "Ratings", columns, rows, note)


def _tabulate_rankings(found: Iterable[Ranking]) -> Table:
    rows: list[tuple[CellValue, ...]] = []
    for one in found:
        for skill in one.skills:
            rank = one.mean_ranks.get(skill.name)
            rows.append(
                (
                    *(one.rubric, format_judge(one.by, one.judge), one.block, skill.name),
                    *(skill.mu, skill.low, skill.high, skill.wins, skill.losses, skill.ties),
                    *(rank, one.position_bias, one.first_read),
                )
            )
    columns = (
        *("rubric", "judge", "block", "condition", "skill", "low", "high", "wins", "losses"),
        *("ties", "mean rank", "verdicts that flip with the order", "won by the one read first"),
    )
    note = (
        "Skills from pairwise comparisons, those of two conditions in the very same words counted "
        "once; two whose intervals overlap are not told apart."
    )
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
