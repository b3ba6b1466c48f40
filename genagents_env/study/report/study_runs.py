"""The runs of a study and their values: one tidy table, from which everything else is made."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from genagents_env.errors import RecordError
from genagents_env.study.evaluate.measure import Measure
from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.judge.scores import score_conditions
from genagents_env.study.judge.verdicts import Judgement
from genagents_env.study.report.table import CellValue
from genagents_env.study.sweep.design.cells import Condition
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.measured import MeasuredRun, measure_run, read_measured

OnRead = Callable[[int, int], None]  # runs read, of how many
# The file of a run that some process is to read, the measures and their folder, what is known.
_Wanted: TypeAlias = tuple[Path, Sequence[str], Path, MeasuredRun | None]

JUDGE = "judge"  # the measure whose keys are rubrics
EXCLUDED = "excluded"
_BATCH = 8  # runs that a process reads before it hands them over


@dataclass(frozen=True)
class StudyRun:
    """One run of a study.

    Attributes:
        name: of its trial, which is that of its file.
        condition: of which it is a seed.
        seed: of the episode.
        identity: the hash of what defines it.
        file: its run file.
        state: finished, stopped, failed, damaged or due.
        status: as the run file has it.
        problem: why it is not finished; empty where it is.
        measured: what is known of a finished run; None of any other.
        excluded: it is finished, but in no mean: it is degraded.
        earlier: it was run before its scenario, a policy or this package changed.
    """

    name: str
    condition: Condition
    seed: int
    identity: str
    file: Path
    state: str
    status: str = ""
    problem: str = ""
    measured: MeasuredRun | None = None
    excluded: bool = False
    earlier: bool = False

    @property
    def counted(self) -> bool:
        """Whether it counts in means: only a finished run does that is not excluded."""
        return self.measured is not None and not self.excluded

    @property
    def degraded(self) -> bool:
        """Whether it is finished, but a policy failed or too many model calls fell back."""
        return self.measured is not None and self.measured.degradation.degraded


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
    trials, statuses = folder.trials, folder.read_statuses()
    files = [folder.run_file(trial) for trial in trials]
    found: dict[int, MeasuredRun | str] = {}
    wanted: dict[int, _Wanted] = {}
    earlier = set()
    for at, (trial, status) in enumerate(zip(trials, statuses, strict=True)):
        known = status.measured
        if status.state == "due" and (path := folder.find_earlier(trial)) is not None:
            files[at], known = path, read_measured(path)
            earlier.add(at)
        elif status.state != "finished":
            continue
        if known is not None and known.is_of(files[at]) and not known.lacks(measures):
            found[at] = known
        else:
            wanted[at] = files[at], names, folder.base, known or read_measured(files[at])
    read = zip(wanted, _read_all(list(wanted.values()), workers), strict=True)
    for done, (at, one) in enumerate(read, len(trials) - len(wanted) + 1):
        found[at] = one
        if on_read is not None:
            on_read(done, len(trials))
    for at, (trial, status) in enumerate(zip(trials, statuses, strict=True)):
        state, problem, result = status.state, status.problem, found.get(at)
        if isinstance(result, str):
            state, problem, result = "damaged", result, None
        elif at in earlier:
            state = "finished"
        yield StudyRun(
            *(trial.name, trial.condition, trial.seed, trial.identity, files[at], state),
            *(status.status, problem, result),
            earlier=at in earlier and result is not None,
        )


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
        for one in run.measured.values:
            value = one.value
            why = EXCLUDED if run.excluded else value.why
            yield TidyRow(*head, one.measure, one.key, value.number, value.censored, why)
        for rubric, score in judged.get((run.condition.name, run.seed), {}).items():
            yield TidyRow(*(*head, JUDGE, rubric, score, False, EXCLUDED if run.excluded else ""))


def _average_ratings(given: Iterable[Judgement]) -> dict[tuple[str, int], dict[str, float]]:
    """Return the mean rating by rubric of each condition and seed, all judges together."""
    sums: dict[tuple[str, int], dict[str, list[float]]] = {}
    for one in score_conditions(given):
        for seed, mean in one.seeds.items():
            sums.setdefault((one.condition, seed), {}).setdefault(one.rubric, []).append(mean)
    return {
        key: {rubric: sum(means) / len(means) for rubric, means in own.items()}
        for key, own in sums.items()
    }


def _read_all(wanted: Sequence[_Wanted], workers: int) -> Iterator[MeasuredRun | str]:
    """Yield in order what is measured of each run, or why it cannot be read."""
    if workers == 1 or len(wanted) <= _BATCH:
        yield from (_read_one(*one) for one in wanted)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator", batch_size=_BATCH)
    yield from parallel(delayed(_read_one)(*one) for one in wanted)


def _read_one(
    path: Path, names: Sequence[str], base: Path, known: MeasuredRun | None
) -> MeasuredRun | str:
    measures, _ = find_measures(names, base) if names else ((), ())
    try:
        return measure_run(path, measures, known)
    except RecordError as error:
        return str(error)
