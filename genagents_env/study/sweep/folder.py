"""A sweep's folder: the experiment, its run files, and what is known of each trial."""

import json
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from pydantic import TypeAdapter, ValidationError

from genagents_env.errors import ConfigError, FileError, RecordError, RunLocked
from genagents_env.files import find_inside, guard_files, read_file, read_text
from genagents_env.llm.budget import Spend
from genagents_env.llm.prices import find_price
from genagents_env.record import RunReader, canonical_hash
from genagents_env.record.lock import find_writer
from genagents_env.record.rows import JSON, encode
from genagents_env.study.judge.verdicts import VERDICTS, Verdicts
from genagents_env.study.sweep.design.cells import (
    Cell,
    Condition,
    Trial,
    build_cells,
    list_trials,
)
from genagents_env.study.sweep.design.experiment import (
    Experiment,
    load_experiment,
    read_experiment_text,
)
from genagents_env.study.sweep.files import (
    BASE,
    DAMAGED,
    EXPERIMENT,
    LEDGER,
    LOG,
    PLAN,
    RUNS,
    move_run,
    write_whole,
)
from genagents_env.study.sweep.ledger import SharedLedger, read_spend
from genagents_env.study.sweep.measured import read_measured
from genagents_env.study.sweep.trial_status import (
    StudyRun,
    SweepLog,
    TrialHistory,
    check_noted,
    read_status,
)
from genagents_env.text import clean

_MOST_BYTES = 64 << 20  # of a plan or a note
_KINDS = ("calls", "tokens", "dollars")  # of what is spent


@dataclass(frozen=True)
class Plan:
    """What a sweep is to run, its conditions resolved: whoever reads it lays out no town.

    Attributes:
        mark: hash of the experiment file and the changes that it was made from.
        host: the machine on which the ledger is, see `ledger`.
        conditions: every cell, in the order of the experiment.
    """

    mark: str
    host: str
    conditions: tuple[Condition, ...]


_PLAN = TypeAdapter(Plan)


class SweepFolder:
    """A sweep's folder.

    Attributes:
        path: of the folder.
        restored: what had been spent, where the ledger was lost and has been made anew.
        experiment_file: in it.
        runs: where the run files are.
        log: of the trials, line by line.
        is_new: whether it was made by this object's `create`.

    Raises:
        ConfigError: there is no sweep in it.
        FileError: something in it is a link: those are not followed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self.is_new, self.restored = Path(path), False, Spend()
        self._former: dict[str, str] = {}
        self._sessions = 0
        _check_links(self.path)
        self.experiment_file, self.runs = self.path / EXPERIMENT, self.path / RUNS
        self.log = SweepLog(self.path / LOG)
        begin = f"`genagents sweep experiment.toml --out {self.path}` begins one"
        if not (self.path / BASE).is_file():
            raise ConfigError(f"{self.path} is no folder of a sweep; {begin}")
        if not self.experiment_file.is_file():
            raise ConfigError(f"{self.path} has lost its {EXPERIMENT}; {begin} again")

    @classmethod
    def create(
        cls,
        path: str | Path,
        experiment_file: str | Path,
        changes: Mapping[str, JSON] | None = None,
        *,
        text: str | None = None,
    ) -> "SweepFolder":
        """Make the folder of a sweep, or continue the one that is there.

        The experiment file is copied into it. A file changed since makes its new trials due;
        the runs of trials that are no more stay where they are.

        Args:
            path: new, empty, or of a sweep.
            experiment_file: what is run; that of a sweep's folder will do.
            changes: in place of what the file says, see `load_experiment`; kept for later.
            text: of the experiment file, where that is only a name, with which faults begin and
                beside which relative paths start.

        Raises:
            ConfigError: other things are in the folder, or the experiment has faults, see
                `build_cells`; nothing was written.
            FileError: something of a sweep in it is a link.
        """
        path, file, given = Path(path), Path(experiment_file), dict(changes or {})
        _check_free(path)
        is_new = not path.exists()
        text = read_experiment_text(file) if text is None else text
        base = _find_base(file)
        cells = build_cells(load_experiment(file, given, text), base)
        kept = [path / name for name in (BASE, EXPERIMENT, PLAN) if (path / name).is_file()]
        former = {file.name: read_text(file, _MOST_BYTES) for file in kept}
        try:
            path.mkdir(parents=True, exist_ok=True)
            write_whole(path / BASE, encode({"base": str(base), "changes": given}))
            (path / RUNS).mkdir(exist_ok=True)
            write_whole(path / EXPERIMENT, text)
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
        folder = cls(path)
        folder.is_new, folder.cells, folder._former = is_new, cells, former
        folder._sessions = folder.log.count_sessions()
        folder.plan = folder._make_plan(folder._read_plan())
        write_whole(path / PLAN, _PLAN.dump_json(folder.plan, indent=1).decode())
        return folder

    @classmethod
    def reopen(cls, path: str | Path, changes: Mapping[str, JSON] | None = None) -> "SweepFolder":
        """Open the folder of a sweep to resume it, with more changes than it has.

        Raises:
            ConfigError: as `create`; nothing was written.
        """
        folder = cls(path)
        return cls.create(path, folder.experiment_file, {**folder.changes, **(changes or {})})

    @cached_property
    def experiment(self) -> Experiment:
        """What is run; its faults are ConfigErrors."""
        return load_experiment(self.experiment_file, self.changes)

    @cached_property
    def changes(self) -> Mapping[str, JSON]:
        """What counts in place of what the experiment file says, see `load_experiment`."""
        changes = _read_note(self.path / BASE).get("changes", {})
        return changes if isinstance(changes, dict) else {}

    @cached_property
    def base(self) -> Path:
        """Where relative paths of the experiment start: the folder its file came from.

        Where that is gone, the sweep's own folder.
        """
        return _find_base(self.experiment_file)

    @cached_property
    def plan(self) -> Plan:
        """What is to be run, as it was resolved when the sweep was begun or resumed.

        Of a file that was edited since, or a folder without a plan, it is resolved anew. No policy
        is imported: a folder that is only looked at may be somebody else's.
        """
        plan = self._read_plan()
        if plan is not None and plan.mark == self._mark:
            return plan
        return self._make_plan(plan)

    @property
    def is_at_home(self) -> bool:
        """Whether this is the machine on which the sweep was begun: its ledger is only here."""
        return platform.node() == self.plan.host

    def open_ledger(self, trial: str | None = None) -> SharedLedger:
        """Open the budget of all runs and their judges together; `trial`: who reserves from it."""
        path, total = self.path / LEDGER, self.experiment.budget.total.limits()
        if not path.exists() and (self.log.path.exists() or any(self.runs.iterdir())):
            self.restored = self._sum_spending()
            with SharedLedger(path) as ledger:
                ledger.adopt("restored", self.restored)
                for mark in self.log.list_returned():  # run files have what was spent of these
                    ledger.adopt(mark, Spend())
        return SharedLedger(path, total, trial)

    @property
    def restored_note(self) -> str:
        """A sentence on the ledger that was made anew; empty where nothing was, or was spent."""
        calls = self.restored.calls
        told = f"what had been spent was counted from the runs and the log, {calls:,} calls"
        return f"{self.path / LEDGER} was missing: {told}" if calls else ""

    def _sum_spending(self) -> Spend:
        """Return what run files and judges in the log say was spent, or a session's end if more."""
        told = read_spend(self.log.find_last_spent())
        judged = sum(map(read_spend, self.log.list_judged()), Spend())
        runs = _take_most(judged, self._sum_verdicts())
        for path in (*self.runs.glob("*.sqlite"), *(self.path / DAMAGED).glob("*.sqlite")):
            with suppress(RecordError), RunReader(path, known=True) as run:
                parts = [run.spending, *run.later_spending.values()]
                runs = sum((one.total for one in parts if one is not None), runs)
        return _take_most(told, runs)

    def _sum_verdicts(self) -> Spend:
        """Return what the verdicts of models took that are kept, at the price of today."""
        spent = Spend()
        for one in Verdicts(find_inside(self.path, VERDICTS)):
            read, written = one.prompt_tokens, one.completion_tokens
            if one.by == "model" and read:
                price = self.experiment.options_for(one.judge).price or find_price(one.judge)
                dollars = Decimal(0) if price is None else price.cost(read, written)
                spent += Spend(1, read + written, dollars)
        return spent

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial, in the order in which they are run; errors as of `build_cells`."""
        return list_trials(self.plan.conditions, self.experiment.seeds)

    @property
    def pilots(self) -> tuple[Trial, ...]:
        """The trials with the first seed of each condition."""
        return self.trials[: len(self.plan.conditions)]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells with all that a run needs; no policy is imported, as for `plan`."""
        return build_cells(self.experiment, self.base, load=False)

    def _read_plan(self) -> Plan | None:
        """Return the plan in the folder; None where there is none that can be read."""
        path = find_inside(self.path, PLAN)
        try:
            return _PLAN.validate_json(read_file(path, _MOST_BYTES)) if path.is_file() else None
        except (FileError, ValidationError):
            return None

    def _make_plan(self, before: Plan | None) -> Plan:
        conditions = tuple(cell.condition for cell in self.cells)
        host = platform.node() if before is None else before.host
        return Plan(self._mark, host, conditions)

    @property
    def _mark(self) -> str:
        text = read_experiment_text(self.experiment_file)
        return sha256(f"{text}\0{encode(dict(self.changes))}".encode()).hexdigest()

    def discard_unused(self) -> None:
        """Take back what `create` did, where no run has begun: a new folder, a new experiment."""
        if self.log.count_sessions() == self._sessions:
            for name, text in self._former.items():
                write_whole(self.path / name, text)
        if self.is_new and not self.log.path.exists() and not any(self.runs.iterdir()):
            rmtree(self.path)

    def run_file(self, trial: Trial) -> Path:
        """Return the run file of a trial, which need not be there.

        One that was run with a level of another name keeps its own.

        Raises:
            FileError: it is a link.
        """
        path = find_inside(self.runs, f"{trial.name}.sqlite")
        former = (one for one in self._orphans if one.stem.endswith(f"-{trial.suffix}"))
        if path.exists():
            return path
        return next((one for one in former if one.is_file() and not one.is_symlink()), path)

    def read_statuses(self) -> tuple[StudyRun, ...]:
        """Return how every trial stands, in their order."""
        histories = self.log.read_histories()
        return tuple(
            read_status(trial, self.run_file(trial), histories.get(trial.suffix))
            for trial in self.trials
        )

    def verify(self, trial: Trial, history: TrialHistory | None) -> StudyRun:
        """Return how a trial stands, having read all of a finished run that has changed.

        It is damaged where it does not match its own checksums, or has another canonical hash
        than was noted when it finished. A file that is as it was when it was measured is trusted.
        """
        path = self.run_file(trial)
        status = read_status(trial, path, history)
        if status.state != "finished" or status.measured is not None:
            return check_noted(status, history)
        try:
            found = canonical_hash(path)
        except RecordError as error:
            return replace(status, state="damaged", problem=clean(str(error)))
        noted = {one.hash for one in (history, read_measured(path)) if one is not None}
        if noted - {None, found}:
            why = f"{path} is another run than the one that finished: its hash is {found[:12]}"
            return replace(status, state="damaged", problem=clean(why))
        return status

    def find_unknown_runs(self) -> tuple[Path, ...]:
        """Return the run files of no trial, sorted.

        Their level was removed, or the scenario, the policy's file or this package has changed
        since. They are kept and reported, and never used.
        """
        own = {self.run_file(trial) for trial in self.trials} if self._orphans else set()
        return tuple(path for path in self._orphans if path not in own)

    @cached_property
    def _unknown(self) -> tuple[Path, ...]:
        return self.find_unknown_runs()

    def find_earlier(self, trial: Trial) -> Path | None:
        """Return the file of a run of the same levels and seed, of another identity.

        The scenario, a policy or this package has changed since it was run.
        """
        lead = trial.name.removesuffix(trial.suffix)
        lead = f"{lead}s{trial.seed}-"
        return next((one for one in self._unknown if one.name.startswith(lead)), None)

    def set_aside(self, trial: Trial) -> Path:
        """Move the run file of a trial out of the way, and return where it is now.

        Raises:
            RunLocked: another process writes it.
            FileNotFoundError: there is none.
        """
        path = self.run_file(trial)
        if writer := find_writer(path):
            raise RunLocked(f"{path} is being written by {writer}; it was left alone")
        away = self.path / DAMAGED
        away.mkdir(exist_ok=True)
        number = 1
        while (target := away / f"{trial.name}-{number}.sqlite").exists():
            number += 1
        move_run(path, target)
        return target

    @cached_property
    def _orphans(self) -> list[Path]:
        """The run files that have the name of no trial, sorted."""
        own = {f"{trial.name}.sqlite" for trial in self.trials}
        return [path for path in sorted(self.runs.glob("*.sqlite")) if path.name not in own]


def _take_most(one: Spend, other: Spend) -> Spend:
    return Spend(*(max(getattr(one, kind), getattr(other, kind)) for kind in _KINDS))


def _find_base(file: Path) -> Path:
    """Return the folder from which relative paths in an experiment file start.

    It is the file's own; of a sweep's copy the one that the file came from, while that is there.

    Raises:
        ConfigError: the note of it cannot be read.
    """
    folder = file.absolute().parent
    if file.name != EXPERIMENT or not (folder / BASE).is_file():
        return folder
    base = Path(str(_read_note(folder / BASE).get("base", folder)))
    return base if base.is_dir() else folder


def _read_note(path: Path) -> dict[str, JSON]:
    """Return a JSON object that the sweep wrote, such as `base.json`: `base` and `changes`.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        note = json.loads(read_text(path, _MOST_BYTES))
    except (FileError, ValueError, RecursionError):
        note = None
    if not isinstance(note, dict):
        raise ConfigError(f"{path} cannot be read; begin the sweep again")
    return note


def _check_links(path: Path) -> None:
    """Raise FileError where something in a sweep's folder is a link; the folder itself may be."""
    for name in (EXPERIMENT, BASE, LOG, LEDGER, f"{LEDGER}-wal", PLAN, RUNS, DAMAGED):
        find_inside(path, name)


def _check_free(path: Path) -> None:
    """Raise ConfigError where no sweep can be started or resumed, FileError as `_check_links`."""
    _check_links(path)
    with guard_files(path):
        if path.exists() and not path.is_dir():
            raise ConfigError(f"{path} is a file; a sweep needs a folder")
        # Hidden files are drafts of a sweep that failed to start.
        is_new = path.is_dir() and not (path / BASE).is_file()
        used = is_new and any(not one.name.startswith(".") for one in path.iterdir())
    if used:
        raise ConfigError(f"{path} has other things in it; a sweep needs a folder of its own")
