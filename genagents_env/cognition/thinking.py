"""Asking: model calls of one mind, at once or over ticks, applied in an order that time decides.

A faculty with latency has its call started now and its reply applied exactly so many ticks later;
one without is asked, answered and applied within the tick, with all that follows from it. Either
way the effects come in the order (tick, agent, purpose, number), however the calls complete.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeAlias

from genagents_env.cognition.thought import Ask, Handler, M, Moment, Pending, Reply, Thought
from genagents_env.llm.calls import CallKey
from genagents_env.llm.client import Answered, ModelClient

Call: TypeAlias = "asyncio.Task[Answered[Any]]"


class Thinking(Generic[M]):
    """The model calls of all minds of a run.

    Args:
        model: asked.
        handlers: every kind of thought by its purpose.
    """

    def __init__(self, model: ModelClient, handlers: Mapping[str, Handler[M]]) -> None:
        self.model, self.handlers = model, handlers
        self._under_way: dict[CallKey, Call] = {}

    async def think(self, mind: M, thoughts: Sequence[Thought], moment: Moment) -> None:
        """Apply what is due at this tick, then ask `thoughts` and whatever follows from them."""
        due = sorted(
            (p for p in mind.pending if p.due <= moment.tick),
            key=lambda p: (p.tick, p.purpose, p.number),
        )
        mind.pending = [p for p in mind.pending if p not in due]
        thoughts = [*await self._taken(mind, due, moment), *thoughts]
        while thoughts:
            thoughts = await self._round(mind, thoughts, moment)

    async def settle(self, minds: Mapping[str, M]) -> None:
        """Await every call under way, so that its reply is stored; apply nothing."""
        calls = [
            self._call(mind, pending)
            for mind in minds.values()
            for pending in mind.pending
            if pending.answer is None
        ]
        await _all_of(calls)
        for call in calls:
            call.result()

    def note_answers(self, mind: M) -> None:
        """Write the replies that have come into the calls under way, for a checkpoint."""
        for pending in mind.pending:
            task = self._under_way.get(pending.key(mind.agent))
            if task is None or not task.done() or task.cancelled():
                continue
            if task.exception() is None:
                answered = task.result()
                pending.answer = answered.value.model_dump_json(), answered.fallback

    async def _round(self, mind: M, thoughts: Sequence[Thought], moment: Moment) -> list[Thought]:
        """Ask `thoughts` together; return those that follow from the replies that came now."""
        asks = [await self._in_words(mind, thought, moment) for thought in thoughts]
        started = [self._started(mind, *asked, moment) for asked in asks if asked is not None]
        now = [pending for pending in started if pending.due <= moment.tick]
        mind.pending += [pending for pending in started if pending.due > moment.tick]
        return await self._taken(mind, now, moment)

    async def _taken(self, mind: M, pendings: Sequence[Pending], moment: Moment) -> list[Thought]:
        """Await the replies of all, then apply them in order; return what follows from them."""
        await _all_of([self._call(mind, p) for p in pendings if p.answer is None])
        following: list[Thought] = []
        for pending in pendings:
            reply = await self._reply(mind, pending)
            following += await self.handlers[pending.purpose].take(
                mind, pending.data, moment, reply
            )
        return following

    async def _in_words(
        self, mind: M, thought: Thought, moment: Moment
    ) -> tuple[Thought, Ask] | None:
        """Return what is asked, and the thought that it is; None where nothing is."""
        while True:
            asked = await self.handlers[thought.purpose].ask(mind, thought.data, moment)
            if asked is None:
                return None
            if isinstance(asked, Ask):
                return thought, asked
            thought = asked

    def _started(self, mind: M, thought: Thought, ask: Ask, moment: Moment) -> Pending:
        number = mind.number(thought.purpose, moment.tick)
        pending = Pending(
            thought.purpose,
            dict(ask.data),
            tuple(ask.messages),
            moment.tick,
            number,
            moment.tick + mind.config.latency(thought.purpose),
        )
        self._call(mind, pending)
        return pending

    async def _reply(self, mind: M, pending: Pending) -> Reply:
        cause = f"{pending.purpose} #{pending.number} at tick {pending.tick}"
        if pending.answer is not None:
            words, fallback = pending.answer
            handler, data = self.handlers[pending.purpose], pending.data
            if fallback:  # which need not be what the reply model would accept
                return Reply(handler.fallback(data), True, cause)
            return Reply(handler.reply(data).model_validate_json(words), False, cause)
        answered = await self._call(mind, pending)
        self._under_way.pop(pending.key(mind.agent), None)
        return Reply(answered.value, answered.fallback, cause)

    def _call(self, mind: M, pending: Pending) -> Call:
        """Return the task of a call, started where it is not under way: also after a resume."""
        key = pending.key(mind.agent)
        task = self._under_way.get(key)
        if task is None:
            handler = self.handlers[pending.purpose]
            task = self._under_way[key] = asyncio.ensure_future(
                self.model.ask(
                    key,
                    pending.messages,
                    handler.reply(pending.data),
                    fallback=handler.fallback(pending.data),
                    max_tokens=handler.max_tokens(pending.data),
                    temperature=mind.config.temperature,
                )
            )
        return task


async def _all_of(calls: Sequence[Call]) -> None:
    """Await all of them, so that what was answered is stored before any error is raised."""
    await asyncio.gather(*calls, return_exceptions=True)
