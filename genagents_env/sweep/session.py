"""A sweep: every trial of a folder lived to its end, by as many workers as there are cores."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Spend
from genagents_env.policy_loader import find_policy_class
from genagents_env.record.rows import JSON
from genagents_env.run import Limits
from genagents_env.sweep.backends import check_backend, host_for, is_remote
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.files import replace_run
from genagents_env.sweep.folder import SweepFolder
from genagents_env.sweep.progress import ProgressTracker, SweepProgress
from genagents_env.sweep.signals import SignalForwarder
from genagents_env.sweep.spending.server import BudgetServer
from genagents_env.sweep.stop_rule import StopRule
from genagents_env.sweep.supervisor import supervise
from genagents_env.sweep.worker import DAMAGED, Job, TrialResult, retry_while_locked

# llama.cpp's threads spin at barriers: with every core taken it falls to a hundredth of its speed.
_SPARE_CORES = 1


@dataclass(frozen=True)
class SweepOptions:
    """How a sweep is carried out; nothing here changes what happens in its runs.

    Attributes:
        workers: processes at once; None is one for each core.
        backend: `loky` (processes of this machine) or `ray` (a cluster).
        watch: told how far it is, at most five times a second, and from two threads in turn.
        trials: names of those to be lived; None is all.
    """

    workers: int | None = None
    backend: str = "loky"
    watch: Callable[[SweepProgress], None] | None = None
    trials: Collection[str] | None = None


@dataclass(frozen=True)
class SweepResult:
    """How a sweep stands when it returns.

    Attributes:
        folder: of the sweep.
        total: trials that were asked for.
        finished: of these; so are the next two. The rest was not begun.
        stopped: can be gone on with.
        failed: are tried again when the sweep is resumed.
        problems: a line on everything that needs to be known.
        spent: by all of the sweep's sittings.
        exit_code: 0 all finished, 3 budget, 75 outage, 128 and the signal's number when
            interrupted, 1 some failed.
        message: how it stands and what to do, on one line.
    """

    folder: Path
    total: int
    finished: int
    stopped: int
    failed: int
    problems: tuple[str, ...]
    spent: Spend
    exit_code: int
    message: str


def sweep(folder: SweepFolder, settings: SweepOptions | None = None) -> SweepResult:
    """Live every trial of `folder` that is not finished, each exactly once.

    Runs that were stopped or killed go on from their checkpoints; damaged files are set aside
    and lived again. SIGINT and SIGTERM stop all runs at their next tick, with a checkpoint.

    Raises:
        ConfigError: a setting is not allowed, or a backend is not installed.
        ScenarioError, PolicyError: as of `Folder.trials`.
        RecordError: what was spent before cannot be read.
        RunLocked: another sweep is at work in this folder.
    """
    return SweepSession(folder, settings or SweepOptions()).run()


class SweepSession:
    """One process's share of a sweep, from taking stock to the end."""

    def __init__(self, folder: SweepFolder, settings: SweepOptions) -> None:
        self.folder, self.settings = folder, settings
        self.workers = _count_workers(settings.workers)
        self.trials = {trial.name: trial for trial in _choose_trials(folder, settings.trials)}
        self.problems: list[str] = []
        self.noted: set[str] = set()  # trials of which the log says that they are finished
        self.again: list[Trial] = []
        self.redone: set[str] = set()

    def run(self) -> SweepResult:
        """Live what is due, and tell how it all stands."""
        backend, experiment = self.settings.backend, self.folder.experiment
        check_backend(backend)
        self.server = BudgetServer(
            experiment.budget.total.limits(),
            experiment.rate,
            self.folder.path / "spending.json",
            host=host_for(backend),
            watch=lambda trial, progress: self.board.note_progress(trial, progress),
        )
        self.interruption = SignalForwarder(None if is_remote(backend) else self.server.workers)
        self.halt = StopRule(lambda: self.server.exhausted, lambda: self.interruption.signal)
        watch, spent = self.settings.watch, lambda: self.server.spent
        self.board = ProgressTracker(self.trials.values(), self.workers, spent, watch)
        with self.server, self.interruption.listen():
            due = self._find_due()
            self._note("started", versions=dict(self.folder.versions()), due=len(due))
            with suppress(KeyboardInterrupt):  # of `interruption`, which knows the signal
                self._run_trials(due)
            return self._conclude()

    def _run_trials(self, due: Sequence[Trial]) -> None:
        while due:
            self.again = []
            self.problems += supervise(
                [self._make_job(trial) for trial in due],
                backend=self.settings.backend,
                workers=self.workers,
                on_result=self._handle_result,
                may_start=lambda job: self.halt.allows(self._asks(job.trial)),
                on_death=self._handle_deaths,
            )
            due = self.again if self.halt.signal is None else []

    def _find_due(self) -> list[Trial]:
        """Take stock: return what is to be lived, with damaged files out of the way."""
        unjudged = self._read_log()
        due = []
        for name, trial in self.trials.items():
            standing = self.folder.verify(trial)
            if standing.state == "finished":
                self.board.note_state(name, "finished")
                if name in self.noted and name not in unjudged:
                    continue
            elif standing.state == "damaged":
                self._set_aside(trial, standing.problem)
            elif standing.state == "stopped":
                self.board.note_state(name, "stopped")
            elif standing.state == "due" and self.folder.run_file(trial).exists():
                self._set_aside(trial, f"{self.folder.run_file(trial)} is empty")
            due.append(trial)
        return due

    def _read_log(self) -> set[str]:
        """Learn which trials were noted as finished; return those not judged to the end."""
        unjudged: set[str] = set()
        for line in self.folder.read_log():
            name, event = str(line.get("trial")), line.get("event")
            if name not in self.trials:
                continue
            if event == "finished":
                self.noted.add(name)
                seconds = line.get("seconds")
                self.board.note_duration(name, seconds if isinstance(seconds, float) else None)
                unjudged |= {name} if line.get("unjudged") else set()
            elif event == "judged":
                unjudged.discard(name)
            elif event == "set aside":
                self.noted.discard(name)
        return unjudged if self.folder.experiment.judge else set()

    def _set_aside(self, trial: Trial, problem: str) -> None:
        lies = retry_while_locked(lambda: self.folder.set_aside(trial))
        self.noted.discard(trial.name)
        self._note("set aside", trial=trial.name, file=lies.name, message=problem)
        self.problems.append(f"{problem}; it was moved to {lies}, and the trial is lived again")

    def _make_job(self, trial: Trial) -> Job:
        experiment, remote = self.folder.experiment, is_remote(self.settings.backend)
        return Job(
            trial=trial,
            path=self.folder.run_file(trial).absolute(),
            address=self.server.address,
            limits=self._limits,
            concurrency=experiment.concurrency,
            judge=experiment.judge,
            threads=max(1, (count_cores() - _SPARE_CORES) // self.workers),
            collect=remote,
            is_dedicated=not remote,
        )

    @cached_property
    def _limits(self) -> Limits:
        """What one run may spend; a limit on all runs' dollars wants a price of each, too."""
        run, total = self.folder.experiment.budget.run, self.folder.experiment.budget.total
        limits = run.limits()
        return limits if run.dollars is not None else replace(limits, dollars=total.dollars)

    def _asks(self, trial: Trial) -> bool:
        """Whether a trial needs a model, as far as its policies say so."""
        names = (trial.spec.policy.name, *trial.spec.policy_for.values())
        return any(self._needs[name] for name in names)

    @cached_property
    def _needs(self) -> dict[str, bool]:
        needs: dict[str, bool] = {}
        for trial in self.trials.values():
            for name in (trial.spec.policy.name, *trial.spec.policy_for.values()):
                if name not in needs:
                    needs[name] = _needs_model(name)
        return needs

    def _handle_result(self, result: TrialResult) -> None:
        trial = self.trials[result.trial]
        if result.file is not None:
            replace_run(self.folder.run_file(trial), result.file)
        if result.status == DAMAGED and trial.name not in self.redone:
            self.redone.add(trial.name)
            self._set_aside(trial, result.message)
            self.again.append(trial)
            return
        if result.status == "interrupted" and self.halt.signal is None:
            self.again.append(trial)  # somebody ended this one worker
        self.halt.note(result, self._asks(trial))
        self.board.note_result(result)
        self._note_end(result)

    def _note_end(self, result: TrialResult) -> None:
        name = result.trial
        if result.state == "finished" and name not in self.noted:
            self.noted.add(name)
            self._note(
                "finished",
                trial=name,
                hash=result.hash,
                tick=result.tick,
                seconds=round(result.seconds, 3),
                unjudged=result.message or None,
            )
        elif result.state == "finished" and not result.message:
            self._note("judged", trial=name)
        elif result.state != "finished":
            how = {"status": result.status, "tick": result.tick, "message": result.message}
            self._note(result.state, trial=name, seconds=round(result.seconds, 3), **how)
        if result.state == "failed" or (result.state == "finished" and result.message):
            self.problems.append(f"{name}: {result.message}")

    def _handle_deaths(self, trials: Sequence[str]) -> None:
        self.board.note_lost(trials)
        if self.halt.signal is None:
            self._note("worker died", trials=list(trials))

    def _conclude(self) -> SweepResult:
        standing = self.board.progress
        left = standing.total - standing.finished - standing.failed
        code, why = self.halt.conclude(left, standing.failed)
        message = _format_message(standing, why, self.folder.path)
        self._note("ended", exit_code=code, message=message)
        return SweepResult(
            folder=self.folder.path,
            total=standing.total,
            finished=standing.finished,
            stopped=standing.stopped,
            failed=standing.failed,
            problems=tuple(dict.fromkeys(self.problems)),
            spent=self.server.spent,
            exit_code=code,
            message=message,
        )

    def _note(self, event: str, **what: JSON) -> None:
        told = {key: value for key, value in what.items() if value is not None}
        if event == "started":
            told |= {"workers": self.workers, "backend": self.settings.backend}
        self.folder.note(event=event, **told)


def _choose_trials(folder: SweepFolder, names: Collection[str] | None) -> list[Trial]:
    if names is None:
        return list(folder.trials)
    unknown = sorted(set(names) - {trial.name for trial in folder.trials})
    if unknown:
        raise ConfigError(f"trials: no trial {unknown[0]!r} in {folder.path}")
    return [trial for trial in folder.trials if trial.name in names]


def count_cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    from joblib import cpu_count

    return int(cpu_count())


def _count_workers(asked: int | None) -> int:
    if asked is not None and asked < 1:
        raise ConfigError(f"workers: {asked} is not allowed; 1 or more")
    return asked if asked is not None else count_cores()


def _needs_model(policy: str) -> bool:
    try:
        return find_policy_class(policy).needs_model
    # Another's file, or a package that is missing: its own runs tell why it cannot be loaded.
    except (Exception, SystemExit):
        return False


def _format_message(standing: SweepProgress, why: str, folder: Path) -> str:
    if standing.finished == standing.total:
        return f"all {standing.total:,} trials are finished"
    parts = [f"{standing.finished:,} of {standing.total:,} trials are finished"]
    parts += [f"{standing.failed:,} failed"] if standing.failed else []
    parts += [f"{standing.stopped:,} stopped"] if standing.stopped else []
    due = standing.total - standing.finished - standing.failed - standing.stopped
    parts += [f"{due:,} not begun"] if due else []
    told = ", ".join(parts)
    return f"{told}{': ' + why if why else ''}; go on with `genagents sweep --resume {folder}`"
