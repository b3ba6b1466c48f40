"""A sweep gathered for its report: every run read once, means, differences, what to beware of."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from genagents_env.evaluate.measures import DEFAULT, Measure, find_measures
from genagents_env.record.rows import JSON
from genagents_env.report.cautions import find_cautions
from genagents_env.report.comparing import (
    ConditionBlock,
    MeasureCell,
    make_blocks,
    make_cells,
    make_contrasts,
)
from genagents_env.report.finding import describe_finding
from genagents_env.report.judging import tabulate_judgements
from genagents_env.report.measure_order import order_measures
from genagents_env.report.plan import SweepPlan
from genagents_env.report.reading import read_trial, read_trials
from genagents_env.report.table import Table
from genagents_env.report.trial import MeasuredTrial
from genagents_env.stats import Contrast
from genagents_env.sweep.design.experiment import Experiment, load_experiment
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.folder import SweepFolder

OnRead = Callable[[int, int], None]  # runs read, of how many

_ABSENT = "not installed"
_NEEDED = {"matplotlib": "figures", "pandas": "Parquet files", "pyarrow": "Parquet files"}
_BATCH = 8  # runs that a process reads before it hands them over
_LIBRARIES = (
    *("genagents-env", "numpy", "scipy", "networkx", "joblib", "statsmodels", "openskill"),
    *("pandas", "pyarrow", "matplotlib"),
)


@dataclass(frozen=True, slots=True)
class SweepResults:
    """All that a report of a sweep tells.

    Attributes:
        folder: of the sweep.
        plan: the experiment.
        blocks: conditions that are compared with one another.
        runs: every trial, in the order of the sweep.
        measures: that were taken.
        names: of their values, the primary ones first.
        primary: those among `names` that were named beforehand.
        cells: each of these in each condition.
        contrasts: differences between conditions, the primary ones first.
        cautions: what a reader has to beware of, a sentence each.
        versions: of this package and of the libraries that made the report.
        judged: tables of what judges said; none without judges.
        problems: for a terminal: damaged runs, unknown measures, missing libraries.
    """

    folder: Path
    plan: SweepPlan
    blocks: tuple[ConditionBlock, ...]
    runs: tuple[MeasuredTrial, ...]
    measures: tuple[Measure, ...]
    names: tuple[str, ...]
    primary: tuple[str, ...]
    cells: tuple[MeasureCell, ...]
    contrasts: tuple[Contrast, ...]
    cautions: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    judged: tuple[Table, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def titles(self) -> dict[str, str]:
        """The title of each value by its name; a key stands behind it."""
        known = {one.name: one.title for one in self.measures}
        return {name: _format_title(name, known) for name in self.names}

    @property
    def units(self) -> dict[str, str]:
        """The unit of each value by its name."""
        known = {one.name: one.unit for one in self.measures}
        return {name: known.get(name.partition(".")[0], "") for name in self.names}

    @property
    def finding(self) -> str:
        """What was found, in one sentence."""
        return describe_finding(
            self.contrasts, self.titles, self.count("finished"), named=bool(self.primary)
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

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, without the narratives of the runs."""
        return {
            "name": self.plan.name,
            "question": self.plan.question,
            "found": self.finding,
            "paired": self.plan.paired,
            "seeds": list(self.plan.seeds),
            "baseline": self.plan.baseline,
            "primary": list(self.primary),
            "cautions": list(self.cautions),
            "measures": [_measure_as_json(one) for one in self.measures],
            "means": [_mean_as_json(cell) for cell in self.cells],
            "contrasts": [asdict(one) for one in self.contrasts],
            "runs": [run.as_json() for run in self.runs],
            "versions": dict(self.versions),
        }


def measure_sweep(
    folder: SweepFolder, watch: OnRead | None = None, workers: int = 1
) -> SweepResults:
    """Read every run of a sweep and return what a report tells of it.

    Only finished runs go into means and differences; the others are counted and listed. A run
    file that cannot be read, an unknown measure, a missing library: each becomes a caution, and
    the rest goes on.

    Args:
        folder: of the sweep; it may still be going on.
        watch: told after every run how many are read, and of how many.
        workers: processes that read.

    Raises:
        ConfigError, ScenarioError, PolicyError: the experiment file cannot be read.
    """
    experiment = folder.experiment
    wanted = (*experiment.primary, *(experiment.measures or DEFAULT))
    measures, unknown = find_measures(wanted, folder.base)
    main = find_measures(experiment.primary, folder.base)[0] if experiment.primary else ()
    standing = tuple(_list_trials(folder, folder.trials))
    runs = tuple(_read_trials(standing, wanted, folder.base, watch, workers))
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
        folder.path, plan, runs, measures, main, folder.find_unknown_runs(), unknown
    )


def compare_trials(
    folder: Path,
    plan: SweepPlan,
    runs: Sequence[MeasuredTrial],
    measures: Sequence[Measure],
    main: Sequence[Measure] = (),
    strangers: Sequence[Path] = (),
    told: Sequence[str] = (),
) -> SweepResults:
    """Return runs that have been read, with means, differences and cautions.

    Args:
        folder: of the sweep; verdicts of judges are looked for in it.
        plan: the experiment.
        runs: every trial.
        measures: that were taken.
        main: the primary ones.
        strangers: run files of no trial.
        told: further cautions.
    """
    names = [name for run in runs if run.counted for name in run.values]
    primary = tuple(name for one in main for name in dict.fromkeys(names) if _is_of(name, one))
    primary = tuple(dict.fromkeys(primary))
    listed = order_measures(names, primary)
    blocks = make_blocks(list(dict.fromkeys(run.condition for run in runs)))
    known = make_cells(blocks, runs, listed)
    differences, hindered = make_contrasts(blocks, known, plan.baseline, primary)
    judged, fault = tabulate_judgements(folder / "verdicts.jsonl", runs)
    hindrances = (
        *told,
        *_warn_of_missing_primary(main, names),
        *(one for one in (hindered, fault) if one),
    )
    installed = _find_versions()
    return SweepResults(
        folder,
        plan,
        blocks,
        tuple(runs),
        tuple({one.name: one for one in measures}.values()),
        listed,
        primary,
        known,
        differences,
        (*find_cautions(plan, runs, differences, strangers), *hindrances),
        installed,
        judged,
        (*_describe_damage(runs), *hindrances, *_warn_of_missing_libraries(installed)),
    )


def _describe_damage(runs: Iterable[MeasuredTrial]) -> Iterator[str]:
    for run in runs:
        if run.state == "damaged":
            yield f"{run.trial} is left out: {run.problem}"


def _list_trials(folder: SweepFolder, trials: Sequence[Trial]) -> Iterator[MeasuredTrial]:
    for trial, how in zip(trials, folder.read_statuses(), strict=True):
        yield MeasuredTrial(
            trial.name,
            trial.condition,
            trial.seed,
            trial.identity,
            folder.run_file(trial),
            how.state,
            how.status,
            how.tick,
            how.problem,
        )


def _read_trials(
    runs: Sequence[MeasuredTrial],
    names: Sequence[str],
    base: Path,
    watch: OnRead | None,
    workers: int,
) -> Iterator[MeasuredTrial]:
    """Yield the runs in their order, read in this process or in several."""
    found: Iterable[MeasuredTrial]
    if workers > 1 and len(runs) > 1:
        found = _read_in_processes(runs, names, base, workers)
    else:
        measures, _ = find_measures(names, base)
        found = (read_trial(run, measures) for run in runs)
    for number, run in enumerate(found, 1):
        if watch is not None:
            watch(number, len(runs))
        yield run


def _read_in_processes(
    runs: Sequence[MeasuredTrial], names: Sequence[str], base: Path, workers: int
) -> Iterator[MeasuredTrial]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator")
    parts = [runs[k : k + _BATCH] for k in range(0, len(runs), _BATCH)]
    for part in parallel(delayed(read_trials)(part, tuple(names), base) for part in parts):
        yield from part


def _find_override(folder: SweepFolder, experiment: Experiment) -> str | None:
    """Return the model that took the place of the file's when the sweep began."""
    return (
        None if load_experiment(folder.path / "experiment.toml") == experiment else experiment.model
    )


def _is_of(name: str, measure: Measure) -> bool:
    """Return whether a value is of `measure`, or of its one key where it has one."""
    if measure.key:
        return name == f"{measure.name}.{measure.key}"
    return name == measure.name or name.startswith(f"{measure.name}.")


def _warn_of_missing_primary(main: Sequence[Measure], names: Sequence[str]) -> Iterator[str]:
    for one in main:
        if names and not any(_is_of(name, one) for name in names):
            told = f"{one.name}.{one.key}" if one.key else one.name
            yield f"The primary measure {told} has no value in any finished run."


def _format_title(name: str, known: Mapping[str, str]) -> str:
    stem, _, key = name.partition(".")
    title = known.get(stem, stem)
    return f"{title}: {key}" if key else title


def _mean_as_json(cell: MeasureCell) -> dict[str, JSON]:
    told = None if cell.mean is None else asdict(cell.mean)
    condition = cell.compared.condition.name
    return {"block": cell.block, "condition": condition, "measure": cell.measure, "mean": told}


def _measure_as_json(one: Measure) -> dict[str, JSON]:
    told = ("name", "title", "unit", "definition", "source", "better")
    return {key: getattr(one, key) for key in told}


def as_json(known: SweepResults) -> dict[str, JSON]:
    """Return a sweep's report as JSON values; see `Gathered.as_json`."""
    return known.as_json()


def _warn_of_missing_libraries(versions: Mapping[str, str]) -> Iterator[str]:
    for name, what in _NEEDED.items():
        if versions[name] == _ABSENT:
            yield f'no {what}: {name} is not installed: pip install "genagents-env[lab]"'


def _find_versions() -> dict[str, str]:
    found = {"python": python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _ABSENT
    return found
