"""Who may spend what, and when: the arithmetic of a shared budget, without any waiting."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genagents_env.errors import BudgetExceeded
from genagents_env.llm.budget import Budget, Spend
from genagents_env.run.model import Limits
from genagents_env.sweep.spending.bucket import Bucket

if TYPE_CHECKING:
    from genagents_env.sweep.design.experiment import Rate


@dataclass(frozen=True, slots=True)
class Ask:
    """What one line wants set aside; `number` is the line's own name for it."""

    line: int
    number: int
    most: Spend


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to an ask: granted where `refusal` is None."""

    ask: Ask
    refusal: BudgetExceeded | None


class Till:
    """Decides asks strictly in their order, so that none starves.

    The first in the queue waits for the rate, and for reservations of calls in flight if nothing
    else stands in its way; those behind it wait with it.

    Args:
        limits: of all lines together.
        rate: of all lines together.
        clock: monotonic seconds.

    Attributes:
        exhausted: the kind of limit that the last refusal was about, or None.
    """

    def __init__(
        self, limits: Limits, rate: "Rate", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.budget = Budget(
            limits.calls, limits.tokens, limits.dollars, limits.seconds, clock=clock
        )
        self.exhausted: str | None = None
        self._requests = Bucket(rate.requests_per_minute, clock, "requests_per_minute")
        self._tokens = Bucket(rate.tokens_per_minute, clock, "tokens_per_minute")
        self._queue: deque[Ask] = deque()
        self._held: dict[int, Spend] = {}

    @property
    def owed(self) -> Spend:
        """What is spent, and what calls in flight may still spend."""
        return self.budget.spent + self.budget.reserved

    def ask(self, ask: Ask) -> None:
        """Put `ask` at the end of the queue."""
        self._queue.append(ask)

    def withdraw(self, line: int, number: int) -> bool:
        """Take an ask out of the queue; False if it does not wait there (any more)."""
        for ask in self._queue:
            if (ask.line, ask.number) == (line, number):
                self._queue.remove(ask)
                return True
        return False

    def settle(self, line: int, most: Spend, used: Spend) -> None:
        """Give back what the line had set aside, spend `used`, and correct the rate.

        Raises:
            ValueError: the line has not that much set aside.
        """
        kept = self._held.get(line, Spend()) - most
        if kept.calls < 0 or kept.tokens < 0 or kept.dollars < 0:
            raise ValueError("more is settled than was set aside")
        self._held[line] = kept
        self.budget.settle(most, used)
        self._requests.take(used.calls - most.calls)
        self._tokens.take(used.tokens - most.tokens)

    def leave(self, line: int) -> None:
        """Forget a line; what it had set aside is spent, for nobody will say how much of it was."""
        self._queue = deque(ask for ask in self._queue if ask.line != line)
        held = self._held.pop(line, Spend())
        self.budget.settle(held, held)

    def decide(self) -> list[Verdict]:
        """Return the answers that can be given now, in order; what is granted is set aside."""
        decided: list[Verdict] = []
        while self._queue:
            ask = self._queue[0]
            try:
                if not self.budget.fits(ask.most) or self._rate_wait(ask.most) > 0:
                    break
            except BudgetExceeded as refusal:
                self.exhausted = refusal.kind
                decided.append(Verdict(ask, refusal))
            else:
                self._grant(ask)
                decided.append(Verdict(ask, None))
            self._queue.popleft()
        return decided

    def wait(self) -> float | None:
        """Return the seconds after which `decide` may have answers by the mere passing of time."""
        if not self._queue:
            return None
        waits = []
        if self.budget.seconds is not None:
            waits.append(max(0.0, self.budget.seconds - self.budget.elapsed))
        rate = self._rate_wait(self._queue[0].most)
        if rate > 0:
            waits.append(rate)
        return min(waits, default=None)

    def _rate_wait(self, most: Spend) -> float:
        return max(self._requests.wait(most.calls), self._tokens.wait(most.tokens))

    def _grant(self, ask: Ask) -> None:
        self.budget.reserve(ask.most)
        self._held[ask.line] = self._held.get(ask.line, Spend()) + ask.most
        self._requests.take(ask.most.calls)
        self._tokens.take(ask.most.tokens)
