"""Measuring a sweep's folder, or run files: both become the results of a study."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from platform import python_version
from typing import NamedTuple

from genagents_env.errors import RecordError
from genagents_env.record import RunReader
from genagents_env.show.summary import describe_run
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.measure import Measure, belongs_to
from genagents_env.study.evaluate.measures import DEFAULT, find_measures, is_from_file
from genagents_env.study.evaluate.rates import Rates, Tariff, compute_rates
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.report.judging import Judged, read_judgements
from genagents_env.study.report.study import CELL, StudyPlan, StudyResults, make_rows
from genagents_env.study.report.study_tables import tabulate_costs
from genagents_env.study.report.table import format_count, list_some
from genagents_env.study.sweep.design.cells import Condition
from genagents_env.study.sweep.design.experiment import DegradedRuns, split_primary
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.measured import MeasuredRun, measure_run, read_measured
from genagents_env.study.sweep.trial_status import StudyRun, check_noted, cut_suffix
from genagents_env.text import clean

OnRead = Callable[[int, int], None]  # runs read, of how many
_BATCH = 8  # runs that a process reads before it hands them over
_LIBRARIES = (
    *("genagents-env", "numpy", "scipy", "networkx", "joblib", "statsmodels", "openskill"),
    *("pandas", "pyarrow", "matplotlib"),
)


def measure_study(
    folder: SweepFolder,
    on_read: OnRead | None = None,
    workers: int = 1,
    degraded: DegradedRuns | None = None,
    *,
    trust_measures: bool = False,
) -> StudyResults:
    """Measure every run of a study that is finished, and return the results.

    What was stored beside a run is not computed again. A run file that cannot be read, an unknown
    measure, a missing library: each becomes a caution, and the rest is still reported.

    Args:
        folder: of the sweep; it may still be running.
        on_read: called after every run with how many are read, and of how many.
        workers: processes that read.
        degraded: in place of what the experiment says of degraded runs.
        trust_measures: take measures that the experiment names by a file, too, which runs that
            file. The folder may be somebody else's; nothing else in it is code that is run. What
            the sweep itself stored of them is shown in any case.

    Raises:
        ConfigError, ScenarioError, PolicyError: the experiment file cannot be read.
    """
    experiment = folder.experiment
    named = experiment.list_measures()
    wanted = [one for one in named if trust_measures or not is_from_file(one)]
    measures, unknown = find_measures(wanted, folder.base) if wanted else ((), ())
    runs = tuple(read_study_runs(folder, measures, wanted, on_read, workers))
    stubs, left_out = _stand_in([one for one in named if one not in wanted], runs)
    return compare_runs(
        folder.path,
        make_study_plan(folder),
        runs,
        (*measures, *stubs),
        degraded or experiment.degraded,
        remarks=_warn_of_strangers(folder, runs),
        faults=(*left_out, *unknown, *_find_unfilled(measures, runs)),
    )


def read_study_runs(
    folder: SweepFolder,
    measures: Sequence[Measure],
    names: Sequence[str],
    on_read: OnRead | None = None,
    workers: int = 1,
) -> Iterator[StudyRun]:
    """Yield every run of a study in order; what was stored of it is not read again.

    Args:
        folder: of the sweep.
        measures: that are wanted.
        names: as the study gives them, for the processes that read.
        on_read: called after every run that is read with how many are known, and of how many.
        workers: processes that read.
    """
    runs, histories = list(_list_runs(folder, measures)), folder.log.read_histories()
    wanted = [run.file for run in runs if run.state == "finished" and run.measured is None]
    read = _read_all(wanted, names, folder.base, workers)
    known = len(runs) - len(wanted)
    for run in runs:
        if run.state == "finished" and run.measured is None:
            found, known = next(read), known + 1
            if on_read is not None:
                on_read(known, len(runs))
            if isinstance(found, str):
                run = replace(run, state="damaged", problem=found, earlier=False)
            else:
                run = replace(run, measured=found)
        yield check_noted(run, histories.get(cut_suffix(run.file.stem)))


def _list_runs(folder: SweepFolder, measures: Sequence[Measure]) -> Iterator[StudyRun]:
    """Yield every run, with what is stored of it if that is whole."""
    for trial, run in zip(folder.trials, folder.read_statuses(), strict=True):
        if run.state == "due" and (path := folder.find_earlier(trial)) is not None:
            known = read_measured(path)
            run = replace(run, file=path, state="finished", measured=known, earlier=True)
        known = run.measured
        if known is not None and (not known.is_of(run.file) or known.lacks(measures)):
            run = replace(run, measured=None)
        yield run


def _read_all(
    paths: Sequence[Path], names: Sequence[str], base: Path, workers: int
) -> Iterator[MeasuredRun | str]:
    """Yield in order what is measured of each run, or why it cannot be read."""
    if workers == 1 or len(paths) <= _BATCH:
        yield from (_read_one(path, names, base) for path in paths)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator", batch_size=_BATCH)
    yield from parallel(delayed(_read_one)(path, names, base) for path in paths)


def _read_one(path: Path, names: Sequence[str], base: Path) -> MeasuredRun | str:
    measures, _ = find_measures(names, base) if names else ((), ())
    known = read_measured(path)
    try:
        found = measure_run(path, measures, known)
    except RecordError as error:
        return str(error)
    if known is not None and known.hash != found.hash:
        return f"{path} is another run than the one that finished: its hash is {found.hash[:12]}"
    return found


def _warn_of_strangers(folder: SweepFolder, runs: Iterable[StudyRun]) -> Iterator[str]:
    own = {run.file for run in runs}
    names = [path.name for path in folder.find_unknown_runs() if path not in own]
    if names:
        yield (
            f"{format_count(len(names), 'run file')} in the folder belong to no trial: their level "
            "was taken out of the study, or scenario, policy or package changed since. They are "
            f"left out: {list_some(names)}."
        )


def _find_unfilled(measures: Iterable[Measure], runs: Iterable[StudyRun]) -> Iterator[str]:
    """Yield a sentence for each key of a measure that no finished run has."""
    taken = [run.measured for run in runs if run.measured is not None]
    names = dict.fromkeys(value.name for one in taken for value in one.values)
    for one in measures:
        if one.key and taken and one.label not in names:
            others = [name for name in names if belongs_to(name, one.name)]
            there_is = f"there is {', '.join(others)}" if others else f"{one.name} has none"
            yield f"The measure {clean(one.label, 100)} has no value in any run; {there_is}."


def _stand_in(
    names: Sequence[str], runs: Sequence[StudyRun]
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """Return measures that show what was stored of those that are code and not run now."""
    stored = {one.measure for run in runs if run.measured for one in run.measured.values}
    stubs, lines = [], []
    for name in names:
        label = name.rpartition(":")[2].partition(".")[0]
        if label in stored:
            words = f"Taken by {clean(name, 200)}."
            stubs.append(Measure(label, label, "", words, "", lambda _: None))
        else:
            told = f"The measure {clean(name, 200)} is code in a file and was not taken"
            lines.append(f"{told}; `--trust-measures` takes it, where you trust who wrote it.")
    return tuple(stubs), tuple(lines)


def make_study_plan(folder: SweepFolder) -> StudyPlan:
    """Return what a sweep's folder asks."""
    plan, experiment = folder.plan, folder.experiment
    levels: Mapping[str, Sequence[str]] = experiment.levels
    baseline = {k: experiment.baselines[k] for k in levels if k in experiment.baselines}
    if len(plan.conditions) != len(list(product(*levels.values()))):
        levels = {CELL: tuple(one.name for one in plan.conditions)}
        baseline = {CELL: name} if (name := " / ".join(baseline.values())) in levels[CELL] else {}
    return StudyPlan(
        experiment.name,
        experiment.question,
        folder.experiment_file.read_text(encoding="utf-8"),
        levels,
        experiment.seeds,
        baseline,
        tuple(split_primary(words) for words in experiment.primary),
        folder.changes,
    )


def compare_runs(
    folder: Path,
    plan: StudyPlan,
    runs: Sequence[StudyRun],
    measures: Sequence[Measure],
    degraded: DegradedRuns = "exclude",
    *,
    remarks: Iterable[str] = (),
    faults: Iterable[str] = (),
) -> StudyResults:
    """Return runs that have been read as a study, with what judges said of them.

    Args:
        folder: of the sweep.
        plan: what is asked of the runs.
        runs: all of them.
        measures: that were taken.
        degraded: whether degraded runs are in means.
        remarks: cautions for the page.
        faults: cautions for the terminal, too.
    """
    out = degraded == "exclude"
    runs = [replace(run, excluded=out and bool(run.degraded)) for run in runs]
    if CELL in plan.levels:
        runs = [
            replace(run, condition=replace(run.condition, levels=(run.condition.name,)))
            for run in runs
        ]
    # Run files have no folder of their own: `genagents judge` prints what is said of them.
    judged = read_judgements(folder, runs) if plan.text else Judged()
    return StudyResults(
        folder,
        plan,
        tuple(runs),
        tuple(make_rows(runs, judged.given)),
        tuple({one.name: one for one in measures}.values()),
        _find_versions(),
        tuple(judged.list_tables()),
        judged=judged,
        remarks=tuple(remarks),
        faults=(*judged.faults, *faults),
    )


def _find_versions() -> dict[str, str]:
    """Return the version of Python, of this package and of the libraries it uses."""
    found = {"python": python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


class _ReadFile(NamedTuple):
    """A run file: its values, its policy, model, scenario and number of people, cost, summary."""

    run: StudyRun
    parts: tuple[str, ...]
    rates: Rates
    words: tuple[str, ...]


def measure_runs(
    paths: Iterable[Path],
    priced_as: Tariff | None = None,
    degraded: DegradedRuns = "exclude",
    primary: Sequence[str] = (),
) -> StudyResults:
    """Read run files, each once, and return what they amount to, as a study without factors.

    Runs of one policy, model, scenario and number of people share a condition, which is called by
    those of the four that differ. Where two of them have the same seed, as a fork and its parent
    have, each stands by itself. A run that is not finished counts as far as it is recorded, and a
    caution says so.

    Args:
        paths: at least one.
        priced_as: see `study.evaluate.rates.compute_rates`.
        degraded: whether degraded runs are in means.
        primary: measures that stand first, beside those that are always taken.

    Raises:
        RecordError: a file cannot be read.
    """
    measures, unknown = find_measures(tuple(dict.fromkeys((*primary, *DEFAULT))))
    files = [_read_file(path, measures, priced_as) for path in dict.fromkeys(paths)]
    named = zip(files, _make_conditions(files), strict=True)
    runs = [replace(one.run, condition=condition) for one, condition in named]
    scenarios = ", ".join(dict.fromkeys(one.parts[2] for one in files))
    seeds = tuple(dict.fromkeys(run.seed for run in runs))
    title = f"{scenarios}: {format_count(len(runs), 'run')}"
    plan = StudyPlan(title, "", "", {}, seeds, primary=tuple((name, "") for name in primary))
    remarks = [
        f"{run.name} is {run.status}: its values are of what there is so far."
        for run in runs
        if run.state == "stopped"
    ]
    costs = tabulate_costs([one.rates for one in files])
    return replace(
        compare_runs(Path(), plan, runs, measures, degraded, remarks=(*unknown, *remarks)),
        tables=(costs,) if costs.rows else (),
        summaries=tuple((one.run.name, one.words) for one in files),
    )


def _read_file(path: Path, measures: Sequence[Measure], priced_as: Tariff | None) -> _ReadFile:
    measured = measure_run(path, measures)
    with RunReader(path) as reader:
        data, status = RunData(reader), reader.status
        model, people = data.meta.model or "no model", format_count(len(data.names), "agent")
        parts = (format_policies(data.meta), model, data.scenario.name, people)
        run = StudyRun(
            str(path),
            Condition("", (), ", ".join(parts[2:]), measured.hash),
            reader.meta.seed,
            measured.hash,
            path,
            state="finished" if status == "finished" else "stopped",
            status=status,
            measured=measured,
        )
        return _ReadFile(run, parts, compute_rates(data, priced_as), tuple(describe_run(data)))


def _make_conditions(files: Sequence[_ReadFile]) -> Iterator[Condition]:
    """Yield the condition of each file: its policy, what else differs, the file if seeds recur."""
    kept = [k for k in range(4) if k == 0 or len({one.parts[k] for one in files}) > 1]
    names = [", ".join(one.parts[k] for k in kept) for one in files]
    seeds = Counter((name, one.run.seed) for name, one in zip(names, files, strict=True))
    twice = {name for (name, _), count in seeds.items() if count > 1}
    for name, one in zip(names, files, strict=True):
        own = f"{name} ({one.run.name})" if name in twice else name
        yield replace(one.run.condition, name=own)
