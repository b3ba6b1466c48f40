"""Retries of failed attempts, bounded and jittered; and outages, many failures in a row."""

import asyncio
import logging
import math
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

from genagents_env.errors import LLMUnavailable, ModelOutage
from genagents_env.llm.calls import AttemptFailed, NothingSaid
from genagents_env.rng import draw_unit

_log = logging.getLogger(__name__)
T = TypeVar("T")
# Python's own numbers and dates may hold underscores and the digits of any script.
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?", re.ASCII)
_DATE = re.compile(r"[A-Za-z0-9 ,:+-]{1,64}", re.ASCII)
# Calls without a usable reply. At the share at which a run is degraded (20 %), ten in a row occur
# by chance once in ten million calls.
UNUSABLE_IN_A_ROW = 10
Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits on the attempts at a call.

    Attributes:
        attempts: requests at most, the first included.
        base: seconds before the second attempt; doubled at each further one.
        cap: seconds between attempts at most, unless the endpoint asks for more.
        longest_wait: the call fails at once if the endpoint asks for a longer wait.
        call_deadline: wall clock for all attempts of one call, waits included.
        clock: monotonic seconds.
        sleep: waits that many seconds.
    """

    attempts: int = 4
    base: float = 0.5
    cap: float = 8.0
    longest_wait: float = 60.0
    call_deadline: float = 90.0
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep

    def wait(self, failed: int, seed: int, retry_after: float | None) -> float:
        """Return the seconds to wait after the `failed`-th failure (1 is the first).

        It is the endpoint's own figure if positive, or else the backoff, lengthened by up to 10%
        drawn from `seed`, so that callers do not all retry at once.
        """
        jitter = 1.0 + 0.1 * draw_unit(seed, failed, "backoff")
        if retry_after is not None and retry_after > 0:
            return retry_after * jitter
        return min(self.cap, self.base * math.ldexp(1.0, failed - 1)) * jitter


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    *,
    seed: int,
    deadline: float,
    admit: Callable[[], Awaitable[float]] | None = None,
    on_lost: Callable[[], None] | None = None,
) -> T:
    """Call `attempt` until it does not raise `AttemptFailed`, and return its result.

    Args:
        attempt: makes one request; other exceptions pass through.
        policy: the limits.
        seed: decides the jitter.
        deadline: of the call, on `policy.clock`.
        admit: awaited before each attempt; returns the seconds waited, which extend the deadline,
            since waiting for a shared budget is no fault of the endpoint.
        on_lost: called when this is cancelled while an attempt is under way.

    Raises:
        LLMUnavailable: attempts or time are used up, or the endpoint asks for too long a wait.
    """
    last: AttemptFailed | None = None
    for failed in range(1, policy.attempts + 1):
        remaining = deadline - policy.clock()
        if remaining <= 0:
            break
        if admit is not None:
            deadline += await admit()
        try:
            async with asyncio.timeout(remaining):
                return await attempt()
        except TimeoutError:
            break
        except asyncio.CancelledError:
            if on_lost is not None:
                on_lost()
            raise
        except AttemptFailed as fault:
            last = fault
        asked = last.retry_after
        if asked is not None and asked > policy.longest_wait:
            raise LLMUnavailable(f"{last}; it asks to wait {asked:.0f} s, which is too long")
        if failed == policy.attempts:
            raise LLMUnavailable(f"{last} ({failed} attempts)")
        wait = 0.0 if isinstance(last, NothingSaid) else policy.wait(failed, seed, asked)
        if policy.clock() + wait >= deadline:
            raise LLMUnavailable(f"{last}; no time is left for another attempt")
        _log.info("attempt %d of %d: %s; again in %.1f s", failed, policy.attempts, last, wait)
        await policy.sleep(wait)
    within = f"no answer within the {policy.call_deadline:g} s of a call"
    late = f"{within}; --endpoint deadline=N allows more"
    raise LLMUnavailable(late if last is None else f"{last}; {late}")


class OutageWatch:
    """Counts the calls in a row without an answer, or without a usable reply, by model.

    Args:
        failed_after: calls without an answer (unavailable or refused) that make an outage.
        unusable_after: calls without a usable reply, answered or not, that make an outage; None
            is never, as for a model that learns.
    """

    def __init__(self, failed_after: int, unusable_after: int | None) -> None:
        self.failed_after, self.unusable_after = failed_after, unusable_after
        self.failures: dict[str, int] = {}
        self._unusable: dict[str, list[int]] = {}  # the ticks of those calls

    def begin_anew(self) -> "OutageWatch":
        """Return a new watch with the same limits."""
        return OutageWatch(self.failed_after, self.unusable_after)

    def count_answer(self, model: str, *, usable: bool = False) -> None:
        """Reset the counts of a model that answered."""
        self.failures[model] = 0
        if usable:
            self._unusable[model] = []

    def count_failure(self, model: str, tick: int, fault: str, learns: bool) -> None:
        """Count a call that got no answer.

        Raises:
            ModelOutage: there are too many in a row.
        """
        self.failures[model] = failed = self.failures.get(model, 0) + 1
        if failed >= self.failed_after:
            raise ModelOutage(
                f"{failed} model calls in a row failed, the last with: {fault}",
                "Resume the run when the endpoint answers again",
                since=min([tick, *self._unusable.get(model, [])]),
            ) from None
        self.count_unusable(model, tick, fault, learns)

    def count_unusable(self, model: str, tick: int, fault: str, learns: bool) -> None:
        """Count a call that got no usable reply.

        Raises:
            ModelOutage: there are too many in a row.
        """
        ticks = self._unusable.setdefault(model, [])
        ticks.append(tick)
        if self.unusable_after is not None and not learns and len(ticks) >= self.unusable_after:
            raise ModelOutage(
                f"{len(ticks)} calls in a row to {model} had no usable reply, the last with: "
                f"{fault}",
                "Resume the run with a model that follows the form of its prompts (--model), or "
                "with --limit fallbacks=1 to have defaults stand in",
                since=min(ticks),
            ) from None


def retry_after(seconds: str | None, milliseconds: str | None, now: float) -> float | None:
    """Return the wait that a response's headers ask for, in seconds, or None.

    Args:
        seconds: the `Retry-After` header: a number of seconds or an HTTP date, in ASCII digits.
        milliseconds: the `retry-after-ms` header, which wins when it is a number.
        now: Unix time, against which a date is read.

    Returns:
        A number of 0 or more; None where it is missing or unreadable; infinity for dates past the
        calendar's end.
    """
    for raw, scale in ((milliseconds, 0.001), (seconds, 1.0)):
        if raw and _NUMBER.fullmatch(raw.strip()):
            return max(0.0, float(raw) * scale)
    return _until(seconds, now) if seconds and _DATE.fullmatch(seconds) else None


def _until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if any(len(word) > 4 and word.isdigit() for word in date.split()) else None
