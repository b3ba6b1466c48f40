"""The scheduler of model calls, whose replies are applied in a fixed order.

The call of a faculty with latency starts now, and its reply is applied exactly that many ticks
later. Without latency, a call and all that follow from it are made and applied within the tick.
The effects always come in the order (tick, agent, purpose, number).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel

from genagents_env.cognition.mind import Mind
from genagents_env.cognition.query import (
    Moment,
    PendingQuery,
    PreparedQuery,
    Query,
    QueryHandler,
    QueryOptions,
    QueryReply,
)
from genagents_env.llm.calls import CallKey
from genagents_env.llm.client import ModelAnswer, ModelClient
from genagents_env.llm.schemas import bound_reply_tokens, make_request_schema

M = TypeVar("M", bound=Mind[QueryOptions])
ReplyTask: TypeAlias = "asyncio.Task[ModelAnswer[BaseModel]]"


class CallScheduler(Generic[M]):
    """The model calls of all minds of a run.

    Args:
        model: asked.
        handlers: every handler by its purpose.
    """

    def __init__(self, model: ModelClient, handlers: Mapping[str, QueryHandler[M]]) -> None:
        self.model, self.handlers = model, handlers
        self._under_way: dict[CallKey, ReplyTask] = {}

    async def run(self, mind: M, queries: Sequence[Query], moment: Moment) -> None:
        """Apply the replies due at this tick, then ask `queries` and all that follow from them."""
        due = sorted(
            (p for p in mind.pending if p.due <= moment.tick),
            key=lambda p: (p.tick, p.purpose, p.number),
        )
        mind.pending = [p for p in mind.pending if p not in due]
        queries = [*await self._apply_replies(mind, due, moment), *queries]
        while queries:
            queries = await self._run_round(mind, queries, moment)

    async def settle(self, minds: Mapping[str, M]) -> None:
        """Await every call under way, so that its reply is stored; apply nothing."""
        calls = [
            self._ensure_task(mind, pending)
            for mind in minds.values()
            for pending in mind.pending
            if pending.answer is None
        ]
        await _await_all(calls)
        for call in calls:
            call.result()

    def store_replies(self, mind: M) -> None:
        """Store the replies that have come in the pending calls, for a checkpoint."""
        for pending in mind.pending:
            task = self._under_way.get(pending.key(mind.agent))
            if task is None or not task.done() or task.cancelled():
                continue
            if task.exception() is None:
                answered = task.result()
                pending.answer = answered.value.model_dump_json(), answered.fallback

    async def _run_round(self, mind: M, queries: Sequence[Query], moment: Moment) -> list[Query]:
        """Ask `queries` together; return those that follow from replies without latency."""
        asks = [await self._prepare(mind, query, moment) for query in queries]
        started = [self._start(mind, *asked, moment) for asked in asks if asked is not None]
        now = [pending for pending in started if pending.due <= moment.tick]
        mind.pending += [pending for pending in started if pending.due > moment.tick]
        return await self._apply_replies(mind, now, moment)

    async def _apply_replies(
        self, mind: M, pendings: Sequence[PendingQuery], moment: Moment
    ) -> list[Query]:
        """Await all replies, then apply them in order; return the queries that follow."""
        await _await_all([self._ensure_task(mind, p) for p in pendings if p.answer is None])
        following: list[Query] = []
        for pending in pendings:
            reply = await self._await_reply(mind, pending)
            with mind.services.notes.apply(pending.key(mind.agent)):
                following += await self.handlers[pending.purpose].apply(mind, moment, reply)
        return following

    async def _prepare(
        self, mind: M, query: Query, moment: Moment
    ) -> tuple[Query, PreparedQuery] | None:
        """Return the query to send, and its prompt; None where there is nothing to ask."""
        while True:
            asked = await self.handlers[query.purpose].prepare(mind, query.data, moment)
            if asked is None:
                return None
            if isinstance(asked, PreparedQuery):
                return query, asked
            query = asked

    def _start(self, mind: M, query: Query, ask: PreparedQuery, moment: Moment) -> PendingQuery:
        number = mind.next_number(query.purpose, moment.tick)
        pending = PendingQuery(
            query.purpose,
            dict(ask.data),
            tuple(ask.messages),
            moment.tick,
            number,
            moment.tick + mind.config.latency(query.purpose),
        )
        mind.services.notes.add_cuts(pending.key(mind.agent), ask.prompt.cuts)
        self._ensure_task(mind, pending)
        return pending

    async def _await_reply(self, mind: M, pending: PendingQuery) -> QueryReply:
        cause = f"{pending.purpose} #{pending.number} at tick {pending.tick}"
        data = pending.data
        if pending.answer is not None:
            words, fallback = pending.answer
            handler = self.handlers[pending.purpose]
            if fallback:  # which the reply model need not accept
                return QueryReply(handler.fallback(data), True, cause, data)
            value = handler.reply_model(data).model_validate_json(words)
            return QueryReply(value, False, cause, data)
        answered = await self._ensure_task(mind, pending)
        self._under_way.pop(pending.key(mind.agent), None)
        return QueryReply(answered.value, answered.fallback, cause, data)

    def _ensure_task(self, mind: M, pending: PendingQuery) -> ReplyTask:
        """Return the task of a call, started if it is not under way, as after a resume."""
        key = pending.key(mind.agent)
        task = self._under_way.get(key)
        if task is None:
            handler = self.handlers[pending.purpose]
            reply = handler.reply_model(pending.data)
            schema = make_request_schema(reply, small=self.model.small)
            least = 0 if schema is None else bound_reply_tokens(schema)
            most = max(handler.max_tokens(pending.data), least)
            task = self._under_way[key] = asyncio.ensure_future(
                self.model.ask(
                    key,
                    pending.messages,
                    reply,
                    fallback=handler.fallback(pending.data),
                    max_tokens=most,
                    temperature=mind.config.temperature,
                )
            )
        return task


async def _await_all(calls: Sequence[ReplyTask]) -> None:
    """Await all calls, so that every reply is stored before any error is raised."""
    await asyncio.gather(*calls, return_exceptions=True)
