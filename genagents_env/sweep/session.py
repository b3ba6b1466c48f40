"""A sweep: every trial of a folder run to its end, by as many workers as there are cores."""

import logging
import platform
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

from genagents_env import __version__
from genagents_env.errors import ConfigError
from genagents_env.record.rows import JSON
from genagents_env.run import Limits, RunOptions
from genagents_env.run.policies import find_policy_class
from genagents_env.run.preflight import check_model_server
from genagents_env.sweep.backends import check_backend, find_host, is_remote
from genagents_env.sweep.design.experiment import BudgetTable
from genagents_env.sweep.design.trials import Trial
from genagents_env.sweep.files import replace_run
from genagents_env.sweep.folder import SweepFolder
from genagents_env.sweep.job import DAMAGED, Job, TrialResult
from genagents_env.sweep.options import SweepOptions, count_cores
from genagents_env.sweep.origin import SPENDING
from genagents_env.sweep.progress import ProgressTracker
from genagents_env.sweep.result import SweepResult, format_message
from genagents_env.sweep.signals import SignalForwarder
from genagents_env.sweep.spending.client import BudgetClient
from genagents_env.sweep.spending.server import BudgetServer
from genagents_env.sweep.stop_rule import StopRule
from genagents_env.sweep.supervisor import supervise
from genagents_env.sweep.worker import retry_while_locked

_log = logging.getLogger(__name__)
# llama.cpp's threads spin at barriers: with every core taken it falls to a hundredth of its speed.
_SPARE_CORES = 1
_LIBRARIES = ("numpy", "scipy", "pydantic", "pettingzoo", "joblib", "xllamacpp", "onnxruntime")


def sweep(folder: SweepFolder, options: SweepOptions | None = None) -> SweepResult:
    """Run every trial of `folder` that is not finished, each exactly once.

    Runs that were stopped or killed are resumed from their checkpoints; damaged files are set
    aside and run again. SIGINT and SIGTERM stop all runs at their next tick, with a checkpoint.

    Raises:
        ConfigError: an option is not allowed, or a backend is not installed.
        ScenarioError, PolicyError: as of `SweepFolder.trials`.
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
        self.workers = options.count_workers()
        self.trials = {trial.name: trial for trial in _choose_trials(folder, options.trials)}
        self.problems: list[str] = []
        self.finished: set[str] = set()  # as the log says
        self.again: list[Trial] = []
        self.redone: set[str] = set()

    def run(self) -> SweepResult:
        """Run what is due, and return how it all stands."""
        backend, experiment = self.options.backend, self.folder.experiment
        check_backend(backend)
        self.server = BudgetServer(
            experiment.budget.total.limits(),
            experiment.rate,
            self.folder.path / SPENDING,
            host=find_host(backend),
            watch=lambda trial, progress: self.tracker.note_progress(trial, progress),
        )
        self.signals = SignalForwarder(None if is_remote(backend) else self.server.workers)
        self.stop_rule = StopRule(lambda: self.server.exhausted, lambda: self.signals.signal)
        watch, spent = self.options.watch, lambda: self.server.spent
        self.tracker = ProgressTracker(self.trials.values(), self.workers, spent, watch)
        with self.server, self.signals.listen():
            due = self._find_due()
            if self.options.preflight and not (self._is_limited and self.server.spent.calls):
                self._ask_first_questions(due)
            how: dict[str, JSON] = {"workers": self.workers, "backend": backend}
            self._log("started", versions=dict(list_versions()), due=len(due), **how)
            with suppress(KeyboardInterrupt):  # of `signals`, which knows the signal
                self._run_trials(due)
            return self._conclude()

    def _ask_first_questions(self, due: Sequence[Trial]) -> None:
        """Ask each model that a run needs; what is wrong with one is told before any run."""
        how = self.folder.experiment.endpoint.make_options()
        models = dict.fromkeys(trial.model for trial in due if self._needs_model(trial))
        for model in models:
            with closing(BudgetClient(self.server.address, "preflight")) as budget:
                options = RunOptions(
                    model=model, model_options=how, limits=self._limits, shared_budget=budget
                )
                check_model_server(options)

    def _run_trials(self, due: Sequence[Trial]) -> None:
        while due:
            self.again = []
            self.problems += supervise(
                [self._make_job(trial) for trial in due],
                backend=self.options.backend,
                workers=self.workers,
                on_result=self._handle_result,
                may_start=lambda job: self.stop_rule.allows(self._needs_model(job.trial)),
                on_death=self._handle_deaths,
            )
            due = self.again if self.stop_rule.signal is None else []

    def _find_due(self) -> list[Trial]:
        """Return the trials to be run, with damaged files out of the way."""
        unjudged = self._read_log()
        due = []
        for name, trial in self.trials.items():
            status = self.folder.verify(trial)
            if status.state == "finished":
                self.tracker.note_state(name, "finished")
                self._note_degraded(name, status.degraded)
                if name in self.finished and name not in unjudged:
                    continue
            elif status.state == "damaged":
                self._set_aside(trial, status.problem)
            elif status.state == "stopped":
                self.tracker.note_state(name, "stopped")
            elif status.state == "due" and self.folder.run_file(trial).exists():
                self._set_aside(trial, f"{self.folder.run_file(trial)} is empty")
            due.append(trial)
        return due

    def _note_degraded(self, trial: str, how: str) -> None:
        if how:
            self.tracker.note_degraded(trial)
            self.problems.append(f"{trial}: degraded: {how}")

    def _read_log(self) -> set[str]:
        """Learn which trials were noted as finished; return those not judged to the end."""
        unjudged: set[str] = set()
        for name, history in self.folder.log.read_histories().items():
            if name in self.trials:
                self.finished |= {name} if history.finished else set()
                unjudged |= {name} if history.unjudged else set()
                self.tracker.note_durations(name, history.seconds)
        return unjudged if self.folder.experiment.judge else set()

    def _set_aside(self, trial: Trial, problem: str) -> None:
        target = retry_while_locked(lambda: self.folder.set_aside(trial))
        self.finished.discard(trial.name)
        self._log("set aside", trial=trial.name, file=target.name, message=problem)
        self.problems.append(f"{problem}; it was moved to {target}, and the trial is lived again")

    def _make_job(self, trial: Trial) -> Job:
        experiment, remote = self.folder.experiment, is_remote(self.options.backend)
        return Job(
            trial=trial,
            path=self.folder.run_file(trial).absolute(),
            address=self.server.address,
            limits=self._limits,
            concurrency=experiment.concurrency,
            judge=experiment.judge,
            threads=max(1, (count_cores() - _SPARE_CORES) // self.workers),
            strict=self.options.strict,
            max_fallbacks=experiment.max_fallbacks,
            collect=remote,
            is_dedicated=not remote,
            model_options=experiment.endpoint.make_options(),
            model_for=experiment.endpoint.model_for,
        )

    @cached_property
    def _limits(self) -> Limits:
        """What one run may spend; a limit on all runs' dollars wants a price of each, too."""
        run, total = self.folder.experiment.budget.run, self.folder.experiment.budget.total
        limits = run.limits()
        return limits if run.dollars is not None else replace(limits, dollars=total.dollars)

    @property
    def _is_limited(self) -> bool:
        """Whether calls are limited in any way, so that no restart may add a question."""
        return self.folder.experiment.budget != BudgetTable()

    def _needs_model(self, trial: Trial) -> bool:
        """Whether a trial needs a model, as far as its policies say so."""
        return any(self._model_needs[name] for name in _list_policies(trial))

    @cached_property
    def _model_needs(self) -> dict[str, bool]:
        names = [name for trial in self.trials.values() for name in _list_policies(trial)]
        return {name: _policy_needs_model(name) for name in dict.fromkeys(names)}

    def _handle_result(self, result: TrialResult) -> None:
        trial = self.trials[result.trial]
        if result.file is not None:
            replace_run(self.folder.run_file(trial), result.file)
        if result.status == DAMAGED and trial.name not in self.redone:
            self.redone.add(trial.name)
            self._set_aside(trial, result.message)
            self.again.append(trial)
            return
        if result.status == "interrupted" and self.stop_rule.signal is None:
            self.again.append(trial)  # a signal ended this one worker
        self.stop_rule.note(result, self._needs_model(trial))
        self.tracker.note_result(result)
        self._note_degraded(result.trial, result.degraded)
        self._log_result(result)

    def _log_result(self, result: TrialResult) -> None:
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
        self.tracker.note_lost(trials)
        if self.stop_rule.signal is None:
            self._log("worker died", trials=list(trials))

    def _conclude(self) -> SweepResult:
        progress = self.tracker.progress
        left = progress.total - progress.finished - progress.failed
        code, why = self.stop_rule.conclude(left, progress.failed, progress.degraded)
        message = format_message(progress, why, self.folder.path)
        self._log("ended", exit_code=code, message=message)
        return SweepResult(
            folder=self.folder.path,
            total=progress.total,
            finished=progress.finished,
            stopped=progress.stopped,
            failed=progress.failed,
            degraded=progress.degraded,
            problems=tuple(dict.fromkeys(self.problems)),
            spent=self.server.spent,
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


def _choose_trials(folder: SweepFolder, names: Collection[str] | None) -> list[Trial]:
    if names is None:
        return list(folder.trials)
    unknown = sorted(set(names) - {trial.name for trial in folder.trials})
    if unknown:
        raise ConfigError(f"trials: no trial {unknown[0]!r} in {folder.path}")
    return [trial for trial in folder.trials if trial.name in names]


def _list_policies(trial: Trial) -> tuple[str, ...]:
    return trial.spec.policy.name, *trial.spec.policy_for.values()


def _policy_needs_model(policy: str) -> bool:
    try:
        return find_policy_class(policy).needs_model
    # A user's file, or a package that is missing: its own runs report why it cannot be loaded.
    except (Exception, SystemExit):
        return False
