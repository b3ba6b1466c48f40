"""What judges said as tables, of a sweep's runs or of any, for the page and the terminal."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from genagents_env.errors import ConfigError, FileError, RecordError
from genagents_env.files import find_inside
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.checks import Verdict, find_verdicts
from genagents_env.study.judge.agreement import JudgeAgreement, measure_agreement
from genagents_env.study.judge.rankings import Ranking, rank_conditions
from genagents_env.study.judge.scores import Copies, Score, count_copies, score_conditions
from genagents_env.study.judge.verdicts import VERDICTS, Judgement, Verdicts, format_judge
from genagents_env.study.report.table import Table
from genagents_env.study.stats.intervals import compute_interval
from genagents_env.study.sweep.trial_status import StudyRun


@dataclass(frozen=True, slots=True)
class Judged:
    """What judges said of some runs, and what it comes to.

    Attributes:
        given: all of it.
        ratings: by rubric, judge and condition; like all below, of the runs that count.
        rankings: of conditions, from comparisons.
        agreements: of judges.
        copies: by the measure of a rating, how much of it was read once for several runs.
        faults: what is left out and why, a sentence each.
    """

    given: tuple[Judgement, ...] = ()
    ratings: tuple[Score, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    agreements: tuple[JudgeAgreement, ...] = ()
    copies: Mapping[str, Copies] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def list_tables(self) -> Iterator[Table]:
        """Yield the tables that have a row."""
        tables = (
            _tabulate_ratings(self.ratings),
            _tabulate_rankings(self.rankings),
            _tabulate_agreements(self.agreements),
        )
        return (table for table in tables if table.rows)

    def as_json(self) -> dict[str, JSON]:
        """Return what it comes to as JSON values."""
        rankings = [asdict(one) | {"position_bias": one.position_bias} for one in self.rankings]
        return {
            "ratings": list(map(asdict, self.ratings)),
            "rankings": rankings,
            "agreements": list(map(asdict, self.agreements)),
        }


def read_judgements(folder: Path, runs: Iterable[StudyRun]) -> Judged:
    """Return what judges said of these runs; what cannot be read becomes a fault."""
    if not os.path.lexists(folder / VERDICTS):
        return Judged()
    finished = {run.file.stem: run for run in runs if run.measured is not None}
    counted = {name: run.file for name, run in finished.items() if run.counted}
    try:
        every = tuple(Verdicts(find_inside(folder, VERDICTS)))
        named = {name: run.condition.name for name, run in finished.items()}
        given = tuple(label_anew((one for one in every if named.keys() >= set(one.runs)), named))
        mine = [one for one in given if counted.keys() >= set(one.runs)]
        checked = {name: path for name, path in counted.items() if mine and path.is_file()}
        found = sum_judgements(mine, checked)
    except (FileError, RecordError) as error:
        return Judged(faults=(f"What judges said is left out: {error}",))
    lost = len(every) - len(given)
    told = f"Left out: {lost:,} of what judges said, on runs that this study has no more."
    return replace(found, given=given, faults=(*([told] if lost else []), *found.faults))


def label_anew(given: Iterable[Judgement], named: Mapping[str, str]) -> list[Judgement]:
    """Return verdicts with the conditions that these runs have by now; others keep theirs."""
    return [
        replace(one, conditions=tuple(map(named.get, one.runs, one.conditions))) for one in given
    ]


def sum_judgements(given: Sequence[Judgement], files: Mapping[str, Path]) -> Judged:
    """Return what verdicts come to; without the extra `lab` the ratings alone, and why.

    Args:
        given: by a rubric.
        files: run files by name; where a model judged one by the checks of its scenario, it is held
            against their rules.

    Raises:
        RecordError: a run file cannot be read.
    """
    found = Judged(tuple(given), score_conditions(given), copies=count_copies(given))
    checks = dict(_read_checks(files))
    try:
        ranked, agreed = rank_conditions(given), measure_agreement(given, checks)
    except ConfigError as error:
        return replace(found, faults=(f"Rankings and agreement of judges are left out: {error}",))
    return replace(found, rankings=ranked, agreements=agreed)


def _read_checks(files: Mapping[str, Path]) -> Iterator[tuple[str, Sequence[Verdict]]]:
    """Yield the verdicts on the scenarios' checks of the runs that a model judged by these."""
    for run, path in files.items():
        with RunReader(path) as reader:
            if reader.judgements():
                yield run, find_verdicts(reader)


def _tabulate_ratings(scores: Iterable[Score]) -> Table:
    rows = tuple(
        (
            *(one.rubric, one.condition, format_judge(one.by, one.judge)),
            f"{one.low} to {one.high}",
            compute_interval(list(one.seeds.values()), (one.low, one.high)) if one.seeds else None,
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
        "given to the very same words elsewhere, which were asked for once. As a measure, "
        "`judge.RUBRIC` of a run is the mean of all who rated it, each with the same weight; so "
        "who rated which runs counts in it."
    )
    return Table("ratings", "Ratings", columns, rows, note)


def _tabulate_rankings(found: Iterable[Ranking]) -> Table:
    rows = tuple(
        (
            *(one.rubric, format_judge(one.by, one.judge), one.block, skill.name),
            *(skill.mu, skill.low, skill.high, skill.wins, skill.losses, skill.ties),
            *(one.mean_ranks.get(skill.name), one.position_bias, one.first_read),
        )
        for one in found
        for skill in one.skills
    )
    columns = (
        *("rubric", "judge", "block", "condition", "skill", "low", "high", "wins", "losses"),
        *("ties", "mean rank", "verdicts that flip with the order", "won by the one read first"),
    )
    note = (
        "Skills from pairwise comparisons, those of two conditions in the very same words counted "
        "once; two whose intervals overlap are not told apart."
    )
    return Table("rankings", "Rankings", columns, rows, note)


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
