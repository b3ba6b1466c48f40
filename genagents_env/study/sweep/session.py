"""A sweep: every trial of a folder run to its end, by as many workers as there are cores."""

import logging
import os
import platform
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from time import monotonic

from genagents_env import __version__
from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Spend
from genagents_env.record.lock import RunLock
from genagents_env.record.rows import JSON
from genagents_env.run import Limits, RunOptions
from genagents_env.run.policies import find_policy_class
from genagents_env.run.preflight import check_model_server
from genagents_env.study.sweep.backends import check_backend, is_remote
from genagents_env.study.sweep.design.cells import Cell
from genagents_env.study.sweep.design.experiment import BudgetTable
from genagents_env.study.sweep.design.trials import Trial
from genagents_env.study.sweep.files import VALUES, replace_run, write_whole
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.job import DAMAGED, Job, TrialResult
from genagents_env.study.sweep.ledger import Rate, SharedLedger, part_budget, read_spend
from genagents_env.study.sweep.lives import describe_degraded_levels, describe_equal_levels
from genagents_env.study.sweep.log import TrialHistory
from genagents_env.study.sweep.measured import read_measured, restamp
from genagents_env.study.sweep.options import SweepOptions, count_cores
from genagents_env.study.sweep.origin import LEDGER
from genagents_env.study.sweep.progress import ProgressTracker
from genagents_env.study.sweep.result import SweepResult, format_message
from genagents_env.study.sweep.signals import SignalForwarder
from genagents_env.study.sweep.stop_rule import StopRule
from genagents_env.study.sweep.supervisor import supervise
from genagents_env.study.sweep.trial_status import describe_degraded
from genagents_env.study.sweep.worker import retry_while_locked

_log = logging.getLogger(__name__)
# llama.cpp's threads spin at barriers: with every core taken it falls to a hundredth of its speed.
_SPARE_CORES = 1
_LIBRARIES = ("numpy", "scipy", "pydantic", "pettingzoo", "joblib", "xllamacpp", "onnxruntime")
_MOST_PARTS = 20  # of the budget that one run elsewhere may use up
_LOOK = 0.2  # seconds between two looks at how far the workers are


def sweep(folder: SweepFolder, options: SweepOptions | None = None) -> SweepResult:
    """Run every trial of `folder` that is not finished, each exactly once.

    Runs that were stopped or killed are resumed from their checkpoints; damaged files are set
    aside and run again. SIGINT and SIGTERM stop all runs at their next tick, with a checkpoint.
    The first seed of every cell runs first: where two levels lead the same lives in it, nothing
    that happened depends on them, and the sweep stops there. So it does where all runs of a level
    are degraded, and degraded ones are excluded.

    Raises:
        ConfigError: an option is not allowed, a backend is not installed, or runs that were paid
            for would be run again.
        ScenarioError, PolicyError: as of `design.cells.build_cells`.
        RecordError: what was spent before cannot be read.
        RunLocked: another sweep is running in this folder.
    """
    return SweepSession(folder, options or SweepOptions()).run()


class SweepSession:
    """One process's part of a sweep, from finding out what is due to the end.

    Args:
        folder: of the sweep.
        options: how it is carried out.
    """

    def __init__(self, folder: SweepFolder, options: SweepOptions) -> None:
        self.folder, self.options = folder, options
        self.experiment = folder.experiment
        self.workers = options.count_workers()
        self.trials = {trial.name: trial for trial in choose_trials(folder, options.trials)}
        self.problems: list[str] = []
        self.finished: set[str] = set()  # as the log says
        self.again: list[Trial] = []
        self.redone: set[str] = set()
        self.halted = ""
        self.parted: dict[str, int] = {}  # parts of the budget that each used up elsewhere

    def run(self) -> SweepResult:
        """Run what is due, and return how it all stands."""
        backend = self.options.backend
        check_backend(backend)
        lock = RunLock(self.folder.path / LEDGER)
        try:
            with SharedLedger(self.folder.path / LEDGER, self._total, self._rate) as self.ledger:
                self.ledger.begin()
                self._adopt_parts()
                return self._run()
        finally:
            lock.release()

    def _run(self) -> SweepResult:
        backend = self.options.backend
        pids = None if is_remote(backend) else self._list_pids
        self.signals = SignalForwarder(pids)
        self.stop_rule = StopRule(lambda: self.ledger.exhausted, lambda: self.signals.signal)
        watch, spent = self.options.watch, lambda: self.ledger.spent
        self.tracker = ProgressTracker(self.trials.values(), self.workers, spent, watch)
        with self.signals.listen(), self._look_on():
            due = self._find_due()
            if not self.options.anyway:
                self._check_paid(due)
            if self.options.preflight and not (self._is_limited and self.ledger.spent.calls):
                self._ask_first_questions(due)
            how: dict[str, JSON] = {"workers": self.workers, "backend": backend}
            self._log("started", versions=dict(list_versions()), due=len(due), **how)
            with suppress(KeyboardInterrupt):  # of `signals`, which knows the signal
                self._run_first_seed_first(due)
        return self._conclude()

    def _run_first_seed_first(self, due: Sequence[Trial]) -> None:
        first = self.folder.plan.seeds[0]
        self._run_trials([trial for trial in due if trial.seed == first])
        rest = [trial for trial in due if trial.seed != first]
        if rest and not self.options.anyway and self.signals.signal is None:
            self.halted = self._find_reason_to_stop()
        if not self.halted:
            self._run_trials(rest)

    def _find_reason_to_stop(self) -> str:
        """Return why more seeds would find nothing, by the first one; empty where they may."""
        plan = self.folder.plan
        runs = {}
        for trial in self.folder.trials[: len(plan.conditions)]:
            measured = read_measured(self.folder.run_file(trial))
            if measured is not None:
                runs[trial.condition.levels] = measured
        degraded = {levels: describe_degraded(one.degradation) for levels, one in runs.items()}
        found = list(describe_degraded_levels(plan.levels, degraded))
        if found and self.experiment.degraded == "exclude":
            return "; ".join(found)
        lives = {levels: one.life for levels, one in runs.items()}
        return "; ".join(describe_equal_levels(plan.levels, lives))

    def _check_paid(self, due: Sequence[Trial]) -> None:
        """Raise ConfigError where a run that asked a model would be run again under other code."""
        again = []
        for trial in due:
            path = None if self.folder.run_file(trial).exists() else self.folder.find_earlier(trial)
            found = None if path is None else read_measured(path)
            if found is not None and found.usage.calls:
                again.append(found.usage)
        if again:
            calls = sum(one.calls for one in again)
            raise ConfigError(
                f"{len(again)} finished run{'' if len(again) == 1 else 's'} ({calls:,} model "
                "calls) would be run again: the scenario, a policy or the package has changed "
                "since; --anyway does it, "
                f"`genagents report {self.folder.path}` reads what there is"
            )

    def _ask_first_questions(self, due: Sequence[Trial]) -> None:
        """Ask each model that a run needs; what is wrong with one is told before any run."""
        how = self.experiment.endpoint.make_options()
        needing = [self._cell(trial).model for trial in due if self._needs_model(trial)]
        for model in dict.fromkeys(needing):
            with SharedLedger(self.ledger.path, self._total, self._rate, "preflight") as budget:
                options = RunOptions(
                    model=model, model_options=how, limits=self._limits, shared_budget=budget
                )
                check_model_server(options)

    def _run_trials(self, due: Sequence[Trial]) -> None:
        while due:
            self.again = []
            self.problems += supervise(
                [self.make_job(trial) for trial in due],
                backend=self.options.backend,
                workers=self.workers,
                on_result=self._handle_result,
                may_start=lambda job: self.stop_rule.allows(
                    self._needs_model(self.trials[job.trial])
                ),
                on_death=self._handle_deaths,
                prepare=self._give_part,
            )
            due = self.again if self.stop_rule.signal is None else []

    def _find_due(self) -> list[Trial]:
        """Return the trials to be run, with damaged files out of the way."""
        histories = self.folder.log.read_histories()
        unjudged = self._read_log(histories)
        due = []
        for name, trial in self.trials.items():
            status = self.folder.verify(trial, histories)
            if status.state == "finished":
                self.tracker.note_state(name, "finished")
                self._note_degraded(name, status.degraded)
                if status.measured and name in self.finished and name not in unjudged:
                    continue
            elif status.state == "damaged":
                self.set_aside(trial, status.problem)
            elif status.state == "stopped":
                self.tracker.note_state(name, "stopped")
            elif status.state == "due" and self.folder.run_file(trial).exists():
                self.set_aside(trial, f"{self.folder.run_file(trial)} is empty")
            due.append(trial)
        return due

    def _note_degraded(self, trial: str, how: str) -> None:
        if how:
            self.tracker.note_degraded(trial)
            self.problems.append(f"{trial}: degraded: {how}")

    def _read_log(self, histories: Mapping[str, TrialHistory]) -> set[str]:
        """Learn which trials were noted as finished; return those not judged to the end."""
        unjudged: set[str] = set()
        for name, history in histories.items():
            if name in self.trials:
                self.finished |= {name} if history.finished else set()
                unjudged |= {name} if history.unjudged else set()
                self.tracker.note_durations(name, history.seconds)
        return unjudged if self.experiment.judge else set()

    def set_aside(self, trial: Trial, problem: str) -> None:
        """Move the file of a trial out of the way, and say so."""
        target = retry_while_locked(lambda: self.folder.set_aside(trial))
        self.finished.discard(trial.name)
        self._log("set aside", trial=trial.name, file=target.name, message=problem)
        self.problems.append(f"{problem}; it was moved to {target}, and the trial is run again")

    def make_job(self, trial: Trial) -> Job:
        """Return what a worker is given to run a trial."""
        experiment, remote = self.experiment, is_remote(self.options.backend)
        cell = self._cell(trial)
        return Job(
            trial=trial.name,
            spec=replace(cell.spec, seed=trial.seed),
            path=self.folder.run_file(trial).absolute(),
            ledger=None if remote else (self.folder.path / LEDGER).absolute(),
            total=self._total,
            rate=self._rate,
            limits=self._limits,
            model=cell.model,
            model_for=cell.model_for,
            embedder=cell.embedder,
            interviews=cell.interviews,
            concurrency=experiment.concurrency,
            model_options=experiment.endpoint.make_options(),
            judge=experiment.judge,
            threads=max(1, (count_cores() - _SPARE_CORES) // self.workers),
            measures=experiment.list_measures(),
            base=self.folder.base,
            collect=remote,
            strict=self.options.strict,
            max_fallbacks=experiment.max_fallbacks,
            is_dedicated=not remote,
        )

    def _give_part(self, job: Job) -> Job:
        """Give a worker on another machine its part of what is left, which counts as reserved."""
        if job.ledger is not None:
            return job
        with SharedLedger(self.ledger.path, self._total, self._rate) as ledger:  # in another thread
            part = ledger.give_part(job.trial, self.workers)
        return replace(job, total=part, rate=self._rate.divide(self.workers))

    def _adopt_parts(self) -> None:
        """Count what single trials on other machines spent since; all of their part if lost."""
        lines = self.folder.log.read()
        back = {
            line.get("id"): line.get("spent") for line in lines if line.get("event") == "part back"
        }
        for line in lines:
            if line.get("event") == "part" and self.ledger.adopt(str(line.get("id"))):
                self.ledger.spend(read_spend(back.get(line.get("id"), line.get("spent"))))

    @cached_property
    def _cells(self) -> dict[tuple[str, ...], Cell]:
        return {cell.condition.levels: cell for cell in self.folder.cells}

    def _cell(self, trial: Trial) -> Cell:
        return self._cells[trial.condition.levels]

    @cached_property
    def _limits(self) -> Limits:
        """What one run may spend; a limit on all runs' dollars wants a price of each, too."""
        run, total = self.experiment.budget.run, self.experiment.budget.total
        limits = run.limits()
        return limits if run.dollars is not None else replace(limits, dollars=total.dollars)

    @property
    def _total(self) -> Limits:
        return self.experiment.budget.total.limits()

    @property
    def _rate(self) -> Rate:
        rate = self.experiment.rate
        return Rate(rate.requests_per_minute, rate.tokens_per_minute)

    @property
    def _is_limited(self) -> bool:
        """Whether calls are limited in any way, so that no restart may add a question."""
        return self.experiment.budget != BudgetTable()

    def _needs_model(self, trial: Trial) -> bool:
        """Whether a trial needs a model, as far as its policies say so."""
        return any(self._model_needs[name] for name in _list_policies(self._cell(trial)))

    @cached_property
    def _model_needs(self) -> dict[str, bool]:
        names = [name for cell in self._cells.values() for name in _list_policies(cell)]
        return {name: _policy_needs_model(name) for name in dict.fromkeys(names)}

    def _list_pids(self) -> dict[str, int]:
        """Return the workers; this process itself is among them while it asks first questions."""
        running = self.ledger.list_running().items()
        return {trial: pid for trial, (pid, _) in running if pid != os.getpid()}

    @contextmanager
    def _look_on(self) -> Iterator[None]:
        """Report how far the workers are, from a thread, and count the seconds of the sweep."""
        over = threading.Event()
        thread = threading.Thread(target=self._look, args=(over,), name="sweep watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _look(self, over: threading.Event) -> None:
        with SharedLedger(self.ledger.path, self._total, self._rate) as ledger:
            before = monotonic()
            while True:
                ended = over.wait(_LOOK)
                now = monotonic()
                ledger.spend(Spend(), now - before)
                before = now
                for trial, (_, progress) in ledger.list_running().items():
                    if progress is not None and trial in self.trials:
                        self.tracker.note_progress(trial, progress)
                if ended:
                    return

    def _handle_result(self, result: TrialResult) -> None:
        trial = self.trials[result.trial]
        if result.file is not None:
            replace_run(self.folder.run_file(trial), result.file)
            self._put_values(trial, result)
        if is_remote(self.options.backend):
            self.ledger.return_part(result.trial, result.spent)
        if result.status == DAMAGED and trial.name not in self.redone:
            self.redone.add(trial.name)
            self.set_aside(trial, result.message)
            self.again.append(trial)
            return
        if result.status == "interrupted" and self.stop_rule.signal is None:
            self.again.append(trial)  # a signal ended this one worker
        if self._may_go_on(result):
            self.parted[trial.name] = self.parted.get(trial.name, 0) + 1
            self.again.append(trial)
            return
        self.stop_rule.note(result, self._needs_model(trial))
        self.tracker.note_result(result)
        self._note_degraded(result.trial, result.degraded)
        self.log_result(result)

    def _may_go_on(self, result: TrialResult) -> bool:
        """Whether a run elsewhere used up its part of the budget while there is more of it."""
        if not is_remote(self.options.backend) or result.status != "budget_exhausted":
            return False
        left = part_budget(self._total, self.ledger.spent, 1)
        some = [left.calls, left.tokens, left.dollars]
        return all(one is None or one > 0 for one in some) and (
            self.parted.get(result.trial, 0) < _MOST_PARTS
        )

    def _put_values(self, trial: Trial, result: TrialResult) -> None:
        """Store what a worker elsewhere measured, of the file as it lies here."""
        path = self.folder.run_file(trial)
        if result.values is not None:
            write_whole(path.with_name(path.name + VALUES), result.values.decode())
            restamp(path)

    def log_result(self, result: TrialResult) -> None:
        """Note in the log how a trial stands."""
        name = result.trial
        if result.state == "finished" and name not in self.finished:
            self.finished.add(name)
            self._log(
                "finished",
                trial=name,
                hash=result.hash,
                tick=result.tick,
                seconds=round(result.seconds, 3),
                unjudged=result.message or None,
                degraded=result.degraded or None,
            )
        elif result.state == "finished" and not result.message:
            self._log("judged", trial=name)
        elif result.state != "finished":
            how: dict[str, JSON] = {"status": result.status, "tick": result.tick}
            seconds = round(result.seconds, 3)
            self._log(result.state, trial=name, seconds=seconds, **how, message=result.message)
        if result.state == "failed" or (result.state == "finished" and result.message):
            self.problems.append(f"{name}: {result.message}")

    def _handle_deaths(self, trials: Sequence[str]) -> None:
        self.ledger.reap()
        self.tracker.note_lost(trials)
        if is_remote(self.options.backend):
            self.ledger.lose_parts()  # nobody will say what they spent of them
        if self.stop_rule.signal is None:
            self._log("worker died", trials=list(trials))

    def _conclude(self) -> SweepResult:
        self.ledger.reap()
        progress = self.tracker.progress
        left = progress.total - progress.finished - progress.failed
        code, why = self.stop_rule.conclude(left, progress.failed, progress.degraded)
        if self.halted and left and code == 1:
            code = ConfigError.exit_code
        message = format_message(progress, self.halted or why, self.folder.path)
        self._log("ended", exit_code=code, message=message)
        return SweepResult(
            folder=self.folder.path,
            total=progress.total,
            finished=progress.finished,
            stopped=progress.stopped,
            failed=progress.failed,
            degraded=progress.degraded,
            problems=tuple(dict.fromkeys(self.problems)),
            spent=self.ledger.spent,
            exit_code=code,
            message=message,
        )

    def _log(self, event: str, **what: JSON) -> None:
        known = {key: value for key, value in what.items() if value is not None}
        self.folder.log.append(event=event, **known)
        told = ", ".join(f"{key} {value}" for key, value in known.items() if key != "versions")
        _log.info("sweep %s: %s%s", self.folder.path, event, f" ({told})" if told else "")


def list_versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of those libraries that are installed."""
    versions = {"genagents-env": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        with suppress(PackageNotFoundError):
            versions[library] = version(library)
    return versions


def choose_trials(folder: SweepFolder, names: Collection[str] | None) -> list[Trial]:
    """Return the trials of these names, or all.

    Raises:
        ConfigError: there is none of a name.
    """
    if names is None:
        return list(folder.trials)
    unknown = sorted(set(names) - {trial.name for trial in folder.trials})
    if unknown:
        raise ConfigError(f"trials: no trial {unknown[0]!r} in {folder.path}")
    return [trial for trial in folder.trials if trial.name in names]


def _list_policies(cell: Cell) -> tuple[str, ...]:
    return cell.spec.policy.name, *cell.spec.policy_for.values()


def _policy_needs_model(policy: str) -> bool:
    try:
        return find_policy_class(policy).needs_model
    # A user's file, or a package that is missing: its own runs report why it cannot be loaded.
    except (Exception, SystemExit):
        return False
