"""The number of requests under way at once: as many as an endpoint keeps up with."""

import asyncio
import logging
from collections import deque
from statistics import median

_log = logging.getLogger(__name__)

AT_FIRST = 8
MOST = 64  # more than people who think at once; below the 100 connections of the library
_WINDOW = 8  # answers judged together
_STEADY, _RISEN = 1.5, 2.0  # times the quickest window
_FORGET = 1.02  # a window, so that lasting changes, as longer replies, become usual
_READING = 50  # tokens; reading the prompt takes about as long as writing these
_QUICK = 0.005  # seconds a token; differences below this mean nothing


class Pace:
    """Slots for requests; their number adapts to the speed of answers.

    The rule is additive increase and multiplicative decrease (Chiu and Jain 1989; TCP's, Jacobson
    1988), with latency as a sign beside refusals (TCP Vegas, Brakmo and Peterson 1995). Eight
    answers are judged together by their median of seconds a token written:
    - at most 1.5 times the quickest eight so far, and requests waited for a slot: one slot more;
    - above twice the quickest: half as many slots as were taken;
    - in between: as many as before.
    A refusal for overload, or no answer in time, leaves half as many as are taken at once. Requests
    that were under way at a halving are no reason for the next one.

    Args:
        most: slots at most, and at first; None begins with 8 and has 64 at most.
        own: the number of calls that the endpoint is known to take at once, a fixed number of slots
            within `most`.

    Attributes:
        limit: slots now.
        halvings: so far; callers pass the number at which a request was sent with its outcome.
    """

    def __init__(self, most: int | None = None, own: int | None = None) -> None:
        if own is not None:
            most = min(most or own, own)
        self.limit, self.most = most or AT_FIRST, most or MOST
        self._least = 1 if own is None else self.most
        self.halvings = self._taken = self._peak = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._waited = False  # since the window began, as the peak
        self._window: list[float] = []
        self._quickest = 0.0

    async def __aenter__(self) -> None:
        """Take a slot."""
        await self.take()

    async def __aexit__(self, *exc: object) -> None:
        """Release the slot."""
        self.give_back()

    async def take(self) -> None:
        """Wait for a slot, first come, first served."""
        if self._taken < self.limit:  # then nobody waits
            self._count_taken()
            return
        self._waited = True
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had its slot
                self.give_back()
            raise

    def give_back(self) -> None:
        """Release a slot."""
        self._taken -= 1
        self._fill()

    def count_answer(self, sent: int, seconds: float, tokens: int) -> None:
        """Judge an answer that took `seconds`, asked for after `sent` halvings."""
        if sent != self.halvings:
            return
        self._window.append(max(_QUICK, seconds / (_READING + tokens)))
        if len(self._window) < _WINDOW:
            return
        cost, waited, peak = median(self._window), self._waited, self._peak
        self._quickest = min(cost, self._quickest * _FORGET) if self._quickest else cost
        self._begin_window()
        if cost > _RISEN * self._quickest:
            slow = f"answers take {cost / self._quickest:.1f} times as long as the quickest"
            self._halve(peak, slow)
        elif waited and cost <= _STEADY * self._quickest and self.limit < self.most:
            self.limit += 1
            if self.limit % AT_FIRST == 0:
                _log.info("pace: %d calls at once, the endpoint keeps up", self.limit)
            self._fill()

    def count_overload(self, sent: int) -> None:
        """Slow down after the endpoint refused a call, or did not answer in time."""
        if sent == self.halvings:
            self._halve(self._taken, "the endpoint is overloaded")

    def _halve(self, taken: int, reason: str) -> None:
        self.halvings += 1
        self._begin_window()
        limit = max(self._least, min(taken, self.limit) // 2)
        if limit < self.limit:
            self.limit = limit
            _log.info("pace: %d calls at once, %s", limit, reason)

    def _begin_window(self) -> None:
        self._window, self._waited, self._peak = [], bool(self._waiting), self._taken

    def _count_taken(self) -> None:
        self._taken += 1
        self._peak = max(self._peak, self._taken)

    def _fill(self) -> None:
        """Give free slots to waiters."""
        while self._waiting and self._taken < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._count_taken()
