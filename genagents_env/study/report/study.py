"""The results of a study: its runs, the tidy table of their values, and the effects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import fmean

from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.measure import Measure, belongs_to, find_range
from genagents_env.study.judge.scores import JUDGE, score_conditions
from genagents_env.study.judge.verdicts import Judgement
from genagents_env.study.report.judging import Judged
from genagents_env.study.report.sentences import EXCLUDED, find_cautions, write_headlines
from genagents_env.study.report.table import CellValue, Table, format_count, format_number
from genagents_env.study.stats.effects import (
    PRIMARY,
    Cell,
    Contrast,
    Effect,
    compute_effect,
    correct_family,
    find_detectable,
    list_contrasts,
    weigh_cells,
)
from genagents_env.study.sweep.lives import EqualLives, count_equal_lives
from genagents_env.study.sweep.trial_status import StudyRun

CELL = "condition"  # the one factor of a study that does not run every combination
_NOT_TOLD = ("contrast", "numbers", "changes", "times")  # of an effect, in JSON
# Only the order of reading: a measure that is not here stands under "other".
_OTHER = "other"
_GROUPS: Mapping[str, str] = {
    "diffusion": "verified heard density acquainted came hallucinated success received stored "
    "retrieved changed",
    "conversation": "conversation_seconds conversations utterances words turns turn_balance "
    "partners reciprocity clustering distinct_2 lexical_diversity self_repetition echo",
    "time and places": "adherence place_entropy together",
    "failures": "unusual_places declined formality broken_norms fallbacks policy_errors",
    "cost": "calls_per_hour tokens_per_hour dollars_per_hour dollars_per_human_hour wall_seconds",
}


@dataclass(frozen=True)
class StudyPlan:
    """What a study asks and how it is laid out.

    Attributes:
        name: of the experiment.
        question: may be empty.
        text: of the experiment file.
        levels: labels by factor; of a study that lists its cells, one factor of these.
        seeds: of each condition.
        baseline: the level with which others are compared, by factor.
        primary: measure and effect of each entry of `primary`; an effect may be empty.
        changes: that the command line made to the file, see `study.sweep.design.experiment`.
    """

    name: str
    question: str
    text: str
    levels: Mapping[str, Sequence[str]]
    seeds: tuple[int, ...]
    baseline: Mapping[str, str] = field(default_factory=dict)
    primary: tuple[tuple[str, str], ...] = ()
    changes: Mapping[str, JSON] = field(default_factory=dict)

    def is_primary(self, name: str, one: Contrast) -> bool:
        """Return whether a comparison of this value is one by which the question is decided."""
        return any(
            belongs_to(name, words) and effect in ("", one.factor) for words, effect in self.primary
        )


def find_group(measure: str) -> str:
    """Return what a measure is about, by its name with or without a key."""
    stem = measure.partition(".")[0]
    return next((group for group, names in _GROUPS.items() if stem in names.split()), _OTHER)


@dataclass(frozen=True, slots=True)
class TidyRow:
    """One value of one run.

    Attributes:
        run: the name of its trial.
        seed: of the episode.
        life: hash of all that happened and was answered; empty of runs that are not finished.
        levels: the label of each factor's level, in the order of the study.
        measure: its name; empty in the one row of a run that is not finished.
        key: where the measure has several numbers.
        value: None where there is none; `why` then says why not.
        censored: the run ended before the event: the value is the time up to then.
        why: see `study.evaluate.measure.MeasuredValue`; `excluded` of degraded runs, or the state
            of one that is not finished. Empty of a plain number.
    """

    run: str
    seed: int
    life: str
    levels: tuple[str, ...]
    measure: str
    key: str
    value: float | None
    censored: bool
    why: str

    @property
    def cells(self) -> tuple[CellValue, ...]:
        """Its cells in a table, see `StudyResults.value_columns`."""
        head: tuple[CellValue, ...] = (self.run, self.seed, self.life, *self.levels)
        return (*head, self.measure, self.key, self.value, self.censored, self.why)

    @property
    def name(self) -> str:
        """Measure and key in one: `heard.party`."""
        return f"{self.measure}.{self.key}" if self.key else self.measure


def make_rows(runs: Iterable[StudyRun], given: Iterable[Judgement]) -> Iterator[TidyRow]:
    """Yield the tidy table: a row for each value of each finished run, one for each other run.

    Args:
        runs: of the study.
        given: what judges said of them.
    """
    judged = _average_ratings(given)
    for run in runs:
        head = run.name, run.seed, run.measured.life if run.measured else "", run.condition.levels
        if run.measured is None:
            yield TidyRow(*head, "", "", None, False, run.state)
            continue
        out = EXCLUDED if run.excluded else ""
        for one in run.measured.values:
            found = one.value
            yield TidyRow(
                *head, one.measure, one.key, found.number, found.censored, out or found.why
            )
        for rubric, score in judged.get((run.condition.name, run.seed), {}).items():
            yield TidyRow(*head, JUDGE, rubric, score, False, out)


def _average_ratings(given: Iterable[Judgement]) -> dict[tuple[str, int], dict[str, float]]:
    """Return the mean rating by rubric of each condition and seed, all judges together."""
    found: dict[tuple[str, int], dict[str, list[float]]] = {}
    for one in score_conditions(given):
        for seed, mean in one.seeds.items():
            found.setdefault((one.condition, seed), {}).setdefault(one.rubric, []).append(mean)
    return {at: {rubric: fmean(own[rubric]) for rubric in own} for at, own in found.items()}


@dataclass(frozen=True)
class StudyResults:
    """All that the report of a study shows.

    Attributes:
        folder: of the sweep; of run files the working directory.
        plan: what it asks; of run files it has no text and no levels.
        runs: every one, in the order of the sweep.
        rows: the tidy table.
        measures: that were taken.
        versions: of this package and of the libraries that made the report.
        tables: further ones: of what judges said, of run files what they cost.
        summaries: of run files, what each came to and who said what, line by line.
        judged: what judges said of the runs.
        remarks: further cautions.
        faults: what is left out of it and why, a sentence each, which a terminal shows, too.
    """

    folder: Path
    plan: StudyPlan
    runs: tuple[StudyRun, ...]
    rows: tuple[TidyRow, ...]
    measures: tuple[Measure, ...]
    versions: Mapping[str, str]
    tables: tuple[Table, ...] = ()
    summaries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    judged: Judged = Judged()  # noqa: RUF009 (frozen)
    remarks: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def is_of_files(self) -> bool:
        """Whether it is of run files, and asks nothing."""
        return bool(self.summaries)

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """What was found, a sentence each; every one follows from the tables below it."""
        return tuple(write_headlines(self))

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Cautions for the reader, a sentence each."""
        return (*find_cautions(self), *self.remarks, *self.faults)

    @property
    def problems(self) -> tuple[str, ...]:
        """For a terminal: damaged runs, and other faults."""
        damaged = (run for run in self.runs if run.state == "damaged")
        told = (f"{run.name} is left out: {run.problem}" for run in damaged)
        return (*told, *self.faults)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the values, the primary ones first, the others group by group."""
        groups, names = [*_GROUPS, _OTHER], dict.fromkeys(row.name for row in self.rows)
        rest = [name for name in names if name and name not in self.primary]
        return (*self.primary, *sorted(rest, key=lambda name: groups.index(find_group(name))))

    @cached_property
    def primary(self) -> tuple[str, ...]:
        """The names of the values by which the question is decided."""
        names = dict.fromkeys(row.name for row in self.rows if row.measure)
        wanted = (n for words, _ in self.plan.primary for n in names if belongs_to(n, words))
        return tuple(dict.fromkeys(wanted))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """Every effect, the primary ones first."""
        plan, cut = self.plan, self._find_cut()
        comparisons = list(list_contrasts(plan.levels, plan.baseline)) if plan.levels else []
        main: list[Effect] = []
        rest: list[Effect] = []
        for name, one in product(self.names, comparisons):
            is_main = plan.is_primary(name, one)
            if one.is_interaction and not is_main:
                continue
            values = self.values_to_compare(name, one)
            found = compute_effect(name, values, plan.levels, one, cut.get(name, ()))
            if found is not None:
                (main if is_main else rest).append(found)
        return (*correct_family(main), *rest)

    def _find_cut(self) -> dict[str, set[tuple[Cell, int]]]:
        """Return the runs that ended before the event of a measure, by its name."""
        counted = {run.name for run in self.runs if run.counted}
        cut: dict[str, set[tuple[Cell, int]]] = {}
        for row in self.rows:
            if row.censored and row.run in counted:
                cut.setdefault(row.name, set()).add((row.levels, row.seed))
        return cut

    @cached_property
    def equal(self) -> tuple[EqualLives, ...]:
        """Levels of which some runs led the same life."""
        done = ((run, run.measured) for run in self.runs if run.measured)
        lives = {(run.condition.levels, run.seed): found.life for run, found in done}
        return tuple(count_equal_lives(self.plan.levels, lives))

    @property
    def conditions(self) -> dict[str, list[StudyRun]]:
        """The runs of each condition, by its name."""
        found: dict[str, list[StudyRun]] = {}
        for run in self.runs:
            found.setdefault(run.condition.name, []).append(run)
        return found

    @property
    def excluded(self) -> int:
        """How many finished runs are in no mean: they are degraded."""
        return sum(run.excluded for run in self.runs)

    @property
    def exclusion_note(self) -> str:
        """A sentence on the excluded runs, to stand beside means and figures; empty without."""
        if not self.excluded:
            return ""
        are = "is" if self.excluded == 1 else "are"
        return f" {format_count(self.excluded, 'finished run')} {are} left out: degraded."

    def count(self, state: str) -> int:
        """Return how many runs are in this state."""
        return sum(run.state == state for run in self.runs)

    def measure_of(self, name: str) -> Measure:
        """Return the measure of a value, by its name with or without a key."""
        stem = name.partition(".")[0]
        other = Measure(stem, "Rating" if stem == JUDGE else stem, "", "", "", lambda _: None)
        return next((one for one in self.measures if one.name == stem), other)

    def title_of(self, name: str) -> str:
        """Return the title of a value, with its key behind it."""
        title, key = self.measure_of(name).title, name.partition(".")[2]
        return f"{title}: {key}" if key else title

    def range_of(self, name: str) -> tuple[float, float]:
        """Return the least and the most that a value can be."""
        scales = ((one.low, one.high) for one in self.judged.ratings if name == one.measure)
        return next(scales, find_range(self.measure_of(name).unit))

    def values_of(self, name: str) -> dict[str, dict[int, float]]:
        """Return the numbers of a value that count, by condition and seed."""
        return self._numbers.get(name, {})

    def values_to_compare(self, name: str, one: Contrast) -> dict[Cell, dict[int, float]]:
        """Return the numbers of a comparison, by levels and seed.

        Of seeds that judges read alike only the first counts.
        """
        same = self.list_repeated(name, one)
        return {
            self._cells[label]: {seed: number for seed, number in own.items() if seed not in same}
            for label, own in self.values_of(name).items()
        }

    def list_repeated(self, name: str, one: Contrast) -> frozenset[int]:
        """Return the seeds whose ratings a comparison leaves out; none of what is no rating."""
        if name not in self.judged.copies:
            return frozenset()
        values = {self._cells[label]: own for label, own in self.values_of(name).items()}
        compared = weigh_cells(values, self.plan.levels, one)
        labels = [label for label, cell in self._cells.items() if cell in compared]
        return self.judged.copies[name].list_repeated(labels)

    @cached_property
    def _cells(self) -> dict[str, Cell]:
        return {run.condition.name: run.condition.levels for run in self.runs}

    @cached_property
    def _numbers(self) -> dict[str, dict[str, dict[int, float]]]:
        conditions = {run.name: run.condition.name for run in self.runs if run.counted}
        found: dict[str, dict[str, dict[int, float]]] = {}
        for row in self.rows:
            if row.value is not None and row.run in conditions:
                own = found.setdefault(row.name, {}).setdefault(conditions[row.run], {})
                own[row.seed] = row.value
        return found

    def describe_power(self) -> Iterator[str]:
        """Yield what the study could find with all its seeds, by the spread of those that ran."""
        tests = sum(one.family == PRIMARY for one in self.effects)
        for one in self.effects[:tests]:
            least = find_detectable(one.numbers, len(self.plan.seeds), tests)
            if least is not None:
                yield (
                    f"{self.title_of(one.measure)}, {one.contrast.text}: by the spread of "
                    f"{one.n} seeds, {len(self.plan.seeds)} would find a difference of "
                    f"{format_number(least)} in 80 of 100 studies"
                )

    @property
    def value_columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        levels = self.plan.levels
        return ("run", "seed", "life", *levels, "measure", "key", "value", "censored", "why")

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, the tidy table among them."""
        rows = [dict(zip(self.value_columns, row.cells, strict=True)) for row in self.rows]
        return {**self.describe(), "values": rows}

    def describe(self) -> dict[str, JSON]:
        """Return it as JSON values without the tidy table, which has files of its own."""
        return {
            "name": self.plan.name,
            "question": self.plan.question,
            "found": list(self.headlines),
            "factors": {name: list(labels) for name, labels in self.plan.levels.items()},
            "seeds": list(self.plan.seeds),
            "baseline": dict(self.plan.baseline),
            "primary": list(self.primary),
            "cautions": list(self.cautions),
            "measures": [one.as_json() for one in self.measures],
            "effects": [_effect_as_json(one) for one in self.effects],
            "equal_lives": [asdict(one) for one in self.equal],
            "runs": [_run_as_json(run) for run in self.runs],
            "versions": dict(self.versions),
        }


def _effect_as_json(one: Effect) -> dict[str, JSON]:
    """Return an effect as JSON values, its levels as text."""
    told = {key: value for key, value in asdict(one).items() if key not in _NOT_TOLD}
    first, second = " / ".join(one.contrast.first), " / ".join(one.contrast.second)
    head = {"effect": one.contrast.factor, "first": first, "second": second}
    return {"measure": told.pop("measure"), **head, **told}


def _run_as_json(run: StudyRun) -> dict[str, JSON]:
    """Return a run as JSON values, without its values."""
    found = run.measured
    told: dict[str, JSON] = {
        "run": run.name,
        "condition": run.condition.name,
        "seed": run.seed,
        "state": run.state,
        "status": run.status,
        "problem": run.problem,
        "identity": run.identity,
        "excluded": run.excluded,
        "earlier": run.earlier,
    }
    if found is None:
        return told
    return told | {
        "canonical_hash": found.hash,
        "life": found.life,
        "hours": found.hours,
        "degraded": list(found.degradation.describe()),
        "unmeasured": list(found.faults),
        "versions": dict(found.versions),
        **asdict(found.usage),
    }
