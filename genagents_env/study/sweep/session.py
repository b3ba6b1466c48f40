"""A sweep: every trial of a folder run to its end, by as many workers as there are cores."""

import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from types import FrameType

from genagents_env.errors import ConfigError, RecordError
from genagents_env.llm.budget import Spend
from genagents_env.record.lock import RunLock
from genagents_env.run import Limits
from genagents_env.run.preflight import check_model_server
from genagents_env.run.signals import GRACE, handle_signals
from genagents_env.study.sweep.design.cells import Cell, Trial, needs_model
from genagents_env.study.sweep.design.fields import BudgetTable
from genagents_env.study.sweep.files import LEDGER
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.ledger import SharedLedger, bound_spend, read_spend, write_spend
from genagents_env.study.sweep.lives import find_reason_to_stop
from genagents_env.study.sweep.measured import read_measured
from genagents_env.study.sweep.pool import check_backend, count_cores, is_remote, supervise
from genagents_env.study.sweep.progress import ProgressTracker, SweepProgress, SweepResult
from genagents_env.study.sweep.stop_rule import StopRule
from genagents_env.study.sweep.trial_status import ENDED, TrialHistory
from genagents_env.study.sweep.worker import DAMAGED, Job, TrialResult, retry_while_locked

_LOOK = 0.2  # seconds between two looks at the workers
# Seconds for workers to end by themselves after a signal; then they are killed. A run gives its
# tick up after GRACE; the rest is for its checkpoint and its way here.
_PATIENCE = GRACE + 5.0


@dataclass(frozen=True)
class SweepOptions:
    """How a sweep is carried out; nothing here changes what happens in runs that finish.

    Attributes:
        workers: processes at once; None is one for each core.
        backend: `loky` (processes of this machine) or `ray` (a cluster).
        watch: called with how far it is, five times a second and at the end, in another thread.
        trials: names of those to be run; None is all.
        strict: a run stops, as failed, at the first error of a policy.
        anyway: go on after a first seed that shows no answer, and run again what was paid for
            under other code.
    """

    workers: int | None = None
    backend: str = "loky"
    watch: Callable[[SweepProgress], None] | None = None
    trials: Collection[str] | None = None
    strict: bool = False
    anyway: bool = False

    def count_workers(self) -> int:
        """Return how many processes run at once, or raise ConfigError."""
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"workers: {self.workers} is not allowed; 1 or more")
        return self.workers or count_cores()


def sweep(folder: SweepFolder, options: SweepOptions | None = None) -> SweepResult:
    """Run every trial of `folder` that is not finished, each exactly once.

    Runs that were stopped or killed are resumed from their checkpoints; damaged files are set
    aside and run again. Each model server is asked one small question before the first run, see
    `run.preflight`; it counts against the budget, and with one it is not asked again once the sweep
    has asked a model anything. SIGINT and SIGTERM stop all runs at their next tick, with a
    checkpoint. The first seed of every cell runs first: where two levels lead the same lives in it,
    nothing that happened depends on them, and the sweep stops there. So it does where all runs of a
    level are degraded, and degraded ones are excluded.

    Raises:
        ConfigError: an option is not allowed, a backend is not installed, or runs that were paid
            for would be run again.
        RecordError: what was spent before cannot be read.
        RunLocked: another sweep is running in this folder.
    """
    return SweepSession(folder, options or SweepOptions()).run()


def format_runs(count: int) -> str:
    """Return `1 finished run`, `2 finished runs`."""
    return f"{count} finished run{'' if count == 1 else 's'}"


class SweepSession:
    """One process's part of a sweep, from finding out what is due to the end."""

    def __init__(self, folder: SweepFolder, options: SweepOptions) -> None:
        self.folder, self.options, self.experiment = folder, options, folder.experiment
        self._log = folder.log
        self.workers, self._total = options.count_workers(), self.experiment.budget.total.limits()
        self.trials = {one.name: one for one in folder.trials}
        if options.trials is not None:
            if unknown := sorted(set(options.trials) - set(self.trials)):
                raise ConfigError(f"trials: no trial {unknown[0]!r} in {folder.path}")
            self.trials = {k: one for k, one in self.trials.items() if k in options.trials}
        self._tracker = ProgressTracker(self.trials.values(), self.workers)
        self._problems: list[str] = []
        self._finished: set[str] = set()  # as the log says
        self._redone: set[str] = set()
        self._halted = ""
        self._signal: int | None = None
        self._until = 0.0  # when workers are killed that do not end by themselves
        self._parts: dict[str, Limits] = {}  # of the budget, used elsewhere

    def run(self) -> SweepResult:
        """Run what is due, and return how it all stands."""
        check_backend(self.options.backend)
        lock = RunLock(self.folder.path / LEDGER)
        try:
            with self.folder.open_ledger() as self._ledger:
                self._ledger.begin()
                self._problems += filter(None, [self.folder.restored_note])
                # What single trials on other machines spent since; all of a part that is lost.
                for mark, spent in self._log.read_parts().items():
                    self._ledger.adopt(mark, read_spend(spent))
                self._stop_rule = StopRule(lambda: self._ledger.exhausted, lambda: self._signal)
                with handle_signals(self._receive), self._look_on():
                    self._run_due(self.find_due())
                return self._conclude()
        finally:
            lock.release()

    def _run_due(self, due: Sequence[Trial]) -> None:
        if not self.options.anyway:
            self.check_paid(due)
        # Where calls are limited in any way, no restart may add a question.
        is_limited = self.experiment.budget != BudgetTable()
        if not (is_limited and self._ledger.spent.calls):
            self._ask_first_questions(due)
        self._log.append(
            event="started", due=len(due), workers=self.workers, backend=self.options.backend
        )
        first = self.experiment.seeds[0]
        rest = [trial for trial in due if trial.seed != first]
        with suppress(KeyboardInterrupt):  # of `_receive`, which knows the signal
            self._run_trials([trial for trial in due if trial.seed == first])
            if rest and not self.options.anyway and self._signal is None:
                self._halted = self._look_at_first_seed()
            if not self._halted:
                self._run_trials(rest)

    def _look_at_first_seed(self) -> str:
        pilots = self.folder.pilots
        files = ((one, read_measured(self.folder.run_file(one))) for one in pilots)
        runs = {one.condition.levels: found for one, found in files if found is not None}
        return find_reason_to_stop(self.experiment, len(pilots), runs)

    def check_paid(self, due: Sequence[Trial]) -> None:
        """Raise ConfigError where a run that asked a model would be run again.

        It was made under other code, or with other options; or its file is gone.
        """
        without = [one for one in due if not self._has_file(one)]
        known = (one for one in without if one.name in self._finished or self._was_measured(one))
        gone = [one for one in known if self._needs_model(one)]
        if gone:
            raise ConfigError(
                f"{format_runs(len(gone))} that asked a model would be run again, since no file of "
                f"theirs is in {self.folder.runs} any more, such as {gone[0].name}.sqlite: bring "
                f"them back, or `genagents sweep {self.folder.path} --anyway` pays for them again"
            )
        files = (self.folder.find_earlier(one) for one in without)
        found = (read_measured(path) for path in files if path is not None)
        calls = [one.usage.calls for one in found if one is not None and one.usage.calls]
        if calls:
            raise ConfigError(
                f"{format_runs(len(calls))} ({sum(calls):,} model calls) would be run again: the "
                "scenario, a policy, a model, an option or the package has changed since; "
                "`genagents sweep` does it with --anyway, another folder (--out) keeps both, and "
                f"`genagents report {self.folder.path}` reads what there is"
            )

    def _was_measured(self, trial: Trial) -> bool:
        return read_measured(self.folder.run_file(trial)) is not None

    def _has_file(self, trial: Trial) -> bool:
        return self.folder.run_file(trial).exists()

    def _ask_first_questions(self, due: Sequence[Trial]) -> None:
        """Ask each model that a run needs; what is wrong with one is told before any run."""
        needing = [self._cell(trial).options for trial in due if self._needs_model(trial)]
        for options in {one.model: one for one in needing}.values():
            with self.folder.open_ledger("preflight") as budget:
                check_model_server(replace(options, shared_budget=budget))

    def _run_trials(self, due: Sequence[Trial]) -> None:
        supervise(
            [trial.name for trial in due],
            backend=self.options.backend,
            workers=self.workers,
            start=self._start,
            on_result=self._handle_result,
            on_death=self._handle_deaths,
        )

    def find_due(self) -> list[Trial]:
        """Return the trials to be run, with damaged files out of the way."""
        histories = self._log.read_histories()
        known = ((one, histories.get(one.suffix)) for one in self.trials.values())
        return [one for one, history in known if self._is_due(one, history or TrialHistory())]

    def _is_due(self, trial: Trial, history: TrialHistory) -> bool:
        """Return whether a trial is to be run, having noted how it stands."""
        status = self.folder.verify(trial, history)
        measured = status.measured
        self._finished |= {trial.name} if history.finished else set()
        if status.state == "damaged":
            self._set_aside(trial, status.problem)
        elif status.state == "due" and self._has_file(trial):
            self._set_aside(trial, f"{self.folder.run_file(trial)} is empty")
        elif status.state == "due" and history.finished:
            self._problems.append(f"{trial.name}.sqlite is gone, and the trial is run again")
        elif status.state == "stopped":
            self._tracker.note(trial.name, "stopped")
        elif status.state == "finished":
            seconds = measured.usage.seconds if measured is not None else None
            self._note_finished(trial.name, status.degraded, seconds)
            is_judged = not (history.unjudged and self.experiment.judge)
            return measured is None or not history.finished or not is_judged
        return True

    def _note_finished(self, trial: str, degraded: str, seconds: float | None) -> None:
        self._tracker.note(trial, "finished", degraded=bool(degraded), seconds=seconds)
        if degraded:
            self._problems.append(f"{trial}: degraded: {degraded}")

    def _set_aside(self, trial: Trial, problem: str) -> None:
        """Move the file of a trial out of the way, and say so."""
        target = retry_while_locked(lambda: self.folder.set_aside(trial))
        self._finished.discard(trial.name)
        self._log.append(event="set aside", trial=trial.name, file=target.name, message=problem)
        self._problems.append(f"{problem}; it was moved to {target}, and the trial is run again")

    def make_job(self, trial: Trial) -> Job:
        """Return what a worker is given to run a trial."""
        experiment, cell = self.experiment, self._cell(trial)
        return Job(
            trial=trial.name,
            spec=replace(cell.spec, seed=trial.seed),
            path=self.folder.run_file(trial).absolute(),
            ledger=None if self._is_remote else (self.folder.path / LEDGER).absolute(),
            options=replace(cell.options, strict=self.options.strict),
            total=self._total,
            judge=experiment.judge,
            measures=experiment.list_measures(),
            base=self.folder.base,
            is_dedicated=not self._is_remote,
        )

    def _start(self, name: str) -> Job | None:
        """Return the job of a trial, if it may start; called in another thread.

        A worker on another machine gets its part of what is left of the budget.
        """
        trial = self.trials[name]
        if not self._stop_rule.allows(self._needs_model(trial)):
            return None
        job = self.make_job(trial)
        if not self._is_remote:
            return job
        with self.folder.open_ledger() as ledger:
            part = ledger.take_part(max(1, self.workers - len(self._parts)))
        self._parts[name] = part
        return replace(job, total=part)

    @property
    def _is_remote(self) -> bool:
        return is_remote(self.options.backend)

    @cached_property
    def _cells(self) -> dict[tuple[str, ...], Cell]:
        return {cell.condition.levels: cell for cell in self.folder.cells}

    def _cell(self, trial: Trial) -> Cell:
        return self._cells[trial.condition.levels]

    def _needs_model(self, trial: Trial) -> bool:
        """Return whether a trial needs a model, as far as its policies say so."""
        return any(map(needs_model, self._cell(trial).policies))

    def _receive(self, number: int, frame: FrameType | None) -> None:
        """Take the first signal, which stops all runs at their next tick; the second stops now."""
        if self._signal is not None:
            self._until = time.monotonic()
            return
        self._until = time.monotonic() + _PATIENCE  # before the signal, which another thread sees
        self._signal = number
        if self._is_remote:  # where workers cannot be signalled
            raise KeyboardInterrupt

    @contextmanager
    def _look_on(self) -> Iterator[None]:
        """Count the seconds, report how far the workers are and pass signals on, from a thread."""
        over = threading.Event()
        thread = threading.Thread(target=self._look, args=(over,), name="sweep watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _look(self, over: threading.Event) -> None:
        signalled: set[int] = set()
        before = time.monotonic()
        with self.folder.open_ledger() as ledger:
            while True:
                ended = over.wait(_LOOK)
                with suppress(RecordError):  # of a full disk: counted at a later look
                    ledger.count_seconds((now := time.monotonic()) - before)
                    before = now
                workers = ledger.list_running()
                if self.options.watch is not None:
                    running = {k: at for k, (_, at) in workers.items() if at and k in self.trials}
                    with suppress(OSError):  # of a terminal that is gone
                        self.options.watch(self._tracker.count(self._sum_spent(ledger), running))
                if ended:
                    return
                if self._signal is not None and not self._is_remote:
                    self._signal_workers({pid for pid, _ in workers.values()}, signalled)

    def _signal_workers(self, pids: set[int], signalled: set[int]) -> None:
        """Signal every worker once, those too that connect only now; kill those that are late."""
        is_late = time.monotonic() > self._until
        # This process is among them while it asks first questions.
        for pid in pids - {os.getpid()} - (set() if is_late else signalled):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if is_late else signal.SIGTERM)
            signalled.add(pid)

    def _sum_spent(self, ledger: SharedLedger) -> Spend:
        """Return what is spent, without the parts of workers elsewhere, which may still return."""
        held = sum(map(bound_spend, list(self._parts.values())), Spend())  # first: never too little
        return ledger.spent - held

    def _handle_result(self, result: TrialResult) -> bool:
        """Note how a trial ended; return False where it is started again."""
        trial = self.trials[result.trial]
        if (part := self._parts.pop(trial.name, None)) is not None:
            self._ledger.give_back(part, result.spent)
        if result.status == DAMAGED and trial.name not in self._redone:
            self._redone.add(trial.name)
            self._set_aside(trial, result.message)
            return False
        if part is not None and result.status == "budget_exhausted" and result.spent.calls:
            return False  # there may be another part of the budget for it
        self._stop_rule.note(result, self._needs_model(trial))
        self._tracker.note(trial.name, result.state)
        if result.state == "finished":
            self._note_finished(trial.name, result.degraded, result.seconds)
        self.log_result(result)
        # A signal may have ended this one worker.
        return result.status != "interrupted" or self._signal is not None

    def log_result(self, result: TrialResult) -> None:
        """Note in the log how a trial stands."""
        name, is_finished = result.trial, result.state == "finished"
        if not is_finished or name not in self._finished:
            self._finished |= {name} if is_finished else set()
            self._log.append(
                event=result.state,
                trial=name,
                status=result.status,
                tick=result.tick,
                hash=result.hash,
                seconds=round(result.seconds, 3),
                degraded=result.degraded or None,
                message=result.message or None,
            )
        elif not result.message:
            self._log.append(event="judged", trial=name)
        if result.message and result.state != "stopped":
            self._problems.append(f"{name}: {result.message}")

    def _handle_deaths(self, trials: Sequence[str]) -> None:
        self._ledger.reap()
        self._parts.clear()  # nobody will say what was spent of them
        if self._signal is None:
            self._log.append(event="worker died", trials=list(trials))

    def _conclude(self) -> SweepResult:
        self._ledger.reap()
        spent = self._ledger.spent
        counts = self._tracker.count(spent)
        code, why = self._stop_rule.conclude(counts)
        again = f"genagents sweep {self.folder.path}"
        if self._halted and code == 1:  # a signal, an outage, a budget go first
            code, why, again = ConfigError.exit_code, self._halted, f"{again} --anyway"
        message = counts.describe()
        if counts.finished < counts.total:
            message += f"{': ' + why if why else ''}; go on with `{again}`"
        self._log.append(event=ENDED, exit_code=code, message=message, spent=write_spend(spent))
        return SweepResult(
            total=counts.total,
            finished=counts.finished,
            stopped=counts.stopped,
            failed=counts.failed,
            degraded=counts.degraded,
            folder=self.folder.path,
            problems=tuple(dict.fromkeys(self._problems)),
            spent=spent,
            exit_code=code,
            message=message,
        )
