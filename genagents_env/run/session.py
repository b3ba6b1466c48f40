"""Runs a recorded run in one process, from its start or a checkpoint to a stop."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial

from genagents_env.env import TownEnv
from genagents_env.errors import (
    BudgetExceeded,
    LLMRefused,
    LLMUnavailable,
    ModelOutage,
    PolicyFailed,
    RecordError,
)
from genagents_env.llm.calls import PromptRefused
from genagents_env.llm.cassette import Cassette, ParentCassette
from genagents_env.llm.client import ModelClient
from genagents_env.llm.event_loop import run_sync
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import Context, Infos, Observations
from genagents_env.record import Checkpoint, FaultRow, RunReader, RunWriter
from genagents_env.record.faculty_use import SWITCHES, encode_switches
from genagents_env.record.inputs import SqliteInputs
from genagents_env.run.concurrency import cancel_others
from genagents_env.run.interviews import interview_town
from genagents_env.run.models import Models, open_clients
from genagents_env.run.people import RecordedPeople
from genagents_env.run.play import play
from genagents_env.run.policies import describe_error
from genagents_env.run.policy_group import describe_fault
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.policy_trust import format_resume
from genagents_env.run.replay import restore_policies, restore_town
from genagents_env.run.signals import StopSignal
from genagents_env.run.spec import Progress, RunOptions, RunResult
from genagents_env.run.spending import keep_spending
from genagents_env.scenario.questions import When

_log = logging.getLogger(__name__)


class RunSession:
    """Runs a run in one process, until its end, a limit, an outage or a signal."""

    def __init__(
        self,
        writer: RunWriter,
        env: TownEnv,
        groups: PolicyGroups,
        options: RunOptions,
        models: Models,
    ) -> None:
        self.writer, self.env, self.groups, self.options = writer, env, groups, options
        self.cassette: Cassette = writer.cassette
        self.parent_inputs: SqliteInputs | None = None
        self.models = models
        self.budget = options.limits.budget(options.shared_budget)
        self.client: ModelClient | None = None
        self.embedder: Embedder | None = None
        self.stop = StopSignal()
        self.policy_errors, self.policy_error = 0, ""
        self._why = ""  # it stopped, in words

    def borrow(self, parent: RunReader) -> None:
        """Let replies and entries of the run that this one is a fork of hold where they fit."""
        origin = self.writer.origin
        if origin is not None:
            self.cassette = ParentCassette(self.writer.cassette, parent.cassette, origin.tick)
            self.parent_inputs = parent.inputs

    def execute(self, state: Checkpoint | None) -> RunResult:
        """Run from `state`, or from the start, and return the result."""
        self._log_begin(state)
        try:
            with self.stop.take():
                result = run_sync(self._execute(state))
        except BaseException as error:
            with suppress(RecordError):  # the first error is the one to raise
                self.writer.set_status("failed", describe_error(error))
            raise
        finally:
            self.groups.close()
        self.writer.set_status(result.status, self._why)
        _log.info("run %s: %s at tick %d", self.writer.path, result.status, result.tick)
        return result

    def _log_begin(self, state: Checkpoint | None) -> None:
        meta, path = self.writer.meta, self.writer.path
        if state is not None:
            _log.info("run %s continues from the checkpoint at tick %d", path, state.tick)
            return
        policies = ", ".join(dict.fromkeys(str(spec["name"]) for spec in meta.policies.values()))
        of = (meta.scenario.name, len(meta.names), policies, meta.seed)
        _log.info("run %s begins: %s, %d people by %s, seed %d", path, *of)
        if meta.model is not None:
            _log.info("run %s asks the model %s", path, meta.model)

    async def _execute(self, state: Checkpoint | None) -> RunResult:
        if switches := self.groups.switches:
            self.writer.note(SWITCHES, encode_switches(switches))
        keep_spending(self.writer, self.budget)
        writer, options = self.writer, self.options
        options = replace(options, max_fallbacks=writer.meta.max_fallbacks)
        stores = (self.cassette, writer.embeddings)
        opening = open_clients(self.models, options, writer.meta.seed, self.budget, *stores)
        async with opening as (self.client, self.embedder):
            try:
                with self.stop.listen():
                    result = await self._play_until_stopped(state)
                await cancel_others()  # calls in flight that a policy gave up on
                self.budget.keep()
            except BaseException:
                await cancel_others()
                with suppress(RecordError):  # the first error is the one to raise
                    self.budget.keep()
                raise
        return self._count_lost(result)

    async def _play_until_stopped(self, state: Checkpoint | None) -> RunResult:
        observations, infos = self._start() if state is None else self._restore(state)
        try:
            if state is None:
                await self._interview("before")
            live = self.options.live
            with nullcontext() if live is None else live.steer(self.writer, self.env):
                await play(
                    self.env,
                    self.groups,
                    observations,
                    infos,
                    on_tick=self._after_tick,
                    gate=None if live is None else partial(live.pass_tick, self._is_stopped),
                    hold=None if live is None else partial(live.hold, self._is_stopped),
                    stop=self._is_stopped,
                )
            if self.env.is_over:
                await self._finish_episode()
        except PolicyFailed as failure:  # no checkpoint: the policy may be within a tick
            return self._make_failed_result(failure)
        except ModelOutage as outage:
            now = self.env.world.tick
            self.writer.withdraw_outage(now if outage.since is None else min(outage.since, now))
            return self._make_result("paused", outage.exit_code, str(outage))
        except LLMRefused as refusal:  # a key that expired, an address that moved
            if isinstance(refusal, PromptRefused) or not self.writer.was_answered():
                raise
            self.writer.withdraw_outage(self.env.world.tick)
            return self._make_result("paused", ModelOutage.exit_code, str(refusal))
        except LLMUnavailable as silence:  # of an embedder; the client counts those of a model
            return self._make_result("paused", ModelOutage.exit_code, str(silence))
        except BudgetExceeded as limit:
            return self._make_result("budget_exhausted", limit.exit_code, str(limit))
        except asyncio.CancelledError:
            if self.stop.signal is None:
                raise
            return self._make_interrupted_result()
        if self.env.is_over:
            return self._make_end_result()
        self._save()
        return self._make_interrupted_result()

    async def _finish_episode(self) -> None:
        """Await calls under way, so that the stored calls do not depend on the wall clock."""
        faults = await self.groups.settle(self.writer.tick)
        if faults:
            self.writer.commit_interviews((), faults)
        await self._interview("after")

    async def _interview(self, when: When) -> None:
        report = partial(self._report_progress, asking=True)
        source = self.models.source
        await interview_town(self.writer, self.env, self.groups, source, when, report)

    def _start(self) -> tuple[Observations, Infos]:
        observations, infos = self.env.reset(seed=self.writer.meta.seed)
        self._reset_policies()
        self._commit(())
        return observations, infos

    def _restore(self, state: Checkpoint) -> tuple[Observations, Infos]:
        path = self.writer.path
        observations, infos = restore_town(path, self.env, state)
        self._reset_policies()
        restore_policies(path, self.groups, state)
        return observations, infos

    def _reset_policies(self) -> None:
        people = RecordedPeople(self.writer.inputs, self.options.people, self.parent_inputs)
        context: Context = self.env.context(self.client, self.embedder, people)
        meta = self.writer.meta
        self.groups.reset(self.env.profiles(), meta.seed, context, meta.list_pasts())

    def _is_stopped(self) -> bool:
        return self.stop.signal is not None

    def _after_tick(self, faults: Sequence[FaultRow]) -> None:
        self._commit(faults)
        if faults:
            self.policy_errors += len(faults)
            self.policy_error = self.policy_error or describe_fault(faults[0])
            for fault in faults:
                _log.warning("%s", describe_fault(fault))
        # Save before the horizon: after it the episode is over, and cannot be extended.
        last_chance = self.writer.tick == self.env.max_cycles - 1
        due = self.writer.tick % self.options.checkpoint_every == 0 and not self.env.is_over
        if last_chance or due:
            self._save()
        self._report_progress()
        limit, used = self.budget.seconds, self.budget.elapsed
        if limit is not None and used >= limit:  # also without a model
            raise BudgetExceeded("seconds", limit, used)

    def _report_progress(self, *, asking: bool = False) -> None:
        if self.options.watch is None:
            return
        world, spent = self.env.world, self.budget.spent
        priced = self.client is None or None not in self.client.prices.values()
        self.options.watch(
            Progress(
                tick=world.tick,
                horizon=self.env.max_cycles,
                time=world.time,
                calls=spent.calls,
                tokens=spent.tokens,
                dollars=float(spent.dollars) if priced else None,
                asking=asking,
                policy_errors=self.policy_errors,
                policy_error=self.policy_error,
            )
        )

    def _commit(self, faults: Sequence[FaultRow]) -> None:
        world, tick = self.env.world, self.env.world.tick
        notes = self.groups.take_notes(tick)
        self.writer.commit_tick(
            tick, world.positions, self.env.events, faults, notes, self.env.attempt
        )

    def _save(self) -> None:
        """Write a checkpoint at this tick boundary."""
        if self.writer.tick == self.writer.last_checkpoint:
            return
        _log.info("checkpoint at tick %d of %d", self.writer.tick, self.env.max_cycles)
        state = Checkpoint(self.writer.tick, self.env.save_state(), self.groups.state())
        try:
            self.writer.checkpoint(state)
        except (TypeError, ValueError):
            self.groups.state(check=True)  # says whose state is no JSON
            raise

    def _make_end_result(self) -> RunResult:
        """Return the result finished, or paused if no call was answered at the end.

        A refused prompt does not pause a run in which others were answered: it would be refused
        again.
        """
        outage = self.writer.find_outage()
        if outage is None or not (outage.silent or outage.total):
            return self._make_result("finished", 0, "")
        self.writer.withdraw_outage(outage.tick)
        return self._make_result("paused", ModelOutage.exit_code, outage.describe())

    def _make_failed_result(self, failure: PolicyFailed) -> RunResult:
        again = format_resume(self.writer.path, self.writer.meta, corrected=True)
        self._why = f"{failure}; --strict stopped the run"
        message = f"{self._why}. Correct the policy, then `{again}`"
        return RunResult(self.writer.path, "failed", self.writer.tick, failure.exit_code, message)

    def _make_interrupted_result(self) -> RunResult:
        return self._make_result(
            "interrupted", 128 + (self.stop.signal or 0), "stopped by a signal"
        )

    def _count_lost(self, result: RunResult) -> RunResult:
        """Return `result` with the lost calls, and a sentence on them if it stopped early."""
        lost, message = self.budget.lost, result.message
        if lost and message:
            calls = "1 model call was" if lost == 1 else f"{lost:,} model calls were"
            message = f"{calls} lost in flight and counted as spent; {message}"
        return replace(result, lost=lost, message=message)

    def _make_result(self, status: str, exit_code: int, message: str) -> RunResult:
        path, self._why = self.writer.path, message
        if message:
            message = f"{message}; go on with `{format_resume(path, self.writer.meta)}`"
        return RunResult(path, status, self.writer.tick, exit_code, message)


def add_degradation(result: RunResult) -> RunResult:
    """Return the result with its degradation, and the exit code for it."""
    with RunReader(result.path) as run:
        degradation = run.find_degradation()
    code = degradation.exit_code if result.status == "finished" else result.exit_code
    return replace(result, exit_code=code, degradation=degradation)
