"""One stretch of a recorded run in one process: from a start or a checkpoint to a stop."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from genagents_env.env import TownEnv
from genagents_env.errors import BudgetExceeded, LLMUnavailable, ModelOutage, RecordError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.client import ModelClient
from genagents_env.memory.embedder import Billed, Embedder, Source
from genagents_env.policy import Context
from genagents_env.record import Checkpoint, PolicyFault, RunWriter
from genagents_env.run.cast import Cast
from genagents_env.run.loop import cancel_others, finished
from genagents_env.run.models import Models
from genagents_env.run.play import play
from genagents_env.run.signals import Stop
from genagents_env.run.spec import Engine, Outcome, Progress
from genagents_env.run.spending import note_spent, restore_spent
from genagents_env.run.survey import Survey, recollect, survey
from genagents_env.scenario.questions import When, asked


class Life:
    """One stretch of a run in this process."""

    def __init__(
        self,
        writer: RunWriter,
        env: TownEnv,
        cast: Cast,
        engine: Engine,
        models: Models,
    ) -> None:
        self.writer, self.env, self.cast, self.engine = writer, env, cast, engine
        self.models = models
        self.budget = engine.limits.budget(engine.account)
        self.client: ModelClient | None = None
        self.embedder: Embedder | None = None
        self.stop = Stop()

    def lived(self, state: Checkpoint | None) -> Outcome:
        """Live on from `state`, or from the start, and return how it ended."""
        try:
            outcome = finished(self._main(state))
        except BaseException:
            with suppress(RecordError):  # the first error is the one to tell
                self.writer.set_status("failed")
            raise
        finally:
            self.cast.close()
        self.writer.set_status(outcome.status)
        return outcome

    async def _main(self, state: Checkpoint | None) -> Outcome:
        endpoint = self.models.endpoint
        price = endpoint.price if endpoint is not None else None
        saved_at, saved = (-1, None) if state is None else (state.tick, state.budget)
        restore_spent(self.writer, self.budget, price, saved_at, saved)
        if endpoint is not None:
            self.client = self._client_of(endpoint)
        if self.models.source is not None:
            self.embedder = self._embedder_of(self.models.source)
        try:
            with self.stop.listening():
                return await self._until_stopped(state)
        finally:
            await cancel_others()  # calls in flight of a policy that gave up on them
            note_spent(self.writer, self.budget)
            for opened in (self.client, self.embedder):
                if opened is not None:
                    await opened.aclose()

    async def _until_stopped(self, state: Checkpoint | None) -> Outcome:
        observations, infos = self._begun() if state is None else self._restored(state)
        try:
            if state is None:
                await self._interview("before")
            await play(
                self.env,
                self.cast,
                observations,
                infos,
                on_tick=self._after_tick,
                stop=lambda: self.stop.signal is not None,
            )
            if not self.env.agents:
                await self._ended()
        except ModelOutage as outage:
            self.writer.withdraw_outage(self.env.world.tick)
            return self._stopped("paused", outage.exit_code, str(outage))
        except LLMUnavailable as silence:  # of an embedder; a model's is counted by its client
            return self._stopped("paused", ModelOutage.exit_code, str(silence))
        except BudgetExceeded as limit:
            return self._stopped("budget_exhausted", limit.exit_code, str(limit))
        except asyncio.CancelledError:
            if self.stop.signal is None:
                raise
            return self._interrupted()
        if not self.env.agents:
            return self._stopped("finished", 0, "")
        self._save()
        return self._interrupted()

    async def _ended(self) -> None:
        """Await what is under way, so that the stored calls do not hang on the wall clock."""
        faults = await self.cast.settle(self.writer.tick)
        if faults:
            self.writer.commit_interviews((), faults)
        await self._interview("after")

    async def _interview(self, when: When) -> None:
        """Ask the scenario's questions of those in town; what they answer changes nothing.

        What everyone remembers of the scenario's facts is kept with the answers.
        """
        meta, world, tick = self.writer.meta, self.env.world, self.writer.tick
        if not meta.interviews:
            return
        here = {name for name, there in zip(world.names, world.present, strict=True) if there}
        questions = [
            question
            for question in asked(meta.scenario, meta.names, when)
            if question.agent in here and self.cast.remembers(question.agent)
        ]
        held = Survey()
        if questions:
            self._tell(asking=True)
            repeats = meta.scenario.interview_repeats
            held = await survey(
                self.cast, questions, tick, lambda: self._tell(asking=True), repeats
            )
        kept = await recollect(self.cast, self._rememberers(), tick, self._facts_in)
        faults = (*held.faults, *kept.faults)
        if held.rows or faults or kept.remembered:
            self.writer.commit_interviews(held.rows, faults, kept.remembered)

    def _rememberers(self) -> list[str]:
        return [name for name in self.writer.meta.names if self.cast.remembers(name)]

    def _facts_in(self, text: str) -> list[str]:
        known = self.env.world.cast
        return [known.fact_ids[fact] for fact in known.facts_in(text)]

    def _begun(self) -> tuple[Any, Any]:
        seed = self.writer.meta.seed
        observations, infos = self.env.reset(seed=seed)
        self.cast.reset(self.env.profiles(), seed, self._context())
        self._commit(())
        return observations, infos

    def _restored(self, state: Checkpoint) -> tuple[Any, Any]:
        observations, infos = self.env.load_state(state.env)
        self.cast.reset(self.env.profiles(), self.writer.meta.seed, self._context())
        self.cast.load_state(state.policies)
        if self.client is not None:
            self.client.ledger.load_state(state.ledger)
        return observations, infos

    def _context(self) -> Context:
        return self.env.context(self.client, self.embedder)

    def _after_tick(self, faults: Sequence[PolicyFault]) -> None:
        self._commit(faults)
        # The tick before the horizon: past it the episode is over, and could not be lengthened.
        last_chance = self.writer.tick == self.env.max_cycles - 1
        if last_chance or self.writer.tick % self.engine.checkpoint_every == 0:
            self._save()
        self._tell()
        limit, used = self.budget.seconds, self.budget.elapsed
        if limit is not None and used >= limit:  # holds without a model, too
            raise BudgetExceeded("seconds", limit, used)

    def _tell(self, *, asking: bool = False) -> None:
        if self.engine.watch is not None:
            self.engine.watch(self._progress(asking))

    def _progress(self, asking: bool) -> Progress:
        world, spent = self.env.world, self.budget.spent
        priced = self.client is None or self.client.endpoint.price is not None
        dollars = float(spent.dollars) if priced else None
        return Progress(
            tick=world.tick,
            horizon=self.env.max_cycles,
            time=world.time,
            calls=spent.calls,
            tokens=spent.tokens,
            dollars=dollars,
            asking=asking,
        )

    def _commit(self, faults: Sequence[PolicyFault]) -> None:
        world = self.env.world
        self.writer.commit_tick(world.tick, world.positions, self.env.events, faults)

    def _save(self) -> None:
        """Write a checkpoint of this tick boundary, where everyone's state is whole."""
        if self.writer.tick == self.writer.last_checkpoint:
            return
        client = self.client
        self.writer.checkpoint(
            Checkpoint(
                self.writer.tick,
                self.env.save_state(),
                self.cast.state(),
                self.budget.state(),
                client.ledger.state() if client is not None else None,
            )
        )

    def _client_of(self, endpoint: Endpoint) -> ModelClient:
        meta, price = self.writer.meta, endpoint.price
        told = (str(price.input_per_million), str(price.output_per_million)) if price else None
        asked = self.engine.model or meta.asked_model
        self.writer.replace_meta(meta.with_model(endpoint.model, told, asked))
        return ModelClient(
            endpoint,
            run_seed=meta.seed,
            budget=self.budget,
            cassette=self.writer.cassette,
            max_in_flight=self.engine.concurrency,
            retry=self.engine.retry,
        )

    def _embedder_of(self, source: Source) -> Embedder:
        meta = self.writer.meta
        asked_for = self.engine.embedder or meta.asked_embedder
        self.writer.replace_meta(meta.with_embedder(source.name, asked_for))
        if isinstance(source, Billed):
            source.bill(self.budget)
        return Embedder(source, self.writer.embeddings)

    def _interrupted(self) -> Outcome:
        number = self.stop.signal or 0
        return self._stopped("interrupted", 128 + number, "stopped by a signal")

    def _stopped(self, status: str, exit_code: int, message: str) -> Outcome:
        path = self.writer.path
        if message:
            message = f"{message}; go on with `genagents resume {path}`"
        return Outcome(path, status, self.writer.tick, exit_code, message)
