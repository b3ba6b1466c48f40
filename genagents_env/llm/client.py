"""The path of every model call.

cassette -> budget -> deadline and retries -> validation with one re-ask -> declared fallback
-> cassette -> ledger. An answer that is not a completion is a failed attempt and is retried; a
completion with unusable words is re-asked. A value is stored before it is returned, and a fallback
is always reported.
"""

import asyncio
import logging
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from genagents_env.errors import LLMRefused, LLMUnavailable
from genagents_env.llm.budget import Budget, Spend, bill, clip_usage, upper_bound
from genagents_env.llm.calls import (
    AttemptFailed,
    BoundedEndpoint,
    CallKey,
    Completion,
    CompletionRequest,
    Endpoint,
    Message,
    PromptRefused,
    UnusableReply,
    prompt_hash,
)
from genagents_env.llm.cassette import UNAVAILABLE, Cassette, Ledger, RecordedReply, recall
from genagents_env.llm.completions import (
    ParsedReply,
    check_words,
    find_allowance,
    grow_allowance,
    keeps_words,
    parse,
    restore,
    separate_thinking,
)
from genagents_env.llm.pace import Pace
from genagents_env.llm.redact import KeyHolder
from genagents_env.llm.retries import UNUSABLE_IN_A_ROW, OutageWatch, RetryPolicy, with_retries
from genagents_env.llm.schemas import make_request_schema, schema_name
from genagents_env.rng import draw_bits
from genagents_env.text import clean

_log = logging.getLogger(__name__)
T = TypeVar("T", bound=BaseModel)

_MOST_FAULT = 300
_MOST_TEXT = 1000  # characters of each string in a reply; cuts are counted
_MOST_CORRECTION = 1500  # it may name many allowed values
_MOST_WORDS = 2000
_MOST_SAID = 20_000  # searched for keys before the words are cut
_PROMPT_TOKENS = 4000  # of a prompt, where the model allows it; the paper's code filled 4,097
_REPLY_TOKENS = 1000  # of a context that a prompt leaves free
_LEAST_PROMPT = 400
ENOUGH_CONTEXT = _PROMPT_TOKENS + _REPLY_TOKENS


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """A value, whether it is the declared fallback, and the fault, if any.

    A reply that was accepted after a re-ask has the fault of the first. `words` are those of the
    reply as the record has them, of a fallback the unusable ones; "" if there were none.
    """

    value: T
    fallback: bool
    fault: str | None
    words: str = ""


@dataclass(slots=True)
class _Call:
    """One `ask` under way, over its attempts and its re-ask."""

    key: CallKey
    endpoint: Endpoint
    request: CompletionRequest  # of the next attempt
    learns: bool  # it is never re-asked, and its silence is its action
    in_turn: bool  # attempts take no slot: the caller has one, or none is needed
    # Unix time and monotonic seconds of the first attempt, else of the call.
    started_at: float = field(default_factory=time.time)
    begun: float = field(default_factory=time.monotonic)
    most: Spend = field(default_factory=Spend)  # reserved for the next attempt
    waited: float = 0.0  # seconds, for the shared budget
    attempts: int = 0
    reasks: int = 0
    answers: list[Completion] = field(default_factory=list)
    unsaid: list[Completion] = field(default_factory=list)  # only of thinking
    last: Completion | None = None  # of both
    fault: str | None = None
    words: str = ""


def is_small(endpoint: Endpoint) -> bool:
    """Return True if the model of `endpoint` is known to be small."""
    return isinstance(endpoint, BoundedEndpoint) and endpoint.small


def call_seed(run_seed: int, key: CallKey, *words: str) -> int:
    """Return the seed of a call: 31 bits decided by the run's seed and `key`."""
    return draw_bits(run_seed, key.tick, key.agent, key.purpose, key.number, *words) >> 33


class ModelClient:
    """Asks one endpoint, or those of `routes`, on behalf of all agents of a run.

    Args:
        endpoint: the model.
        run_seed: decides the seed of every call.
        budget: limits; None is none.
        cassette: answers so far; None keeps nothing.
        retry: attempts and deadlines. A slow endpoint's own attempt deadline extends the call's.
        max_in_flight: requests at once, per event loop; None is as many as the endpoint keeps up
            with, see `Pace`.
        outage_after: failed calls to a model in a row that make an outage.
        unusable_after: calls to a model in a row without a usable reply that make an outage; None
            is never, as for the models of `asked_once`.
        thinking: tokens of thinking allowed beside each reply, at first; see `find_allowance`.
        routes: other endpoints for the calls of a person, or of a faculty (their purpose up to its
            first dot), by name; a person's comes before a faculty's.
        asked_once: models that are never re-asked, such as learners; their calls take no slot.

    Raises:
        ConfigError: dollars are limited and the model's price is not known.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        run_seed: int,
        budget: Budget | None = None,
        cassette: Cassette | None = None,
        retry: RetryPolicy | None = None,
        max_in_flight: int | None = None,
        outage_after: int = 5,
        unusable_after: int | None = UNUSABLE_IN_A_ROW,
        thinking: int | None = None,
        routes: Mapping[str, Endpoint] | None = None,
        asked_once: Collection[str] = (),
    ) -> None:
        self.endpoint, self.run_seed = endpoint, run_seed
        self.budget = budget if budget is not None else Budget()
        self.cassette = cassette
        self.ledger = Ledger()
        self.retry = retry if retry is not None else RetryPolicy()
        self.max_in_flight = max_in_flight
        self.outages = OutageWatch(outage_after, unusable_after)
        self.routes, self.asked_once = dict(routes or {}), frozenset(asked_once)
        endpoints = (endpoint, *self.routes.values())
        self.prices = {each.model: each.price for each in endpoints}
        self.allowances = {each.model: find_allowance(each.model, thinking) for each in endpoints}
        self._holders = [each for each in _list_once(endpoints) if isinstance(each, KeyHolder)]
        for each in endpoints:
            self.budget.check_price(each.model, each.price)
        # Waiters for a slot belong to an event loop, and each `asyncio.run` makes a new one.
        self._paces: WeakKeyDictionary[asyncio.AbstractEventLoop, Pace] = WeakKeyDictionary()

    async def ask(
        self,
        key: CallKey,
        messages: Sequence[Message],
        reply: type[T],
        *,
        fallback: T,
        max_tokens: int = 128,
        temperature: float = 0.7,
        in_turn: bool = False,
    ) -> ModelAnswer[T]:
        """Return the model's reply to `messages` as a `reply`, or `fallback` with the fault.

        Args:
            key: of the call, unique in a run.
            messages: words of other agents belong in a fence (`prompts.fence`), not in `system`.
            reply: a pydantic model; its JSON schema goes with the request.
            fallback: the value taken when no usable reply comes, and recorded as a fallback.
            max_tokens: written at most.
            temperature: of the sampling.
            in_turn: the caller holds a slot of `pace`, for all attempts.

        Raises:
            BudgetExceeded: the call does not fit the budget; nothing was stored.
            ModelOutage: this call and those before it failed, or had no usable reply.
            DivergenceError: the cassette has another prompt under `key`.
            LLMRefused: key, permission or model name is wrong.
        """
        endpoint = self.find_endpoint(key)
        request = CompletionRequest(
            tuple(messages),
            make_request_schema(reply, small=is_small(endpoint)),
            schema_name(reply),
            max_tokens,
            temperature,
            call_seed(self.run_seed, key),
            self.allowances[endpoint.model],
        )
        recorded = recall(self.cassette, key, request)
        if recorded is None:  # else it was paid for when it was made
            learns = endpoint.model in self.asked_once
            call = _Call(key, endpoint, request, learns, in_turn or learns)
            parsed = await self._converse(call, reply)
            recorded = self._record(call, request, parsed)
            _log_call(key, recorded)
            if self.cassette is not None:
                self.cassette.put(key, recorded)
        self.ledger.book(key, recorded, self.prices.get(recorded.model, self.endpoint.price))
        if recorded.outcome == "fallback":
            return ModelAnswer(fallback, True, recorded.fault, recorded.reply)
        # A live answer is parsed from its stored text, too, so that both are equal.
        value = restore(reply, recorded.reply, _MOST_TEXT)
        return ModelAnswer(value, False, recorded.fault, recorded.reply)

    @property
    def small(self) -> bool:
        """Whether one of the models needs short prompts and instructions to write plainly."""
        return any(map(is_small, (self.endpoint, *self.routes.values())))

    @property
    def prompt_tokens(self) -> int:
        """The most tokens of a prompt: 4,000, or fewer where a context is short."""
        return self.bound_prompt(_PROMPT_TOKENS)

    def bound_prompt(self, wanted: int) -> int:
        """Return as many tokens as are wanted for a prompt, or fewer where a context is short."""
        endpoints = (self.endpoint, *self.routes.values())
        contexts = [e.context_tokens for e in endpoints if isinstance(e, BoundedEndpoint)]
        room = [context - _REPLY_TOKENS for context in contexts if context is not None]
        return max(_LEAST_PROMPT, min([wanted, *room]))

    @property
    def failed_in_a_row(self) -> int:
        """The number of calls that failed since an answer; of several models the most."""
        return max(self.outages.failures.values(), default=0)

    @property
    def pace(self) -> Pace:
        """The slots of requests under way in the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._paces:
            self._paces[loop] = Pace(self.max_in_flight, getattr(self.endpoint, "slots", None))
        return self._paces[loop]

    def find_endpoint(self, key: CallKey) -> Endpoint:
        """Return the endpoint of the call `key`."""
        own = self.routes.get(key.agent) or self.routes.get(key.purpose.split(".")[0])
        return own or self.endpoint

    async def aclose(self) -> None:
        """Close the endpoints."""
        for endpoint in _list_once((self.endpoint, *self.routes.values())):
            await endpoint.aclose()

    async def _converse(self, call: _Call, reply: type[T]) -> ParsedReply[T] | None:
        """Return the reply, asked for at most twice, or None; note counts and faults in `call`."""
        model = call.endpoint.model
        patience = max(self.retry.call_deadline, call.endpoint.attempt_deadline)
        begun = self.retry.clock()
        while True:
            try:
                completion = await with_retries(
                    partial(self._attempt, call),
                    self.retry,
                    seed=call_seed(self.run_seed, call.key, "jitter", str(call.reasks)),
                    deadline=begun + patience + call.waited,
                    admit=partial(self._admit, call),
                    on_lost=self.budget.count_lost,
                )
                parsed = parse(completion, reply, _MOST_TEXT, self._redact)
            except (LLMUnavailable, PromptRefused) as failure:
                kind = "refused:" if isinstance(failure, PromptRefused) else UNAVAILABLE
                call.fault = clean(f"{kind} {failure}", _MOST_FAULT)
                self.outages.count_failure(model, call.key.tick, str(failure), call.learns)
                return None
            except UnusableReply as bad:
                self.outages.count_answer(model)
                fault = self._redact(clean(f"bad reply: {bad}", _MOST_CORRECTION))
                call.fault = fault[:_MOST_FAULT].strip()
                call.words = bad.text[:_MOST_WORDS]
                if not keeps_words(reply, bad.text, self._redact):
                    call.words = self._redact(clean(bad.text, _MOST_SAID))[:_MOST_WORDS].strip()
                if call.reasks or call.learns:
                    self.outages.count_unusable(model, call.key.tick, call.fault, call.learns)
                    return None
                call.request = self._make_reask(call, str(bad))
                call.reasks += 1
            else:
                self.outages.count_answer(model, usable=True)
                if parsed.redacted:
                    call.fault = f"key hidden: {parsed.redacted} texts of the reply held one"
                return parsed

    async def _admit(self, call: _Call) -> float:
        """Take a slot and reserve the most an attempt can spend; return the seconds waited.

        No `await` may come between this and the attempt: a cancelled call would keep both.
        """
        asked = self.retry.clock()
        most = upper_bound(call.request, call.endpoint.price)
        if not call.in_turn:
            await self.pace.take()
        try:
            await self.budget.admit(most)
        except BaseException:  # refused, or cancelled: no attempt will be made
            if not call.in_turn:
                self.pace.give_back()
            raise
        call.most = most
        waited = self.retry.clock() - asked
        call.waited += waited
        return waited

    async def _attempt(self, call: _Call) -> Completion:
        """Make one admitted request; always settle its reservation and free its slot.

        The spending is stored with the answer, or at once where the request fails.
        """
        if not call.attempts:
            call.started_at, call.begun = time.time(), time.monotonic()
        call.attempts += 1
        pace, begun = self.pace, self.retry.clock()
        sent, used = pace.halvings, call.most
        completion: Completion | None = None
        try:
            completion = separate_thinking(await call.endpoint.complete(call.request))
            if not call.learns:
                pace.count_answer(sent, self.retry.clock() - begun, completion.completion_tokens)
            used = bill(completion, call.endpoint.price)
            if not used.fits_in(call.most):
                self.budget.clipped += 1
                completion = clip_usage(completion, call.request)
                used = bill(completion, call.endpoint.price)
        except AttemptFailed as failure:
            used = call.most if failure.billed else Spend(calls=1)
            if failure.overloaded:
                pace.count_overload(sent)
            raise
        except LLMRefused:
            used = Spend(calls=1)
            raise
        finally:
            if not call.in_turn:
                pace.give_back()
            self.budget.settle(call.most, used)
            if completion is None:
                self.budget.keep()
        self._count_answer(call, completion)
        return completion

    def _count_answer(self, call: _Call, completion: Completion) -> None:
        """Count an answer; where the model only thought, allow more thinking next time.

        Raises:
            NothingSaid, LLMUnavailable: see `check_words`.
            AttemptFailed: it has no words.
        """
        model, allowance = call.endpoint.model, call.request.thinking_tokens
        call.last = completion
        try:
            check_words(completion, call.request)
        except LLMUnavailable:
            call.unsaid.append(completion)
            call.request = replace(call.request, thinking_tokens=grow_allowance(allowance))
            self.budget.keep()
            raise
        self.allowances[model] = max(self.allowances[model], allowance)
        call.answers.append(completion)
        if not call.learns and not clean(completion.text.strip(), _MOST_WORDS):
            self.budget.keep()
            raise AttemptFailed("the answer has no words")

    def _make_reask(self, call: _Call, fault: str) -> CompletionRequest:
        """Return the request that shows the model its own words and their fault."""
        correction = (
            f"That cannot be used: {clean(fault, _MOST_CORRECTION)}. "
            "Answer again with exactly one JSON object of the form asked for, and nothing else."
        )
        said = (Message("assistant", call.words),) if call.words else ()
        return replace(
            call.request,
            messages=(*call.request.messages, *said, Message("user", correction)),
            seed=call_seed(self.run_seed, call.key, "reask"),
        )

    def _record(
        self, call: _Call, request: CompletionRequest, parsed: ParsedReply[T] | None
    ) -> RecordedReply:
        """Return the record of a call that began with `request`."""
        return RecordedReply(
            prompt_hash=prompt_hash(request),
            outcome="reply" if parsed else "fallback",
            reply=parsed.text if parsed else call.words,
            prompt_tokens=_sum(call.answers, "prompt_tokens"),
            completion_tokens=_sum(call.answers, "completion_tokens"),
            attempts=call.attempts,
            reasks=call.reasks,
            truncated=parsed.truncated if parsed else 0,
            fault=call.fault,
            model=call.endpoint.model,
            answered_by=self._redact(call.last.model) if call.last else "",
            fingerprint=self._redact(call.last.fingerprint) if call.last else "",
            reasoning_tokens=_sum(call.answers, "reasoning_tokens"),
            cached_tokens=_sum(call.answers, "cached_tokens"),
            cache_write_tokens=_sum(call.answers, "cache_write_tokens"),
            unsaid_prompt_tokens=_sum(call.unsaid, "prompt_tokens"),
            unsaid_completion_tokens=_sum(call.unsaid, "completion_tokens"),
            latency_seconds=time.monotonic() - call.begun,
            started_at=call.started_at,
            messages=tuple(replace(m, content=self._redact(m.content)) for m in request.messages),
        )

    def _redact(self, text: str) -> str:
        """Return `text` without the keys of all endpoints, since replies enter others' prompts."""
        for holder in self._holders:
            text = holder.redact_keys(text)
        return text


def _log_call(key: CallKey, made: RecordedReply) -> None:
    """Log the outcome of a call, without its words; a fallback as a warning."""
    level = logging.WARNING if made.outcome == "fallback" else logging.DEBUG
    text = (
        f"{key.purpose} of {key.agent} at tick {key.tick}: {made.outcome} by {made.model}, "
        f"{made.prompt_tokens} tokens read, {made.completion_tokens} written, "
        f"{made.latency_seconds:.1f} s"
    )
    _log.log(level, "%s", f"{text}; {made.fault}" if made.fault else text)


def _list_once(endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    return list({id(endpoint): endpoint for endpoint in endpoints}.values())


def _sum(completions: Iterable[Completion], name: str) -> int:
    return sum(getattr(completion, name) for completion in completions)
