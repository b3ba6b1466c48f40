"""A judge session: many questions to one model at once; what was answered is kept on any end."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pydantic import BaseModel

from genagents_env.errors import (
    BudgetExceeded,
    ConfigError,
    GenagentsError,
    LLMRefused,
    ModelOutage,
)
from genagents_env.llm.budget import Spend
from genagents_env.llm.calls import CallKey, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.event_loop import run_sync
from genagents_env.run.concurrency import cancel_others, collect_results
from genagents_env.run.models import make_client, open_model
from genagents_env.run.signals import StopSignal
from genagents_env.run.spec import RunOptions
from genagents_env.text import clean

NAME_LIMIT = 200  # characters of a judge's name

_MAX_TOKENS = 200  # of a reply


@dataclass(frozen=True, slots=True)
class JudgingResult:
    """How far the verdicts that are called for have been given, by a model or a person.

    Attributes:
        judge: the name under which they are stored; empty where there is nothing to judge.
        asked: verdicts that are called for.
        before: of these, how many had been given before.
        given: how many were given now.
        shared: of these, how many were given to the very same answer elsewhere, and not asked for.
        unusable: how many replies were no verdict; they are asked for again next time.
        spent: on what was asked now.
        exit_code: of the command line.
        message: why it stopped early; empty when everything was asked.
    """

    judge: str = ""
    asked: int = 0
    before: int = 0
    given: int = 0
    shared: int = 0
    unusable: int = 0
    spent: Spend = Spend()  # noqa: RUF009 (frozen)
    exit_code: int = 0
    message: str = ""


Watch: TypeAlias = Callable[[JudgingResult], None]


@dataclass(frozen=True, slots=True)
class JudgeQuery:
    """One verdict that is called for.

    Attributes:
        call: decides the seed of the call.
        messages: make the prompt.
        reply: the schema.
        store: called with a `ModelAnswer` and its `RecordedReply`; a fallback is no verdict.
    """

    call: CallKey
    messages: Callable[[], list[Message]]
    reply: type[BaseModel]
    store: Callable[..., None]


class JudgeSession:
    """One session of one model; it is over once everything has been asked.

    Args:
        options: model, limits, shared budget, concurrency and retries; without a model,
            the default one.
        name: of the judge; None is the model's.
        run_seed: decides, with the key of a call, its seed.
        temperature: of every call.

    Attributes:
        name: under which the verdicts are stored.

    Raises:
        ConfigError: there is no such model, or `name` has no words.
    """

    def __init__(
        self, options: RunOptions, name: str | None, *, run_seed: int, temperature: float
    ) -> None:
        endpoint = open_model(options)
        self.name = clean(endpoint.model if name is None else name, NAME_LIMIT)
        if not self.name:
            raise ConfigError("by: a judge needs a name")
        # Not a run's cassette: a verdict is no call of the run.
        self._replies = MemoryCassette()
        budget = options.limits.budget(options.shared_budget)
        self._client = make_client(
            endpoint, options, run_seed=run_seed, budget=budget, cassette=self._replies
        )
        self._temperature = temperature
        self._stop = StopSignal()
        self._over = False
        self._given = self._unusable = 0
        self._faults: list[str] = []  # of questions without an answer

    def ask_all(
        self, due: Sequence[JudgeQuery], *, answered: bool = False, watch: Watch | None = None
    ) -> JudgingResult:
        """Ask everything in `due`, or as much as can be; return how it stands.

        Args:
            due: begun in this order.
            answered: the model is known to have answered before.
            watch: called after every reply.

        Raises:
            LLMRefused: the endpoint refuses, and has answered nothing yet: key, permission or
                model name is wrong. After an answer that is an outage.
        """
        with self._stop.take():
            exit_code, message = run_sync(self._ask_until_stopped(due, watch, answered))
        return replace(self._count(due), exit_code=exit_code, message=message)

    def _count(self, due: Sequence[JudgeQuery]) -> JudgingResult:
        spent = self._client.budget.spent
        return JudgingResult(self.name, len(due), 0, self._given, 0, self._unusable, spent)

    async def _ask_until_stopped(
        self, due: Sequence[JudgeQuery], watch: Watch | None, answered: bool
    ) -> tuple[int, str]:
        """Return the exit code, and why it stopped early; 0 and nothing where all was asked."""
        try:
            with self._stop.listen():
                each = (self._ask_in_turn(query, due, watch) for query in due)
                collect_results(await asyncio.gather(*each, return_exceptions=True))
        except (ModelOutage, BudgetExceeded) as stop:
            return stop.exit_code, stop.why if isinstance(stop, ModelOutage) else str(stop)
        except LLMRefused as refusal:  # a key that expired, an address that moved
            if not (answered or self._given or self._unusable):
                raise
            return ModelOutage.exit_code, str(refusal)
        except asyncio.CancelledError:
            if self._stop.signal is None:
                raise
        finally:
            await cancel_others()
            await self._client.aclose()
        heard = self._given + self._unusable + len(self._faults)
        if self._stop.signal is not None and heard < len(due):
            return 128 + self._stop.signal, "stopped by a signal"
        if self._faults:
            told = f"{len(self._faults)} got no answer, the last with: {self._faults[-1]}"
            return ModelOutage.exit_code, told
        return 0, ""

    async def _ask_in_turn(
        self, query: JudgeQuery, due: Sequence[JudgeQuery], watch: Watch | None
    ) -> None:
        async with self._client.pace:
            if self._over or self._stop.signal is not None:
                return
            try:
                await self._ask(query)
            except GenagentsError:
                self._over = True  # the others would fail alike, each after all its attempts
                raise
            if watch is not None:
                watch(self._count(due))

    async def _ask(self, query: JudgeQuery) -> None:
        answered = await self._client.ask(
            query.call,
            query.messages(),
            query.reply,
            fallback=query.reply.model_construct(),
            max_tokens=_MAX_TOKENS,
            temperature=self._temperature,
            in_turn=True,
        )
        recorded = self._replies.rows.pop(query.call)
        if recorded.is_unanswered:  # nobody has judged
            self._faults.append(recorded.fault or "")
            return
        query.store(answered, recorded)
        self._unusable += answered.fallback
        self._given += not answered.fallback
