"""A sweep gathered for its report: every run read once, means, differences, what to beware of."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from genagents_env.evaluate.measures import DEFAULT, Measure, find_measures
from genagents_env.record.rows import JSON
from genagents_env.report.cautions import cautions
from genagents_env.report.comparing import Block, Cell, blocks_of, cells, contrasts
from genagents_env.report.finding import found
from genagents_env.report.judging import judged_tables
from genagents_env.report.measure_order import ordered
from genagents_env.report.plan import Plan
from genagents_env.report.reading import read, read_some
from genagents_env.report.table import Table
from genagents_env.report.trial import Run
from genagents_env.stats import Contrast
from genagents_env.sweep.design.experiment import Experiment, load_experiment
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.folder import Folder

Watch = Callable[[int, int], None]  # runs read, of how many

_ABSENT = "not installed"
_NEEDED = {"matplotlib": "figures", "pandas": "Parquet files", "pyarrow": "Parquet files"}
_BATCH = 8  # runs that a process reads before it hands them over
_LIBRARIES = (
    *("genagents-env", "numpy", "scipy", "networkx", "joblib", "statsmodels", "openskill"),
    *("pandas", "pyarrow", "matplotlib"),
)


@dataclass(frozen=True, slots=True)
class Gathered:
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
    plan: Plan
    blocks: tuple[Block, ...]
    runs: tuple[Run, ...]
    measures: tuple[Measure, ...]
    names: tuple[str, ...]
    primary: tuple[str, ...]
    cells: tuple[Cell, ...]
    contrasts: tuple[Contrast, ...]
    cautions: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    judged: tuple[Table, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def titles(self) -> dict[str, str]:
        """The title of each value by its name; a key stands behind it."""
        known = {one.name: one.title for one in self.measures}
        return {name: _title(name, known) for name in self.names}

    @property
    def units(self) -> dict[str, str]:
        """The unit of each value by its name."""
        known = {one.name: one.unit for one in self.measures}
        return {name: known.get(name.partition(".")[0], "") for name in self.names}

    @property
    def finding(self) -> str:
        """What was found, in one sentence."""
        return found(self.contrasts, self.titles, self.count("finished"), named=bool(self.primary))

    def names_in(self, block: Block) -> tuple[str, ...]:
        """Return those of `names` that finished runs of a block have, known or not."""
        own = {side.condition for side in block.sides}
        has = {
            name for run in self.runs if run.counted and run.condition in own for name in run.values
        }
        return tuple(name for name in self.names if name in has)

    def count(self, state: str) -> int:
        """Return how many runs are in this state."""
        return sum(run.state == state for run in self.runs)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, without the stories of the runs."""
        return {
            "name": self.plan.name,
            "question": self.plan.question,
            "found": self.finding,
            "paired": self.plan.paired,
            "seeds": list(self.plan.seeds),
            "baseline": self.plan.baseline,
            "primary": list(self.primary),
            "cautions": list(self.cautions),
            "measures": [_explained(one) for one in self.measures],
            "means": [_mean(cell) for cell in self.cells],
            "contrasts": [asdict(one) for one in self.contrasts],
            "runs": [run.as_json() for run in self.runs],
            "versions": dict(self.versions),
        }


def gathered(folder: Folder, watch: Watch | None = None, workers: int = 1) -> Gathered:
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
    standing = tuple(_known(folder, folder.trials))
    runs = tuple(_read(standing, wanted, folder.base, watch, workers))
    plan = Plan(
        experiment.name,
        experiment.question,
        (folder.path / "experiment.toml").read_text(encoding="utf-8"),
        tuple(dict.fromkeys(run.seed for run in runs)),
        experiment.baseline,
        experiment.paired,
        _override(folder, experiment),
    )
    return compared(folder.path, plan, runs, measures, main, folder.strangers(), unknown)


def compared(
    folder: Path,
    plan: Plan,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    main: Sequence[Measure] = (),
    strangers: Sequence[Path] = (),
    told: Sequence[str] = (),
) -> Gathered:
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
    listed = ordered(names, primary)
    blocks = blocks_of(list(dict.fromkeys(run.condition for run in runs)))
    known = cells(blocks, runs, listed)
    differences, hindered = contrasts(blocks, known, plan.baseline, primary)
    judged, fault = judged_tables(folder / "verdicts.jsonl", runs)
    hindrances = *told, *_unseen(main, names), *(one for one in (hindered, fault) if one)
    installed = _versions()
    return Gathered(
        folder,
        plan,
        blocks,
        tuple(runs),
        tuple({one.name: one for one in measures}.values()),
        listed,
        primary,
        known,
        differences,
        (*cautions(plan, runs, differences, strangers), *hindrances),
        installed,
        judged,
        (*_damage(runs), *hindrances, *_missing(installed)),
    )


def _damage(runs: Iterable[Run]) -> Iterator[str]:
    for run in runs:
        if run.state == "damaged":
            yield f"{run.trial} is left out: {run.problem}"


def _known(folder: Folder, trials: Sequence[Trial]) -> Iterator[Run]:
    for trial, how in zip(trials, folder.standings(), strict=True):
        yield Run(
            trial.name,
            trial.condition,
            trial.seed,
            trial.identity,
            folder.file(trial),
            how.state,
            how.status,
            how.tick,
            how.problem,
        )


def _read(
    runs: Sequence[Run], names: Sequence[str], base: Path, watch: Watch | None, workers: int
) -> Iterator[Run]:
    """Yield the runs in their order, read in this process or in several."""
    found: Iterable[Run]
    if workers > 1 and len(runs) > 1:
        found = _read_apart(runs, names, base, workers)
    else:
        measures, _ = find_measures(names, base)
        found = (read(run, measures) for run in runs)
    for number, run in enumerate(found, 1):
        if watch is not None:
            watch(number, len(runs))
        yield run


def _read_apart(
    runs: Sequence[Run], names: Sequence[str], base: Path, workers: int
) -> Iterator[Run]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator")
    parts = [runs[k : k + _BATCH] for k in range(0, len(runs), _BATCH)]
    for part in parallel(delayed(read_some)(part, tuple(names), base) for part in parts):
        yield from part


def _override(folder: Folder, experiment: Experiment) -> str | None:
    """Return the model that took the place of the file's when the sweep began."""
    return (
        None if load_experiment(folder.path / "experiment.toml") == experiment else experiment.model
    )


def _is_of(name: str, measure: Measure) -> bool:
    """Return whether a value is of `measure`, or of its one key where it has one."""
    if measure.key:
        return name == f"{measure.name}.{measure.key}"
    return name == measure.name or name.startswith(f"{measure.name}.")


def _unseen(main: Sequence[Measure], names: Sequence[str]) -> Iterator[str]:
    for one in main:
        if names and not any(_is_of(name, one) for name in names):
            told = f"{one.name}.{one.key}" if one.key else one.name
            yield f"The primary measure {told} has no value in any finished run."


def _title(name: str, known: Mapping[str, str]) -> str:
    stem, _, key = name.partition(".")
    title = known.get(stem, stem)
    return f"{title}: {key}" if key else title


def _mean(cell: Cell) -> dict[str, JSON]:
    told = None if cell.mean is None else asdict(cell.mean)
    condition = cell.side.condition.name
    return {"block": cell.block, "condition": condition, "measure": cell.measure, "mean": told}


def _explained(one: Measure) -> dict[str, JSON]:
    told = ("name", "title", "unit", "definition", "source", "better")
    return {key: getattr(one, key) for key in told}


def as_json(known: Gathered) -> dict[str, JSON]:
    """Return a sweep's report as JSON values; see `Gathered.as_json`."""
    return known.as_json()


def _missing(versions: Mapping[str, str]) -> Iterator[str]:
    for name, what in _NEEDED.items():
        if versions[name] == _ABSENT:
            yield f'no {what}: {name} is not installed: pip install "genagents-env[lab]"'


def _versions() -> dict[str, str]:
    found = {"python": python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _ABSENT
    return found
