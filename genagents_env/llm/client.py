"""The one path of every model call, and its guarantees.

cassette -> budget -> deadline and retries -> validation with one re-ask -> declared fallback
-> cassette -> ledger. An answer that is no completion is a failed attempt, tried again; only the
words of a completion are re-asked. A value is stored before it is returned; a fallback is never
silent.
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

from genagents_env.errors import LLMRefused, LLMUnavailable, ModelOutage
from genagents_env.llm.budget import Budget, Spend, find_most_tokens, upper_bound
from genagents_env.llm.calls import (
    AttemptFailed,
    BoundedEndpoint,
    CallKey,
    Completion,
    CompletionRequest,
    Endpoint,
    Message,
    PromptRefused,
    SlottedEndpoint,
    UnusableReply,
    prompt_hash,
)
from genagents_env.llm.cassette import UNAVAILABLE, Cassette, Ledger, RecordedReply, recall
from genagents_env.llm.pace import Pace
from genagents_env.llm.prices import FREE, Price
from genagents_env.llm.reasoning import (
    ThinkingAllowance,
    check_words,
    grow_allowance,
    separate_thinking,
)
from genagents_env.llm.redact import KeyHolder
from genagents_env.llm.replies import ParsedReply, parse
from genagents_env.llm.retries import RetryPolicy, with_retries
from genagents_env.llm.schemas import make_request_schema, schema_name
from genagents_env.rng import draw_bits
from genagents_env.text import clean

_log = logging.getLogger(__name__)
T = TypeVar("T", bound=BaseModel)

_MOST_FAULT = 300
_MOST_CORRECTION = 1500  # it names the allowed values, which may be many
_MOST_WORDS = 2000
_MOST_SAID = 20_000  # of which the words are cut, once keys are out of them
_KEY_SAID = "key hidden:"
_PROMPT_TOKENS = 4000  # of a prompt that follows the model; the paper's code filled 4,097
_REPLY_TOKENS = 1000  # of a context that a prompt leaves free
_LEAST_PROMPT = 400
ENOUGH_CONTEXT = _PROMPT_TOKENS + _REPLY_TOKENS
_NOTHING = Spend()
# Without any usable reply. At the share at which a run is degraded (20 %), ten in a row come by
# chance once in ten million calls; a prompt that no model can answer is one call of its tick.
UNUSABLE_IN_A_ROW = 10


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """What `ask` gives: the value, whether it is the declared fallback, and what went wrong.

    `fault` is None for a reply accepted at once; a reply accepted after a re-ask keeps the
    fault of the first.
    """

    value: T
    fallback: bool
    fault: str | None


@dataclass(slots=True)
class _Tally:
    """The counts of one `ask` so far, over its attempts and its re-ask."""

    endpoint: Endpoint
    in_turn: bool  # no attempt takes a slot: the caller holds one, or none is wanted
    # Of the first attempt; of the call where none is made: Unix time, and monotonic seconds.
    started_at: float = field(default_factory=time.time)
    begun: float = field(default_factory=time.monotonic)
    thinking: int = 0  # tokens allowed in the next attempt
    most: Spend = _NOTHING  # reserved for it
    attempts: int = 0
    waited: float = 0.0  # seconds, for the shared budget
    reasks: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    answered_by: str = ""
    fingerprint: str = ""
    unsaid_prompt_tokens: int = 0  # of attempts in which it only thought
    unsaid_completion_tokens: int = 0
    fault: str | None = None
    words: str = ""


def is_small(endpoint: Endpoint) -> bool:
    """Return whether the model of `endpoint` is known to be a small one."""
    return isinstance(endpoint, BoundedEndpoint) and endpoint.small


def call_seed(run_seed: int, key: CallKey, *words: str) -> int:
    """Return the seed sent with the call: 31 bits decided by the run's seed and `key`."""
    return draw_bits(run_seed, key.tick, key.agent, key.purpose, key.number, *words) >> 33


class ModelClient:
    """Asks one endpoint, or those of `routes`, on behalf of all agents of a run.

    Args:
        endpoint: the model.
        run_seed: decides the seed of every call.
        budget: limits; None is none.
        cassette: answers so far; None keeps nothing.
        ledger: where calls are counted; a new one when None.
        retry: attempts and deadlines. A slow endpoint's own attempt deadline extends the call's.
        max_in_flight: requests under way at once, per event loop, at most; None is as many as the
            endpoint keeps up with; see `Pace`.
        outage_after: calls to one model failed in a row (unavailable or refused) that make an
            outage.
        unusable_after: calls to one model in a row without a usable reply that make an outage,
            too; None is never. It is never for those of `asked_once`, which are to learn.
        thinking: tokens of hidden thinking allowed beside each reply; see `ThinkingAllowance`.
        routes: other endpoints for the calls of a person, or of a faculty (their purpose up to its
            first dot), by name; a person's comes before a faculty's.
        asked_once: models that are not asked again for a reply that can be used; they answer when
            they like, and calls to them take no slot.

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
        ledger: Ledger | None = None,
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
        self.ledger = ledger if ledger is not None else Ledger()
        self.retry = retry if retry is not None else RetryPolicy()
        self.max_in_flight = max_in_flight
        self.outage_after, self.unusable_after = outage_after, unusable_after
        self.routes, self.asked_once = dict(routes or {}), frozenset(asked_once)
        endpoints = (endpoint, *self.routes.values())
        self.prices = {one.model: one.price for one in endpoints}
        self.allowances = {one.model: ThinkingAllowance(one.model, thinking) for one in endpoints}
        self._holders = [one for one in _list_once(endpoints) if isinstance(one, KeyHolder)]
        self.failures: dict[str, int] = {}  # without an answer in a row, by model
        self.unusable: dict[str, list[int]] = {}  # ticks of those without a usable reply in a row
        for one in endpoints:
            self.budget.check_price(one.model, one.price)
        # What waits for a slot belongs to a loop; `asyncio.run` makes a new one a call.
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
        text_limit: int = 1000,
        in_turn: bool = False,
    ) -> ModelAnswer[T]:
        """Return the model's reply to `messages` as a `reply`, or `fallback` with the fault.

        Args:
            key: names the call; at most one call of a run has it.
            messages: what other agents said belongs in a fence (`prompts.fence`), not in `system`.
            reply: a pydantic model; its JSON schema goes with the request.
            fallback: the value taken, and recorded as taken, when no usable reply comes.
            max_tokens: written at most.
            temperature: of the sampling.
            text_limit: characters at most of each string in the reply; cuts are counted.
            in_turn: the caller holds a slot of `pace`, for all attempts.

        Raises:
            BudgetExceeded: the call does not fit the budget; nothing was stored.
            ModelOutage: this call and those before it failed, or had no usable reply; see
                `Cassette.forget_fallbacks`.
            DivergenceError: the cassette holds another prompt under `key`.
            LLMRefused: key, permission or model name is wrong.
        """
        request = CompletionRequest(
            tuple(messages),
            make_request_schema(reply, small=is_small(self.find_endpoint(key))),
            schema_name(reply),
            max_tokens,
            temperature,
            call_seed(self.run_seed, key),
        )
        recorded = recall(self.cassette, key, request)
        if recorded is not None:  # paid for when it was made
            price = self.prices.get(recorded.model, self.endpoint.price)
            self.ledger.book(key, recorded, price)
            return _replay(recorded, reply, fallback)
        in_turn = in_turn or self.find_endpoint(key).model in self.asked_once
        recorded = await self._answer(key, request, reply, text_limit, in_turn)
        _log_call(key, recorded)
        if self.cassette is not None:
            self.cassette.put(key, recorded)
        self.ledger.book(key, recorded, self.prices[recorded.model])
        return _replay(recorded, reply, fallback)

    @property
    def small(self) -> bool:
        """Whether one of the models needs short prompts and to be told to write plainly."""
        return any(is_small(one) for one in (self.endpoint, *self.routes.values()))

    @property
    def prompt_tokens(self) -> int:
        """How long a prompt may be: 4,000 tokens, or what the least of the contexts leaves."""
        endpoints = (self.endpoint, *self.routes.values())
        contexts = [e.context_tokens for e in endpoints if isinstance(e, BoundedEndpoint)]
        room = [context - _REPLY_TOKENS for context in contexts if context is not None]
        return max(_LEAST_PROMPT, min([_PROMPT_TOKENS, *room]))

    @property
    def failed_in_a_row(self) -> int:
        """How many calls failed since an answer; of several models the most."""
        return max(self.failures.values(), default=0)

    @property
    def pace(self) -> Pace:
        """The slots of requests under way in the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._paces:
            own = self.endpoint.slots if isinstance(self.endpoint, SlottedEndpoint) else None
            self._paces[loop] = Pace(self.max_in_flight, own)
        return self._paces[loop]

    def find_endpoint(self, key: CallKey) -> Endpoint:
        """Return the endpoint that the call `key` is put to."""
        own = self.routes.get(key.agent) or self.routes.get(key.purpose.split(".")[0])
        return own or self.endpoint

    async def _answer(
        self,
        key: CallKey,
        request: CompletionRequest,
        reply: type[T],
        text_limit: int,
        in_turn: bool,
    ) -> RecordedReply:
        """Return what the endpoint made of `request`, a usable reply or the lack of one."""
        tally = _Tally(self.find_endpoint(key), in_turn)
        parsed = await self._converse(key, request, reply, text_limit, tally)
        return RecordedReply(
            prompt_hash=prompt_hash(request),
            outcome="reply" if parsed else "fallback",
            reply=parsed.text if parsed else tally.words,
            prompt_tokens=tally.prompt_tokens,
            completion_tokens=tally.completion_tokens,
            attempts=tally.attempts,
            reasks=tally.reasks,
            truncated=parsed.truncated if parsed else 0,
            fault=tally.fault,
            model=tally.endpoint.model,
            reasoning_tokens=tally.reasoning_tokens,
            cached_tokens=tally.cached_tokens,
            cache_write_tokens=tally.cache_write_tokens,
            answered_by=self._redact(tally.answered_by),
            fingerprint=self._redact(tally.fingerprint),
            unsaid_prompt_tokens=tally.unsaid_prompt_tokens,
            unsaid_completion_tokens=tally.unsaid_completion_tokens,
            latency_seconds=time.monotonic() - tally.begun,
            started_at=tally.started_at,
            messages=tuple(replace(m, content=self._redact(m.content)) for m in request.messages),
        )

    def _redact(self, text: str) -> str:
        """Return `text` as it may be stored: no endpoint's key is in a prompt or a reply.

        A reply becomes part of other calls' prompts, so that every key is looked for in each.
        """
        for holder in self._holders:
            text = holder.redact_keys(text)
        return text

    async def _converse(
        self, key: CallKey, request: CompletionRequest, reply: type[T], limit: int, tally: _Tally
    ) -> ParsedReply[T] | None:
        """Return the reply, asked for at most twice, or None; keep count and faults in `tally`."""
        patience = max(self.retry.call_deadline, tally.endpoint.attempt_deadline)
        begun = self.retry.clock()
        tally.thinking = self.allowances[tally.endpoint.model].tokens
        while True:
            deadline = begun + patience + tally.waited
            seed = call_seed(self.run_seed, key, "jitter", str(tally.reasks))
            attempt = partial(self._attempt, request, tally)
            admit = partial(self._admit, request, tally)
            try:
                completion = await with_retries(
                    attempt,
                    self.retry,
                    seed=seed,
                    deadline=deadline,
                    admit=admit,
                    on_lost=self.budget.count_lost,
                )
                parsed = parse(completion, reply, limit, self._redact)
            except (LLMUnavailable, PromptRefused) as failure:
                self._count_failure(key, failure, tally.endpoint.model)
                kind = "refused:" if isinstance(failure, PromptRefused) else UNAVAILABLE
                tally.fault = clean(f"{kind} {failure}", _MOST_FAULT)
                return None
            except UnusableReply as bad:
                self.failures[tally.endpoint.model] = 0
                tally.fault = self._redact(clean(f"bad reply: {bad}", _MOST_CORRECTION))
                tally.fault = tally.fault[:_MOST_FAULT].strip()
                tally.words = self._redact(clean(bad.text, _MOST_SAID))[:_MOST_WORDS].strip()
                if tally.reasks or tally.endpoint.model in self.asked_once:
                    self._count_unusable(key, tally.fault, tally.endpoint.model)
                    return None
                request = self._make_reask(key, request, tally.words, str(bad))
                tally.reasks += 1
            else:
                self.failures[tally.endpoint.model] = 0
                self.unusable[tally.endpoint.model] = []
                if parsed.redacted:
                    tally.fault = f"{_KEY_SAID} {parsed.redacted} texts of the reply held one"
                return parsed

    async def _admit(self, request: CompletionRequest, tally: _Tally) -> float:
        """Have a slot and the most an attempt can spend, and return the seconds that took.

        No `await` may come between this and the attempt: a cancelled call would keep it.
        """
        asked = self.retry.clock()
        most = upper_bound(_give_room(request, tally), tally.endpoint.price)
        if not tally.in_turn:
            await self.pace.take()
        try:
            await self.budget.admit(most)
        except BaseException:  # refused, or cancelled: no attempt will be made
            if not tally.in_turn:
                self.pace.give_back()
            raise
        tally.most = most
        waited = self.retry.clock() - asked
        tally.waited += waited
        return waited

    async def _attempt(self, request: CompletionRequest, tally: _Tally) -> Completion:
        """Make one admitted request; whatever happens, its reservation is settled, its slot free.

        What an answer cost is kept with it, what was spent in vain at once.
        """
        price = tally.endpoint.price or FREE
        if not tally.attempts:
            tally.started_at, tally.begun = time.time(), time.monotonic()
        tally.attempts += 1
        used = most = tally.most
        roomy = _give_room(request, tally)
        completion: Completion | None = None
        pace, begun = self.pace, self.retry.clock()
        sent = pace.halvings
        try:
            completion = separate_thinking(await tally.endpoint.complete(roomy))
            if tally.endpoint.model not in self.asked_once:
                pace.count_answer(sent, self.retry.clock() - begun, completion.completion_tokens)
            completion = self._clip_usage(completion, roomy, tally)
            used = _bill(completion, price)
        except AttemptFailed as failure:
            used = most if failure.billed else Spend(calls=1)
            if failure.overloaded:
                pace.count_overload(sent)
            raise
        except LLMRefused:
            used = Spend(calls=1)
            raise
        finally:
            if not tally.in_turn:
                pace.give_back()
            self.budget.settle(most, used)
            if completion is None:
                self.budget.keep()
        self._count_tokens(completion, roomy, tally)
        return completion

    def _clip_usage(
        self, completion: Completion, request: CompletionRequest, tally: _Tally
    ) -> Completion:
        """Return `completion` with its usage, but with no more than was reserved for it."""
        price = tally.endpoint.price or FREE
        if _bill(completion, price).fits_in(tally.most):
            return completion
        self.budget.clipped += 1
        tokens = completion.prompt_tokens, completion.completion_tokens
        read, written = map(min, tokens, find_most_tokens(request))
        cached = min(completion.cached_tokens, read)
        return replace(
            completion,
            prompt_tokens=read,
            completion_tokens=written,
            reasoning_tokens=min(completion.reasoning_tokens, written),
            cached_tokens=cached,
            cache_write_tokens=min(completion.cache_write_tokens, read - cached),
        )

    def _count_tokens(
        self, completion: Completion, request: CompletionRequest, tally: _Tally
    ) -> None:
        """Count what was read and written; where it was only thought, allow more the next time.

        Raises:
            NothingSaid, LLMUnavailable: see `check_words`.
            AttemptFailed: it has no words.
        """
        try:
            tally.answered_by, tally.fingerprint = completion.model, completion.fingerprint
            check_words(completion, request)
        except LLMUnavailable:
            tally.unsaid_prompt_tokens += completion.prompt_tokens
            tally.unsaid_completion_tokens += completion.completion_tokens
            tally.thinking = grow_allowance(request.thinking_tokens)
            self.budget.keep()
            raise
        self.allowances[tally.endpoint.model].learn(request.thinking_tokens)
        tally.prompt_tokens += completion.prompt_tokens
        tally.completion_tokens += completion.completion_tokens
        tally.reasoning_tokens += completion.reasoning_tokens
        tally.cached_tokens += completion.cached_tokens
        tally.cache_write_tokens += completion.cache_write_tokens
        learns = tally.endpoint.model in self.asked_once  # whose silence is its action
        if not learns and not clean(completion.text.strip(), _MOST_WORDS):
            self.budget.keep()
            raise AttemptFailed("the answer has no words")

    def _make_reask(
        self, key: CallKey, request: CompletionRequest, words: str, fault: str
    ) -> CompletionRequest:
        """Return the request that shows the model its own words and what is wrong with them."""
        correction = (
            f"That cannot be used: {clean(fault, _MOST_CORRECTION)}. "
            "Answer again with exactly one JSON object of the form asked for, and nothing else."
        )
        said = (Message("assistant", words),) if words else ()
        return replace(
            request,
            messages=(*request.messages, *said, Message("user", correction)),
            seed=call_seed(self.run_seed, key, "reask"),
        )

    def _count_failure(self, key: CallKey, failure: Exception, model: str) -> None:
        """Count a call that got no answer.

        Raises:
            ModelOutage: with it there are too many in a row.
        """
        self.failures[model] = failed = self.failures.get(model, 0) + 1
        if failed >= self.outage_after:
            raise ModelOutage(
                f"{failed} model calls in a row failed, the last with: {failure}",
                "Resume the run when the endpoint answers again",
                since=min([key.tick, *self.unusable.get(model, [])]),
            ) from None
        self._count_unusable(key, str(failure), model)

    def _count_unusable(self, key: CallKey, fault: str, model: str) -> None:
        """Count a call that has no usable reply, whether it was answered or not.

        Raises:
            ModelOutage: with it there are too many in a row.
        """
        ticks = self.unusable.setdefault(model, [])
        ticks.append(key.tick)
        limit = None if model in self.asked_once else self.unusable_after
        if limit is not None and len(ticks) >= limit:
            raise ModelOutage(
                f"{len(ticks)} calls in a row to {model} had no usable reply, the last with: "
                f"{fault}",
                "Resume the run with a model that follows the form of its prompts (--model), or "
                "with --max-fallbacks 1 to have defaults stand in",
                since=min(ticks),
            ) from None

    async def aclose(self) -> None:
        """Close the endpoints."""
        for endpoint in _list_once((self.endpoint, *self.routes.values())):
            await endpoint.aclose()


def _log_call(key: CallKey, made: RecordedReply) -> None:
    """Log how a call went, without its words; a fallback is worth a warning."""
    _log.log(
        logging.WARNING if made.outcome == "fallback" else logging.DEBUG,
        "%s of %s at tick %d: %s by %s, %d tokens read, %d written, %.1f s%s",
        *(key.purpose, key.agent, key.tick, made.outcome, made.model),
        *(made.prompt_tokens, made.completion_tokens, made.latency_seconds),
        f"; {made.fault}" if made.fault else "",
    )


def _bill(completion: Completion, price: Price) -> Spend:
    """Return what one answered attempt cost."""
    read, written = completion.prompt_tokens, completion.completion_tokens
    dollars = price.cost(read, written, completion.cached_tokens, completion.cache_write_tokens)
    return Spend(1, read + written, dollars)


def _list_once(endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    return list({id(one): one for one in endpoints}.values())


def _give_room(request: CompletionRequest, tally: _Tally) -> CompletionRequest:
    return replace(request, thinking_tokens=tally.thinking)


def _replay(recorded: RecordedReply, reply: type[T], fallback: T) -> ModelAnswer[T]:
    """Return the value of `recorded`; a live answer takes this way too, so both are equal."""
    if recorded.outcome == "fallback":
        return ModelAnswer(fallback, True, recorded.fault)
    return ModelAnswer(reply.model_validate_json(recorded.reply), False, recorded.fault)
