"""Limits on the spending of a run: reserved before a call, settled after, never exceeded."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol

from genagents_env.errors import BudgetExceeded, ConfigError
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.llm.prices import FREE, Price, describe_list
from genagents_env.llm.schemas import canonical
from genagents_env.llm.tokens import byte_count

# Chat templates add marks to each message, and may add a system message.
_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_REQUEST = 64
MOST = 10**12  # of any limit


@dataclass(frozen=True, slots=True)
class Spend:
    """An amount: calls, tokens and dollars."""

    calls: int = 0
    tokens: int = 0
    dollars: Decimal = Decimal(0)

    def __add__(self, other: "Spend") -> "Spend":
        calls, tokens = self.calls + other.calls, self.tokens + other.tokens
        return Spend(calls, tokens, self.dollars + other.dollars)

    def __sub__(self, other: "Spend") -> "Spend":
        return self + Spend(-other.calls, -other.tokens, -other.dollars)

    def fits_in(self, most: "Spend") -> bool:
        """Return True if it is at most `most`, in tokens and in dollars."""
        return self.tokens <= most.tokens and self.dollars <= most.dollars


class SharedBudget(Protocol):
    """A total that holds over many runs, in one process or in several."""

    async def admit(self, most: Spend) -> None:
        """Reserve `most`; wait for calls in flight to settle.

        Cancelled, it leaves no reservation.

        Raises:
            BudgetExceeded: `most` does not fit beside the spending so far.
        """

    def settle(self, most: Spend, used: Spend) -> None:
        """Release the reservation `most` and spend `used`, without waiting."""


def find_most_tokens(request: CompletionRequest) -> tuple[int, int]:
    """Return the most tokens one attempt at `request` can read and write, for any tokenizer.

    No tokenizer makes more tokens than a text has UTF-8 bytes.
    """
    texts = [message.content for message in request.messages]
    if request.schema is not None:
        texts.append(canonical(request.schema))
    read = sum(map(byte_count, texts))
    read += _TOKENS_PER_MESSAGE * len(request.messages) + _TOKENS_PER_REQUEST
    return read, request.most_tokens


def upper_bound(request: CompletionRequest, price: Price | None) -> Spend:
    """Return the most one attempt at `request` can spend."""
    most = find_most_tokens(request)
    return Spend(1, sum(most), (price or FREE).bound(*most))


def bill(completion: Completion, price: Price | None) -> Spend:
    """Return the spending of an answered attempt, as the endpoint reported it."""
    read, written = completion.prompt_tokens, completion.completion_tokens
    cache = completion.cached_tokens, completion.cache_write_tokens
    return Spend(1, read + written, (price or FREE).cost(read, written, *cache))


def clip_usage(completion: Completion, request: CompletionRequest) -> Completion:
    """Return `completion` with no more tokens than `request` lets it read and write."""
    most_read, most_written = find_most_tokens(request)
    read = min(completion.prompt_tokens, most_read)
    written = min(completion.completion_tokens, most_written)
    cached = min(completion.cached_tokens, read)
    return replace(
        completion,
        prompt_tokens=read,
        completion_tokens=written,
        reasoning_tokens=min(completion.reasoning_tokens, written),
        cached_tokens=cached,
        cache_write_tokens=min(completion.cache_write_tokens, read - cached),
    )


class Budget:
    """Limits for one run; None is no limit. For use on one event loop at a time.

    Args:
        calls: requests sent, retries and re-asks included.
        tokens: read and written together.
        dollars: needs a model whose price is known.
        seconds: wall clock since the budget was made, earlier parts of a resumed run included.
        shared: a budget over several runs; asked once the limits here allow a call.
        clock: monotonic seconds.

    Attributes:
        spent: by requests that are over.
        reserved: for requests under way.
        lost: requests cancelled under way, which count at the most they could cost.
        clipped: answers that reported more usage than possible.
        on_change: called to store the spending, before a request is sent and when a request failed;
            an error it raises stops the request.
    """

    def __init__(
        self,
        calls: int | None = None,
        tokens: int | None = None,
        dollars: Decimal | float | str | None = None,
        seconds: float | None = None,
        *,
        shared: SharedBudget | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.shared = shared
        self.calls, self.tokens, self.seconds = calls, tokens, seconds
        self.dollars = None if dollars is None else Decimal(str(dollars))
        for name in ("calls", "tokens", "dollars", "seconds"):
            limit = getattr(self, name)
            if limit is not None and not 0 <= limit <= MOST:
                raise ConfigError(f"budget: {name} is {limit}, must be 0 or more, at most 10**12")
        self.spent = Spend()
        self.reserved = Spend()
        self.lost = self.clipped = 0
        self.on_change: Callable[[], None] | None = None
        self._clock, self._started, self._earlier = clock, clock(), 0.0
        self._waiting: list[asyncio.Future[None]] = []

    def check_price(self, model: str, price: Price | None) -> None:
        """Raise ConfigError when dollars are limited but the price of `model` is not known."""
        if self.dollars is not None and price is None:
            raise ConfigError(
                f"budget: dollars are limited, but the price of model {model!r} is not known to "
                f"{describe_list()}; limit tokens instead, or give the price of a language model "
                "by --endpoint price_in and price_out, in dollars per million tokens"
            )

    @property
    def elapsed(self) -> float:
        """Seconds of wall clock used so far."""
        return self._earlier + self._clock() - self._started

    def reserve(self, most: Spend) -> None:
        """Reserve `most` here, or raise BudgetExceeded and reserve nothing."""
        self._check(self.spent + self.reserved + most)
        self.reserved += most

    def fits(self, most: Spend) -> bool:
        """Return True if `most` fits now; False if calls in flight have to settle first.

        Raises:
            BudgetExceeded: `most` does not fit beside the spending so far.
        """
        self._check(self.spent + most)
        return not list_exceeded(self, self.spent + self.reserved + most)

    async def admit(self, most: Spend) -> None:
        """Reserve `most` here and with the shared budget; wait as `SharedBudget.admit` does.

        The reservation is stored (`on_change`) when this returns; refused or cancelled, it leaves
        none.

        Raises:
            BudgetExceeded: `most` does not fit beside the spending so far.
        """
        while not self.fits(most):
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        self.reserved += most
        try:
            if self.shared is not None:
                await self.shared.admit(most)
        except BaseException:  # refused, or cancelled: no call will be made
            self._release(most)
            raise
        try:
            self.keep()
        except BaseException:
            self.settle(most, Spend())
            raise

    def settle(self, most: Spend, used: Spend) -> None:
        """Release the reservation `most` and spend `used`, here and with the shared budget.

        The cassette stores this with the answer; without an answer, call `keep`.
        """
        self.spent += used
        self._release(most)
        if self.shared is not None:
            self.shared.settle(most, used)

    def keep(self) -> None:
        """Call `on_change`, if any."""
        if self.on_change is not None:
            self.on_change()

    def count_lost(self) -> None:
        """Count a request that was cancelled under way and settled at its most."""
        self.lost += 1
        self.keep()

    def load_spending(self, spent: Spend, seconds: float, lost: int = 0, clipped: int = 0) -> None:
        """Take over earlier spending, and drop reservations."""
        self.spent, self.reserved = spent, Spend()
        self.lost, self.clipped = lost, clipped
        self._earlier, self._started = seconds, self._clock()

    def _release(self, most: Spend) -> None:
        self.reserved -= most
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting = []

    def _check(self, total: Spend) -> None:
        """Raise BudgetExceeded if the time is over, or `total` is above a limit."""
        if self.seconds is not None and self.elapsed >= self.seconds:
            raise BudgetExceeded("seconds", self.seconds, self.elapsed)
        for kind in list_exceeded(self, total):
            raise BudgetExceeded(kind, float(getattr(self, kind)), float(getattr(total, kind)))


@dataclass(frozen=True)
class Limits:
    """Limits on the spending of a run, earlier parts included; None is no limit.

    Raises:
        ConfigError: one is negative, or too large.
    """

    calls: int | None = None
    tokens: int | None = None
    dollars: Decimal | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        self.budget()

    def subtract(self, spent: Spend, seconds: float = 0.0) -> "Limits":
        """Return the limits that remain after `spent` and `seconds`, at least 0."""
        return Limits(
            None if self.calls is None else max(0, self.calls - spent.calls),
            None if self.tokens is None else max(0, self.tokens - spent.tokens),
            None if self.dollars is None else max(Decimal(0), self.dollars - spent.dollars),
            None if self.seconds is None else max(0.0, self.seconds - seconds),
        )

    def budget(self, shared: SharedBudget | None = None) -> Budget:
        """Return a new budget with these limits, within `shared` if given."""
        return Budget(self.calls, self.tokens, self.dollars, self.seconds, shared=shared)


NO_LIMITS = Limits()


def list_exceeded(limits: "Budget | Limits", total: Spend) -> list[str]:
    """Return the kinds of limit that `total` is above."""
    most = {"calls": limits.calls, "tokens": limits.tokens, "dollars": limits.dollars}
    return [k for k, one in most.items() if one is not None and getattr(total, k) > one]
