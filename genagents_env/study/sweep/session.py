"""A sweep: every trial of a folder run to its end, by as many workers as there are cores."""

import logging
import os
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic

from genagents_env.errors import ConfigError
from genagents_env.record.lock import RunLock
from genagents_env.record.rows import JSON
from genagents_env.run import Limits, RunOptions
from genagents_env.run.preflight import check_model_server
from genagents_env.study.sweep.backends import check_backend, count_cores, is_remote
from genagents_env.study.sweep.design.cells import Cell, needs_model
from genagents_env.study.sweep.design.fields import BudgetTable
from genagents_env.study.sweep.design.trials import Trial
from genagents_env.study.sweep.files import LEDGER
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.job import DAMAGED, Job, TrialResult
from genagents_env.study.sweep.ledger import SharedLedger, bound_spend, read_spend, write_spend
from genagents_env.study.sweep.lives import find_reason_to_stop
from genagents_env.study.sweep.log import TrialHistory
from genagents_env.study.sweep.measured import read_measured
from genagents_env.study.sweep.progress import (
    ProgressTracker,
    SweepProgress,
    SweepResult,
    format_message,
)
from genagents_env.study.sweep.signals import SignalForwarder
from genagents_env.study.sweep.stop_rule import StopRule
from genagents_env.study.sweep.supervisor import supervise
from genagents_env.study.sweep.worker import retry_while_locked

_log = logging.getLogger(__name__)
_MOST_PARTS = 20  # of the budget that one run elsewhere may use up
_LOOK = 0.2  # seconds between two looks at how far the workers are


@dataclass(frozen=True)
class SweepOptions:
    """How a sweep is carried out; nothing here changes what happens in runs that finish.

    Attributes:
        workers: processes at once; None is one for each core.
        backend: `loky` (processes of this machine) or `ray` (a cluster).
        watch: called with how far it is, five times a second and at the end, in another thread.
        trials: names of those to be run; None is all.
        preflight: ask each model server one small question before the first run, see
            `run.preflight`; it counts against the budget of all runs. With a budget, that is not
            asked again once the sweep has asked a model anything.
        strict: a run stops, as failed, at the first error of a policy.
        anyway: go on after a first seed that shows no answer, and run again what was paid for
            under other code.
    """

    workers: int | None = None
    backend: str = "loky"
    watch: Callable[[SweepProgress], None] | None = None
    trials: Collection[str] | None = None
    preflight: bool = False
    strict: bool = False
    anyway: bool = False

    def count_workers(self) -> int:
        """Return how many processes run at once, or raise ConfigError."""
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"workers: {self.workers} is not allowed; 1 or more")
        return self.workers if self.workers is not None else count_cores()


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
        self.experiment, self.is_remote = folder.experiment, is_remote(options.backend)
        self.workers = options.count_workers()
        self.trials = {one.name: one for one in folder.trials}
        if options.trials is not None:
            if unknown := sorted(set(options.trials) - set(self.trials)):
                raise ConfigError(f"trials: no trial {unknown[0]!r} in {folder.path}")
            self.trials = {k: one for k, one in self.trials.items() if k in options.trials}
        self.tracker = ProgressTracker(self.trials.values(), self.workers)
        self.problems: list[str] = []
        self.finished: set[str] = set()  # as the log says
        self.again: list[Trial] = []
        self.redone: set[str] = set()
        self.halted = ""
        self.parts: dict[str, tuple[SharedLedger, Limits]] = {}  # of the budget, held elsewhere
        self.parted: dict[str, int] = {}  # how many parts each used up

    def run(self) -> SweepResult:
        """Run what is due, and return how it all stands."""
        check_backend(self.options.backend)
        lock = RunLock(self.folder.path / LEDGER)
        try:
            with self._open_ledger() as self.ledger:
                self.ledger.begin()
                self._adopt_parts()
                return self._run()
        finally:
            lock.release()

    def _run(self) -> SweepResult:
        self.signals = SignalForwarder(None if self.is_remote else self._list_pids)
        self.stop_rule = StopRule(lambda: self.ledger.exhausted, lambda: self.signals.signal)
        with self.signals.listen(), self._look_on():
            due = self.find_due()
            if not self.options.anyway:
                self._check_paid(due)
            # Where calls are limited in any way, no restart may add a question.
            is_limited = self.experiment.budget != BudgetTable()
            if self.options.preflight and not (is_limited and self.ledger.spent.calls):
                self._ask_first_questions(due)
            how: dict[str, JSON] = {"workers": self.workers, "backend": self.options.backend}
            self._log("started", due=len(due), **how)
            with suppress(KeyboardInterrupt):  # of `signals`, which knows the signal
                self._run_first_seed_first(due)
        return self._conclude()

    def _run_first_seed_first(self, due: Sequence[Trial]) -> None:
        first = self.experiment.seed_list[0]
        self._run_trials([trial for trial in due if trial.seed == first])
        rest = [trial for trial in due if trial.seed != first]
        if rest and not self.options.anyway and self.signals.signal is None:
            pilots = self.folder.pilots
            files = ((one, read_measured(self.folder.run_file(one))) for one in pilots)
            runs = {one.condition.levels: found for one, found in files if found is not None}
            self.halted = find_reason_to_stop(self.experiment, len(pilots), runs)
        if not self.halted:
            self._run_trials(rest)

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
            with self._open_ledger("preflight") as budget:
                options = RunOptions(
                    model=model, model_options=how, limits=self._limits, shared_budget=budget
                )
                check_model_server(options)

    def _run_trials(self, due: Sequence[Trial]) -> None:
        while due:
            self.again = []
            supervise(
                [self.make_job(trial) for trial in due],
                backend=self.options.backend,
                workers=self.workers,
                on_result=self._handle_result,
                may_start=lambda job: self.stop_rule.allows(
                    self._needs_model(self.trials[job.trial])
                ),
                on_death=self._handle_deaths,
                prepare=self._prepare_job,
            )
            due = self.again if self.signals.signal is None else []

    def find_due(self) -> list[Trial]:
        """Return the trials to be run, with damaged files out of the way."""
        histories = self.folder.log.read_histories()
        due = []
        for name, trial in self.trials.items():
            history = histories.get(name, TrialHistory())
            self.finished |= {name} if history.finished else set()
            status = self.folder.verify(trial, histories)
            if status.state == "finished":
                self.tracker.note_state(name, "finished", degraded=bool(status.degraded))
                self._tell_degraded(name, status.degraded)
                if status.measured and (seconds := status.measured.usage.seconds):
                    self.tracker.note_duration(name, seconds)
                is_judged = not (history.unjudged and self.experiment.judge)
                if status.measured and history.finished and is_judged:
                    continue
            elif status.state == "damaged":
                self._set_aside(trial, status.problem)
            elif status.state == "stopped":
                self.tracker.note_state(name, "stopped")
            elif status.state == "due" and self.folder.run_file(trial).exists():
                self._set_aside(trial, f"{self.folder.run_file(trial)} is empty")
            due.append(trial)
        return due

    def _tell_degraded(self, trial: str, how: str) -> None:
        if how:
            self.problems.append(f"{trial}: degraded: {how}")

    def _set_aside(self, trial: Trial, problem: str) -> None:
        """Move the file of a trial out of the way, and say so."""
        target = retry_while_locked(lambda: self.folder.set_aside(trial))
        self.finished.discard(trial.name)
        self._log("set aside", trial=trial.name, file=target.name, message=problem)
        self.problems.append(f"{problem}; it was moved to {target}, and the trial is run again")

    def make_job(self, trial: Trial) -> Job:
        """Return what a worker is given to run a trial."""
        experiment, remote, cell = self.experiment, self.is_remote, self._cell(trial)
        return Job(
            trial=trial.name,
            spec=replace(cell.spec, seed=trial.seed),
            path=self.folder.run_file(trial).absolute(),
            ledger=None if remote else (self.folder.path / LEDGER).absolute(),
            options=replace(
                cell.options,
                limits=self._limits,
                concurrency=experiment.concurrency,
                model_options=experiment.endpoint.make_options(),
                strict=self.options.strict,
                max_fallbacks=experiment.max_fallbacks,
            ),
            total=self._total,
            judge=experiment.judge,
            measures=experiment.list_measures(),
            base=self.folder.base,
            is_dedicated=not remote,
        )

    def _prepare_job(self, job: Job) -> Job:
        """Give a worker on another machine its part of what is left of the budget.

        It stays reserved until the worker returns.
        """
        if not self.is_remote:
            return job
        held = self._open_ledger(job.trial)  # in another thread
        part = held.hold_part(max(1, self.workers - len(self.parts)))
        self.parts[job.trial] = held, part
        return replace(job, total=part)

    def _lose_parts(self) -> None:
        """Count as spent all parts that did not return: nobody will say what was spent of them."""
        while self.parts:
            held, _ = self.parts.popitem()[1]
            held.close()

    def _adopt_parts(self) -> None:
        """Count what single trials on other machines spent since; all of their part if lost."""
        for mark, spent in self.folder.log.read_parts().items():
            self.ledger.adopt(mark, read_spend(spent))

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

    def _open_ledger(self, trial: str | None = None) -> SharedLedger:
        return SharedLedger(self.folder.path / LEDGER, self._total, trial)

    def _needs_model(self, trial: Trial) -> bool:
        """Whether a trial needs a model, as far as its policies say so."""
        return any(map(needs_model, self._cell(trial).policies))

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
        with self._open_ledger() as ledger:
            before = monotonic()
            while True:
                ended = over.wait(_LOOK)
                now = monotonic()
                ledger.count_seconds(now - before)
                before = now
                running = {
                    trial: progress
                    for trial, (_, progress) in ledger.list_running().items()
                    if progress is not None and trial in self.trials
                }
                if self.options.watch is not None:
                    self.options.watch(self.tracker.count(ledger.spent, running))
                if ended:
                    return

    def _handle_result(self, result: TrialResult) -> None:
        trial = self.trials[result.trial]
        if result.trial in self.parts:
            held, part = self.parts.pop(result.trial)
            with held:
                held.settle(bound_spend(part), result.spent)
        if result.status == DAMAGED and trial.name not in self.redone:
            self.redone.add(trial.name)
            self._set_aside(trial, result.message)
            self.again.append(trial)
            return
        if result.status == "interrupted" and self.signals.signal is None:
            self.again.append(trial)  # a signal ended this one worker
        if self._may_go_on(result):
            self.parted[trial.name] = self.parted.get(trial.name, 0) + 1
            self.again.append(trial)
            return
        self.stop_rule.note(result, self._needs_model(trial))
        self.tracker.note_result(result)
        self._tell_degraded(result.trial, result.degraded)
        self.log_result(result)

    def _may_go_on(self, result: TrialResult) -> bool:
        """Whether a run elsewhere used up its part of the budget while there is more of it."""
        if not self.is_remote or result.status != "budget_exhausted":
            return False
        left = self._total.subtract(self.ledger.spent)
        some = [left.calls, left.tokens, left.dollars]
        return all(one is None or one > 0 for one in some) and (
            self.parted.get(result.trial, 0) < _MOST_PARTS
        )

    def log_result(self, result: TrialResult) -> None:
        """Note in the log how a trial stands."""
        name, is_finished = result.trial, result.state == "finished"
        if not is_finished or name not in self.finished:
            self.finished |= {name} if is_finished else set()
            self._log(
                result.state,
                trial=name,
                status=result.status,
                tick=result.tick,
                hash=result.hash,
                seconds=round(result.seconds, 3),
                degraded=result.degraded or None,
                message=result.message or None,
            )
        elif not result.message:
            self._log("judged", trial=name)
        if result.message and result.state != "stopped":
            self.problems.append(f"{name}: {result.message}")

    def _handle_deaths(self, trials: Sequence[str]) -> None:
        self.ledger.reap()
        self._lose_parts()
        if self.signals.signal is None:
            self._log("worker died", trials=list(trials))

    def _conclude(self) -> SweepResult:
        self._lose_parts()
        self.ledger.reap()
        progress = self.tracker.count(self.ledger.spent)
        left = progress.total - progress.finished - progress.failed
        code, why = self.stop_rule.conclude(left, progress.failed, progress.degraded)
        halted = bool(self.halted and left and not why)  # a signal, an outage, a budget go first
        if halted:
            code, why = ConfigError.exit_code, self.halted
        message = format_message(progress, why, self.folder.path, halted=halted)
        spent = write_spend(self.ledger.spent)
        self._log("ended", exit_code=code, message=message, spent=spent)
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
        told = ", ".join(f"{key} {value}" for key, value in known.items())
        _log.info("sweep %s: %s%s", self.folder.path, event, f" ({told})" if told else "")
