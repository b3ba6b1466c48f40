"""The runs of a study and their values: one tidy table, from which everything else is made."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from genagents_env.errors import RecordError
from genagents_env.study.evaluate.measure import Measure
from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.judge.scores import JUDGE, score_conditions
from genagents_env.study.judge.verdicts import Judgement
from genagents_env.study.report.table import CellValue
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.measured import MeasuredRun, measure_run, read_measured
from genagents_env.study.sweep.trial_status import StudyRun

OnRead = Callable[[int, int], None]  # runs read, of how many
# The file of a run that some process is to read, the measures and their folder, what is known.
_Wanted: TypeAlias = tuple[Path, Sequence[str], Path, MeasuredRun | None]

EXCLUDED = "excluded"
_BATCH = 8  # runs that a process reads before it hands them over

# Only the order of reading: a measure that is not here stands under "other".
_OTHER = "other"
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "diffusion": (
        *("verified", "heard", "density", "acquainted", "came", "hallucinated", "success"),
        *("received", "stored", "retrieved", "changed"),
    ),
    "conversation": (
        *("conversation_seconds", "conversations", "utterances", "words", "turns"),
        *("turn_balance", "partners", "reciprocity", "clustering", "distinct_2"),
        *("lexical_diversity", "self_repetition", "echo"),
    ),
    "time and places": ("adherence", "place_entropy", "together"),
    "failures": (
        *("unusual_places", "declined", "formality", "broken_norms", "fallbacks"),
        "policy_errors",
    ),
    "cost": (
        *("calls_per_hour", "tokens_per_hour", "dollars_per_hour", "dollars_per_human_hour"),
        "wall_seconds",
    ),
}


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
    runs = list(_list_runs(folder, measures))
    wanted: list[_Wanted] = [
        (run.file, names, folder.base, read_measured(run.file))
        for run in runs
        if run.state == "finished" and run.measured is None
    ]
    read = iter(_read_all(wanted, workers))
    known = len(runs) - len(wanted)
    for run in runs:
        if run.state != "finished" or run.measured is not None:
            yield run
            continue
        found = next(read)
        known += 1
        if on_read is not None:
            on_read(known, len(runs))
        if isinstance(found, str):
            yield replace(run, state="damaged", problem=found, earlier=False)
        else:
            yield replace(run, measured=found)


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


def find_group(measure: str) -> str:
    """Return what a measure is about, by its name with or without a key."""
    stem = measure.partition(".")[0]
    return next((group for group, names in _GROUPS.items() if stem in names), _OTHER)


def order_measures(measures: Iterable[str], primary: Sequence[str]) -> tuple[str, ...]:
    """Return the primary measures first, then the others group by group."""
    groups = [*_GROUPS, _OTHER]
    rest = [name for name in dict.fromkeys(measures) if name not in primary]
    return (*primary, *sorted(rest, key=lambda name: groups.index(find_group(name))))


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
    found: dict[tuple[str, int], dict[str, list[float]]] = {}
    for one in score_conditions(given):
        for seed, mean in one.seeds.items():
            found.setdefault((one.condition, seed), {}).setdefault(one.rubric, []).append(mean)
    return {at: {rubric: fmean(own[rubric]) for rubric in own} for at, own in found.items()}


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
