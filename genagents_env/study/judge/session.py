"""A judge session: many questions to one model at once; what was answered is kept on any end."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.run.concurrency import cancel_others, collect_results
from genagents_env.run.models import make_client, open_model
from genagents_env.run.signals import StopSignal
from genagents_env.run.spec import RunOptions
from genagents_env.text import clean

NAME_LIMIT = 200  # characters of a judge's name

_MAX_TOKENS = 200  # of a reply
_NOTHING = Spend()


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """How far a session is: replies of those due, and what was spent.

    `dollars` is None where no price is known.
    """

    heard: int
    due: int
    calls: int
    tokens: int
    dollars: float | None


Watch: TypeAlias = Callable[[JudgingProgress], None]


@dataclass(frozen=True, slots=True)
class JudgingResult:
    """How far the verdicts that are called for have been given.

    Attributes:
        judge: the name under which they are stored; empty where there is nothing to judge.
        asked: verdicts that are called for.
        before: of these, how many had been given before.
        given: how many were given now.
        shared: of these, how many were given to the very same answer elsewhere, and not asked for.
        unusable: how many replies were no verdict; they are asked for again next time.
        spent: on what was asked now.
        exit_code: of the command line.
        message: why it stopped early and what to do; empty when everything was asked.
    """

    judge: str = ""
    asked: int = 0
    before: int = 0
    given: int = 0
    shared: int = 0
    unusable: int = 0
    spent: Spend = _NOTHING
    exit_code: int = 0
    message: str = ""


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
        replies: what a scripted model answers by.

    Attributes:
        name: under which the verdicts are stored.

    Raises:
        ConfigError: there is no such model, or `name` has no words.
    """

    def __init__(
        self,
        options: RunOptions,
        name: str | None,
        *,
        run_seed: int,
        temperature: float,
        replies: Iterable[ScriptedReplies] = (),
    ) -> None:
        endpoint = open_model(options, replies)
        self.name = clean(endpoint.model if name is None else name, NAME_LIMIT)
        if not self.name:
            raise ConfigError("by: a judge needs a name")
        # Not a run's cassette: a verdict is no call of the run.
        self._replies = MemoryCassette()
        self._client = make_client(
            endpoint,
            options,
            run_seed=run_seed,
            budget=options.limits.budget(options.shared_budget),
            cassette=self._replies,
        )
        self._temperature = temperature
        self._stop = StopSignal()
        self._over = False
        self._answered = self._given = self._unanswered = 0
        self._fault = ""

    def ask_all(
        self,
        due: Sequence[JudgeQuery],
        *,
        before: int = 0,
        watch: Watch | None = None,
        again: str = "",
        answered: bool = False,
    ) -> JudgingResult:
        """Ask everything in `due`, or as much as can be; return how it stands.

        Args:
            due: begun in this order.
            before: verdicts that are called for, too, and had been given before.
            watch: called after every reply.
            again: the command that resumes, for the message.
            answered: the model is known to have answered before.

        Raises:
            LLMRefused: the endpoint refuses, and has answered nothing yet: key, permission or
                model name is wrong. After an answer that is an outage.
        """
        answered = answered or before > 0
        with self._stop.take():
            exit_code, message = run_sync(self._ask_until_stopped(due, watch, answered))
        if message:
            how = f"go on with `{again}`" if again else "judge again to go on"
            message = f"{message}; {how}"
        return JudgingResult(
            self.name,
            asked=before + len(due),
            before=before,
            given=self._given,
            unusable=self._answered - self._given - self._unanswered,
            spent=self._client.budget.spent,
            exit_code=exit_code,
            message=message,
        )

    async def _ask_until_stopped(
        self, due: Sequence[JudgeQuery], watch: Watch | None, answered: bool
    ) -> tuple[int, str]:
        """Return the exit code, and why it stopped early; 0 and nothing where all was asked."""
        exit_code, message = 0, ""
        try:
            with self._stop.listen():
                each = (self._ask_in_turn(query, len(due), watch) for query in due)
                collect_results(await asyncio.gather(*each, return_exceptions=True))
        except ModelOutage as outage:
            exit_code, message = outage.exit_code, outage.why
        except LLMRefused as refusal:  # a key that expired, an address that moved
            if not answered and self._answered == self._unanswered:
                raise
            exit_code, message = ModelOutage.exit_code, str(refusal)
        except BudgetExceeded as limit:
            exit_code, message = limit.exit_code, str(limit)
        except asyncio.CancelledError:
            if self._stop.signal is None:
                raise
        finally:
            await cancel_others()
            await self._client.aclose()
        if self._stop.signal is not None and self._answered < len(due):
            exit_code, message = 128 + self._stop.signal, "stopped by a signal"
        if not message and self._unanswered:
            exit_code = ModelOutage.exit_code
            message = f"{self._unanswered} got no answer, the last with: {self._fault}"
        return exit_code, message

    async def _ask_in_turn(self, query: JudgeQuery, due: int, watch: Watch | None) -> None:
        async with self._client.pace:
            if self._over or self._stop.signal is not None:
                return
            try:
                is_usable = await self._ask(query)
                self._given += is_usable
                self._answered += 1
                if watch is not None:
                    watch(self._measure_progress(due))
            except GenagentsError:
                self._over = True  # the others would fail alike, each after all its attempts
                raise

    async def _ask(self, query: JudgeQuery) -> bool:
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
            self._unanswered += 1
            self._fault = recorded.fault or ""
            return False
        query.store(answered, recorded)
        return not answered.fallback

    def _measure_progress(self, due: int) -> JudgingProgress:
        spent = self._client.budget.spent
        dollars = None if self._client.endpoint.price is None else float(spent.dollars)
        return JudgingProgress(self._answered, due, spent.calls, spent.tokens, dollars)
