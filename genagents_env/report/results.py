"""Results of several runs, of a sweep or of files: means, differences, cautions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from genagents_env.evaluate.measure_catalog import is_from_file
from genagents_env.evaluate.measures import DEFAULT, Measure, find_measures
from genagents_env.evaluate.published import PublishedCost, list_published_costs
from genagents_env.evaluate.rates import GAME_SPEED, Tariff
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.record.rows import JSON
from genagents_env.report.cautions import (
    find_cautions,
    find_versions,
    warn_of_cuts,
    warn_of_degraded,
    warn_of_missing_libraries,
    warn_of_model_changes,
)
from genagents_env.report.comparing import (
    ConditionBlock,
    MeasureCell,
    make_blocks,
    make_cells,
    make_contrasts,
)
from genagents_env.report.finding import describe_finding
from genagents_env.report.groups import RunGroup, group_runs
from genagents_env.report.judging import tabulate_judgements
from genagents_env.report.later_answers import add_later_answers
from genagents_env.report.measure_order import order_measures
from genagents_env.report.plan import SweepPlan
from genagents_env.report.reading import OnRead, read_runs, read_sweep
from genagents_env.report.table import Table
from genagents_env.report.trial import MeasuredTrial, make_trial
from genagents_env.report.untested import (
    describe_idle,
    find_idle,
    find_untested,
    note_untested,
)
from genagents_env.stats import Contrast
from genagents_env.sweep.design.experiment import DegradedRuns, Experiment, load_experiment
from genagents_env.sweep.folder import SweepFolder
from genagents_env.text import clean


@dataclass(frozen=True, slots=True)
class SweepResults:
    """All that a report shows: of a sweep, or of run files, which are a sweep without a plan.

    Without a plan nothing is compared or tested: the runs stand in groups, one for each condition,
    with means over their seeds, and each has its whole summary.

    Attributes:
        folder: of the sweep; None for run files.
        plan: the experiment; None for run files.
        runs: every trial, in the order of the sweep; or every run file, in the order given.
        blocks: conditions that are compared with one another.
        measures: that were taken.
        names: of their values, the primary ones first.
        primary: those among `names` that were named beforehand.
        cells: each of these in each condition.
        contrasts: differences between conditions, the primary ones first.
        cautions: for the reader, a sentence each.
        versions: of this package and of the libraries that made the report.
        judged: tables of what judges said; none without judges.
        problems: for a terminal: damaged runs, unknown measures, missing libraries.
        groups: the runs by condition, where there is no plan.
        published: figures of others, to stand beside the cost of these runs.
    """

    folder: Path | None
    plan: SweepPlan | None
    runs: tuple[MeasuredTrial, ...]
    blocks: tuple[ConditionBlock, ...] = ()
    measures: tuple[Measure, ...] = ()
    names: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    cells: tuple[MeasureCell, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    cautions: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    judged: tuple[Table, ...] = ()
    problems: tuple[str, ...] = ()
    groups: tuple[RunGroup, ...] = ()
    published: tuple[PublishedCost, ...] = ()

    @property
    def title(self) -> str:
        """The name of the experiment; without one, the scenarios and how many runs there are."""
        if self.plan is not None:
            return self.plan.name
        scenarios = ", ".join(dict.fromkeys(run.condition.scenario for run in self.runs))
        return f"{scenarios}: {len(self.runs)} run{'' if len(self.runs) == 1 else 's'}"

    @property
    def summaries(self) -> tuple[RunSummary, ...]:
        """The whole summaries of the runs, as far as they are kept."""
        return tuple(run.summary for run in self.runs if run.summary is not None)

    @property
    def titles(self) -> dict[str, str]:
        """The title of each value by its name, with its key behind it."""
        titles = {one.name: one.title for one in self.measures}
        return {name: _format_title(name, titles) for name in self.names}

    @property
    def units(self) -> dict[str, str]:
        """The unit of each value by its name."""
        units = {one.name: one.unit for one in self.measures}
        return {name: units.get(name.partition(".")[0], "") for name in self.names}

    @property
    def finding(self) -> str:
        """What was found, in one sentence."""
        if self.excluded and self.excluded == self.count("finished"):
            return "Every finished run is degraded, so nothing can be said."
        return describe_finding(
            self.contrasts,
            self.titles,
            self.count("finished"),
            named=bool(self.primary),
            untested=find_untested(self.blocks, self.runs),
        )

    @property
    def excluded(self) -> int:
        """How many finished runs are in no mean: they are degraded."""
        return sum(run.excluded for run in self.runs)

    @property
    def exclusion_note(self) -> str:
        """A sentence on the excluded runs, to stand beside means and figures; empty without."""
        if not self.excluded:
            return ""
        several = self.excluded != 1
        return (
            f" {self.excluded} finished run{'s' if several else ''} {'are' if several else 'is'} "
            "left out: degraded."
        )

    def names_in(self, block: ConditionBlock) -> tuple[str, ...]:
        """Return those of `names` that finished runs of a block have, known or not."""
        own = {side.condition for side in block.conditions}
        has = {
            name for run in self.runs if run.counted and run.condition in own for name in run.values
        }
        return tuple(name for name in self.names if name in has)

    def count(self, state: str) -> int:
        """Return how many runs are in this state."""
        return sum(run.state == state for run in self.runs)

    def as_json(self, *, words: bool = False) -> dict[str, JSON]:
        """Return it as JSON values, without the narratives of a sweep's runs.

        Args:
            words: of run files also what was said and answered; see `RunSummary.words_as_json`.
        """
        if self.plan is None:
            return {
                "runs": [
                    one.as_json() | (one.words_as_json() if words else {}) for one in self.summaries
                ],
                "published": [asdict(one) for one in self.published],
            }
        return {
            "name": self.plan.name,
            "question": self.plan.question,
            "found": self.finding,
            "paired": self.plan.paired,
            "seeds": list(self.plan.seeds),
            "baseline": self.plan.baseline,
            "primary": list(self.primary),
            "cautions": list(self.cautions),
            "measures": [one.as_json() for one in self.measures],
            "means": [_mean_as_json(cell) for cell in self.cells],
            "contrasts": [asdict(one) for one in self.contrasts],
            "runs": [run.as_json() for run in self.runs],
            "versions": dict(self.versions),
        }


def measure_sweep(
    folder: SweepFolder,
    on_read: OnRead | None = None,
    workers: int = 1,
    degraded: DegradedRuns | None = None,
    *,
    trust_measures: bool = False,
) -> SweepResults:
    """Measure every run of a sweep and return the results.

    Only finished runs go into means and differences, and degraded ones only where the experiment
    includes them; the others are counted and listed. A run
    file that cannot be read, an unknown measure, a missing library: each becomes a caution, and
    the rest is still reported.

    Args:
        folder: of the sweep; it may still be running.
        on_read: called after every run with how many are read, and of how many.
        workers: processes that read.
        degraded: in place of what the experiment says of degraded runs.
        trust_measures: take measures that the experiment names by a file, too, which runs that
            file. The folder may be somebody else's; nothing else in it is code that is run.

    Raises:
        ConfigError, ScenarioError, PolicyError: the experiment file cannot be read.
    """
    experiment = folder.experiment
    named = (*experiment.primary, *(experiment.measures or DEFAULT))
    wanted = [one for one in named if trust_measures or not is_from_file(one)]
    measures, unknown = find_measures(wanted, folder.base) if wanted else ((), ())
    primary = [one for one in experiment.primary if one in wanted]
    main = find_measures(primary, folder.base)[0] if primary else ()
    untaken = tuple(_describe_untaken(one) for one in dict.fromkeys(named) if one not in wanted)
    exclude = (degraded or experiment.degraded) == "exclude"
    runs = tuple(
        replace(run, excluded=exclude and run.degraded)
        for run in read_sweep(folder, wanted, on_read, workers)
    )
    plan = SweepPlan(
        experiment.name,
        experiment.question,
        (folder.path / "experiment.toml").read_text(encoding="utf-8"),
        tuple(dict.fromkeys(run.seed for run in runs)),
        experiment.baseline,
        experiment.paired,
        _find_override(folder, experiment),
    )
    return compare_trials(
        folder.path, plan, runs, measures, main, folder.find_unknown_runs(), (*untaken, *unknown)
    )


def _describe_untaken(name: str) -> str:
    told = f"The measure {clean(name, 200)} is code in a file and was not taken"
    return f"{told}; `--trust-measures` takes it, where you trust who wrote it."


def measure_runs(
    paths: Iterable[Path],
    priced_as: Tariff | None = None,
    speed: float = GAME_SPEED,
    degraded: DegradedRuns = "exclude",
) -> SweepResults:
    """Measure run files and return the results: a sweep without a plan.

    Args:
        paths: at least one; each is read once.
        priced_as: see `evaluate.rates.compute_rates`.
        speed: see `evaluate.rates.compute_rates`.
        degraded: whether degraded runs are in the means of their group.

    Raises:
        RecordError: a file cannot be read.
    """
    found = [add_later_answers(one) for one in read_runs(paths, priced_as, speed)]
    results = group_summaries([summary for summary, _ in found], degraded)
    more = tuple(caution for _, caution in found if caution)
    return replace(results, cautions=(*results.cautions, *more))


def group_summaries(
    summaries: Sequence[RunSummary], degraded: DegradedRuns = "exclude"
) -> SweepResults:
    """Return runs that have been read, grouped by condition.

    Args:
        summaries: at least one, all with one speed of the game.
        degraded: see `measure_runs`.
    """
    groups = group_runs(summaries, degraded)
    conditions = {id(one): group.condition for group in groups for one in group.summaries}
    left_out = {id(one) for group in groups for one in group.excluded}
    runs = tuple(
        replace(make_trial(one, conditions[id(one)]), excluded=id(one) in left_out)
        for one in summaries
    )
    others = list_published_costs(summaries[0].rates.speed)
    cautions = (*warn_of_degraded(runs), *warn_of_model_changes(runs), *warn_of_cuts(runs))
    return SweepResults(None, None, runs, groups=groups, published=others, cautions=cautions)


def compare_trials(
    folder: Path,
    plan: SweepPlan,
    runs: Sequence[MeasuredTrial],
    measures: Sequence[Measure],
    main: Sequence[Measure] = (),
    unknown_runs: Sequence[Path] = (),
    faults: Sequence[str] = (),
) -> SweepResults:
    """Return runs that have been read, with means, differences and cautions.

    Args:
        folder: of the sweep; verdicts of judges are looked for in it.
        plan: the experiment.
        runs: every trial.
        measures: that were taken.
        main: the primary ones.
        unknown_runs: run files of no trial.
        faults: further cautions.
    """
    names = [name for run in runs if run.counted for name in run.values]
    primary = tuple(name for one in main for name in dict.fromkeys(names) if _belongs_to(name, one))
    primary = tuple(dict.fromkeys(primary))
    listed = order_measures(names, primary)
    blocks = make_blocks(list(dict.fromkeys(run.condition for run in runs)))
    cells = make_cells(blocks, runs, listed)
    differences, uncorrected = make_contrasts(blocks, cells, plan.baseline, primary)
    differences = note_untested(differences, find_untested(blocks, runs))
    judged, unread = tabulate_judgements(folder / "verdicts.jsonl", runs)
    problems = (
        *faults,
        *_warn_of_missing_primary(main, names),
        *(one for one in (uncorrected, unread) if one),
    )
    installed = find_versions()
    return SweepResults(
        folder,
        plan,
        tuple(runs),
        blocks,
        tuple({one.name: one for one in measures}.values()),
        listed,
        primary,
        cells,
        differences,
        (
            *find_cautions(plan, runs, differences, unknown_runs),
            *describe_idle(find_idle(blocks, runs)),
            *problems,
        ),
        installed,
        judged,
        (*_describe_damage(runs), *problems, *warn_of_missing_libraries(installed)),
    )


def _describe_damage(runs: Iterable[MeasuredTrial]) -> Iterator[str]:
    for run in runs:
        if run.state == "damaged":
            yield f"{run.trial} is left out: {run.problem}"


def _find_override(folder: SweepFolder, experiment: Experiment) -> str | None:
    """Return the model given in place of the file's when the sweep was started."""
    return (
        None if load_experiment(folder.path / "experiment.toml") == experiment else experiment.model
    )


def _belongs_to(name: str, measure: Measure) -> bool:
    """Return whether a value is of `measure`, or of its one key where it has one."""
    if measure.key:
        return name == f"{measure.name}.{measure.key}"
    return name == measure.name or name.startswith(f"{measure.name}.")


def _warn_of_missing_primary(main: Sequence[Measure], names: Sequence[str]) -> Iterator[str]:
    for one in main:
        if names and not any(_belongs_to(name, one) for name in names):
            yield f"The primary measure {one.label} has no value in any finished run."


def _format_title(name: str, titles: Mapping[str, str]) -> str:
    stem, _, key = name.partition(".")
    title = titles.get(stem, stem)
    return f"{title}: {key}" if key else title


def _mean_as_json(cell: MeasureCell) -> dict[str, JSON]:
    mean = None if cell.mean is None else asdict(cell.mean)
    condition = cell.compared.condition.name
    return {"block": cell.block, "condition": condition, "measure": cell.measure, "mean": mean}
