"""The results of a study: its runs, the tidy table of their values, and the effects."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path

from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.measure import Measure, belongs_to, find_range
from genagents_env.study.judge.scores import JUDGE
from genagents_env.study.report.cautions import find_study_cautions
from genagents_env.study.report.headlines import write_headlines
from genagents_env.study.report.judging import Judged
from genagents_env.study.report.study_runs import TidyRow, order_measures
from genagents_env.study.report.table import Table, format_count, format_number
from genagents_env.study.report.untested import LevelPair, describe_idle, find_untested
from genagents_env.study.stats import (
    Contrast,
    Effect,
    Survival,
    compare_times,
    compute_effect,
    correct_family,
    find_detectable,
    list_contrasts,
    list_numbers,
)
from genagents_env.study.stats.effects import PRIMARY, Cell, CellValues, weigh_cells
from genagents_env.study.sweep.lives import EqualLives, count_equal_lives
from genagents_env.study.sweep.trial_status import StudyRun

CELL = "condition"  # the one factor of a study that does not run every combination


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
    def title(self) -> str:
        """The name of the experiment."""
        return self.plan.name

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
        found = (*find_study_cautions(self), *describe_idle(self.conditions))
        return (*found, *self.remarks, *self.faults)

    @property
    def problems(self) -> tuple[str, ...]:
        """For a terminal: damaged runs, and other faults."""
        damaged = (run for run in self.runs if run.state == "damaged")
        told = (f"{run.name} is left out: {run.problem}" for run in damaged)
        return (*told, *self.faults)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the values, the primary ones first."""
        return order_measures([row.name for row in self.rows if row.measure], self.primary)

    @cached_property
    def primary(self) -> tuple[str, ...]:
        """The names of the values by which the question is decided."""
        names = dict.fromkeys(row.name for row in self.rows if row.measure)
        wanted = (n for words, _ in self.plan.primary for n in names if belongs_to(n, words))
        return tuple(dict.fromkeys(wanted))

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Every effect, the primary ones first."""
        return self._effects_and_times[0]

    @property
    def times(self) -> Mapping[tuple[str, Contrast], Survival]:
        """Of the effects on times that some runs did not see, what is known beside the mean."""
        return self._effects_and_times[1]

    @cached_property
    def equal(self) -> tuple[EqualLives, ...]:
        """Levels of which some runs led the same life."""
        done = ((run, run.measured) for run in self.runs if run.measured)
        lives = {(run.condition.levels, run.seed): found.life for run, found in done}
        return tuple(count_equal_lives(self.plan.levels, lives))

    def why_untested(self, one: Contrast) -> str:
        """Return why a comparison says nothing; empty where it says something."""
        return self._untested.get((one.factor, frozenset((*one.first, *one.second))), "")

    @cached_property
    def _untested(self) -> Mapping[LevelPair, str]:
        return find_untested(self.plan.levels, self.runs)

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

    def find_measure(self, name: str) -> Measure | None:
        """Return the measure of a value, by its name with or without a key."""
        stem = name.partition(".")[0]
        return next((one for one in self.measures if one.name == stem), None)

    def title_of(self, name: str) -> str:
        """Return the title of a value, with its key behind it."""
        found, (stem, _, key) = self.find_measure(name), name.partition(".")
        title = found.title if found is not None else "Rating" if stem == JUDGE else stem
        return f"{title}: {key}" if key else title

    def unit_of(self, name: str) -> str:
        """Return the unit of a value."""
        found = self.find_measure(name)
        return "" if found is None else found.unit

    def range_of(self, name: str) -> tuple[float, float]:
        """Return the least and the most that a value can be."""
        scales = ((one.low, one.high) for one in self.judged.ratings if name == one.measure)
        return next(scales, find_range(self.unit_of(name)))

    def values_of(self, name: str) -> dict[str, dict[int, float]]:
        """Return the numbers of a value that count, by condition and seed."""
        return self._numbers.get(name, {})

    def values_to_compare(self, name: str, one: Contrast) -> dict[Cell, dict[int, float]]:
        """Return the numbers of a comparison, by levels and seed.

        Of seeds that judges read alike only the first counts.
        """
        values, same = self._list_cells(name), self.list_repeated(name, one)
        return {
            cell: {seed: number for seed, number in own.items() if seed not in same}
            for cell, own in values.items()
        }

    def list_repeated(self, name: str, one: Contrast) -> frozenset[int]:
        """Return the seeds whose ratings a comparison leaves out; none of what is no rating."""
        if name not in self.judged.copies:
            return frozenset()
        compared = weigh_cells(self._list_cells(name), self.plan.levels, one)
        names = {run.condition.levels: run.condition.name for run in self.runs}
        return self.judged.copies[name].list_repeated([names[cell] for cell in compared])

    def _list_cells(self, name: str) -> dict[Cell, dict[int, float]]:
        levels = {run.condition.name: run.condition.levels for run in self.runs}
        return {levels[label]: own for label, own in self.values_of(name).items()}

    @cached_property
    def _numbers(self) -> dict[str, dict[str, dict[int, float]]]:
        conditions = {run.name: run.condition.name for run in self.runs if run.counted}
        found: dict[str, dict[str, dict[int, float]]] = {}
        for row in self.rows:
            if row.value is not None and row.run in conditions:
                own = found.setdefault(row.name, {}).setdefault(conditions[row.run], {})
                own[row.seed] = row.value
        return found

    @cached_property
    def _effects_and_times(
        self,
    ) -> tuple[tuple[Effect, ...], dict[tuple[str, Contrast], Survival]]:
        """Every effect, the primary ones first, and how times compare that are censored."""
        plan = self.plan
        comparisons = list(list_contrasts(plan.levels, plan.baseline)) if plan.levels else []
        counted = {run.name for run in self.runs if run.counted}
        cut: dict[str, set[tuple[Cell, int]]] = {}
        for row in self.rows:
            if row.censored and row.run in counted:
                cut.setdefault(row.name, set()).add((row.levels, row.seed))
        main: list[Effect] = []
        rest: list[Effect] = []
        times: dict[tuple[str, Contrast], Survival] = {}
        for name, one in product(self.names, comparisons):
            is_main = plan.is_primary(name, one)
            if one.is_interaction and not is_main:
                continue
            values = self.values_to_compare(name, one)
            found = compute_effect(name, values, plan.levels, one)
            if found is None:
                continue
            if name in cut:
                found = _note_censored(found, len(cut[name]), sum(map(len, values.values())))
                if not one.is_interaction:
                    times[name, one] = _compare_times(plan, one, values, cut[name])
            (main if is_main else rest).append(found)
        return (*correct_family(main), *rest), times

    def describe_power(self) -> Iterator[str]:
        """Yield what the study could find with all its seeds, by the spread of those that ran."""
        tests = sum(one.family == PRIMARY for one in self.effects)
        for one in self.effects[:tests]:
            values = self.values_to_compare(one.measure, one.contrast)
            numbers = list_numbers(values, self.plan.levels, one.contrast)
            least = find_detectable(numbers, len(self.plan.seeds), tests)
            if least is not None:
                yield (
                    f"{self.title_of(one.measure)}, {one.contrast.text}: by the spread of "
                    f"{len(numbers)} seeds, {len(self.plan.seeds)} would find a difference of "
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
    told = asdict(one)
    told.pop("contrast")
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


def _note_censored(found: Effect, cut: int, of: int) -> Effect:
    told = (
        f"mean time up to the end of the run: {cut} of {of} runs ended before, and count with "
        "their length"
    )
    return replace(found, note="; ".join(filter(None, (found.note, told))))


def _compare_times(
    plan: StudyPlan, one: Contrast, values: CellValues, cut: Collection[tuple[Cell, int]]
) -> Survival:
    place = list(plan.levels).index(one.factor)
    sides = [
        [
            (time, (cell, seed) in cut)
            for cell, own in values.items()
            if cell[place] == label
            for seed, time in own.items()
        ]
        for (label,) in (one.first, one.second)
    ]
    return compare_times(*sides)
