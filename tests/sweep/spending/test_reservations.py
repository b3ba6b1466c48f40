from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Spend
from genagents_env.run import Limits
from genagents_env.sweep.design.experiment import RateLimit
from genagents_env.sweep.spending.server import Reservation, ReservationQueue, TokenBucket
from tests.sweep.spending.clocks import Clock

KINDS = ("calls", "tokens", "dollars")
WORKERS = 3


def queue_of(
    clock: Clock | None = None, per_minute: int | None = None, **limits: int
) -> ReservationQueue:
    rate = RateLimit(requests_per_minute=per_minute)
    return ReservationQueue(Limits(**limits), rate, clock or Clock())  # type: ignore[arg-type]  # ints will do


def list_grants(queue: ReservationQueue) -> list[tuple[int, bool]]:
    return [(one.reservation.number, one.refusal is None) for one in queue.decide()]


def request(
    queue: ReservationQueue, *tokens: int, worker: int = 1, first: int = 0
) -> list[tuple[int, bool]]:
    for number, most in enumerate(tokens, first):
        queue.add(Reservation(worker, number, Spend(1, most)))
    return list_grants(queue)


def test_a_request_that_waited_is_refused_when_they_took_it_all() -> None:
    queue = queue_of(tokens=100)
    assert request(queue, 90, 80) == [(0, True)]
    queue.settle(1, Spend(1, 90), Spend(1, 90))
    (decision,) = queue.decide()
    refusal = decision.refusal
    assert refusal is not None
    assert (refusal.kind, refusal.limit, refusal.value) == ("tokens", 100, 170)


def test_a_request_is_withdrawn_once() -> None:
    queue = queue_of(tokens=100)
    request(queue, 60, 60, 10)
    assert not queue.withdraw(1, 0)  # granted already
    assert not queue.withdraw(2, 1)  # of another worker
    assert queue.withdraw(1, 1)
    assert not queue.withdraw(1, 1)
    assert list_grants(queue) == [(2, True)]


@pytest.mark.parametrize("most", [Spend(1, 61), Spend(2, 60), Spend(1, 60, Decimal("0.01"))])
def test_no_worker_settles_more_than_it_holds(most: Spend) -> None:
    queue = queue_of(tokens=100)
    request(queue, 60)
    request(queue, 40, worker=2)
    with pytest.raises(ValueError, match="more is settled"):
        queue.settle(1, most, Spend())
    assert queue.committed == Spend(2, 100)


def test_time_is_a_limit_of_those_who_wait_too() -> None:
    clock = Clock()
    queue = queue_of(clock, per_minute=1, seconds=50)
    assert request(queue, 1, 1) == [(0, True)]
    assert queue.wait() == 50  # the rate would take 60
    clock.now += 50
    assert list_grants(queue) == [(1, False)]
    assert queue.exhausted == "seconds"
    assert queue.wait() is None


def test_the_rate_lets_wait_in_order_and_no_longer_than_needed() -> None:
    clock = Clock()
    queue = queue_of(clock, per_minute=2)
    assert request(queue, 1, 1, 1, 1) == [(0, True), (1, True)]
    assert queue.wait() == pytest.approx(30)
    clock.now += 29
    assert list_grants(queue) == []
    assert queue.wait() == pytest.approx(1)
    clock.now += 1
    assert list_grants(queue) == [(2, True)]
    clock.now += 30
    assert list_grants(queue) == [(3, True)]


def test_the_rate_is_corrected_by_what_was_used() -> None:
    clock = Clock()
    queue = ReservationQueue(Limits(), RateLimit(tokens_per_minute=600), clock)
    assert request(queue, 600, 400) == [(0, True)]
    assert queue.wait() == pytest.approx(40)
    queue.settle(1, Spend(1, 600), Spend(1, 100))
    assert list_grants(queue) == [(1, True)]
    queue.settle(1, Spend(1, 400), Spend(1, 700))  # an endpoint that bills more than the bound
    assert request(queue, 1) == []
    assert queue.wait() == pytest.approx(20.1)


def test_a_request_beyond_a_minutes_amount_waits_for_a_full_bucket_and_leaves_a_debt() -> None:
    clock = Clock()
    queue = ReservationQueue(Limits(), RateLimit(tokens_per_minute=60), clock)
    assert request(queue, 180, 60) == [(0, True)]
    assert queue.wait() == pytest.approx(180)


@pytest.mark.parametrize("rate", [0, -1])
def test_a_rate_is_at_least_one(rate: int) -> None:
    with pytest.raises(ConfigError, match="requests_per_minute"):
        TokenBucket(rate, Clock(), "requests_per_minute")


@given(
    rate=st.integers(1, 1000),
    steps=st.lists(st.tuples(st.floats(0, 100), st.integers(1, 2000)), max_size=60),
)
def test_a_bucket_never_gives_more_than_its_rate_and_one_minute(
    rate: int, steps: list[tuple[float, int]]
) -> None:
    clock = Clock()
    bucket = TokenBucket(rate, clock, "r")
    taken: list[tuple[float, int]] = []
    for passed, amount in steps:
        clock.now += passed
        wait = bucket.wait(amount)
        if wait == 0:
            bucket.take(amount)
            taken.append((clock.now, amount))
        else:
            assert wait <= 60 * max(1.0, max(a for _, a in taken) / rate) + 1e-6
    for first, (began, _) in enumerate(taken):
        total = 0
        for at, amount in taken[first:]:
            total += amount
            beyond = total - rate * (at - began) / 60
            assert beyond <= max(rate, max(a for _, a in taken)) + 0.01


spends = st.builds(
    Spend,
    st.integers(0, 3),
    st.integers(0, 60),
    st.decimals(0, 1, places=2),
)
limit = st.none() | st.integers(0, 200)
moves = st.one_of(
    st.tuples(st.just("request"), st.integers(1, WORKERS), spends),
    st.tuples(st.just("settle"), st.integers(0, 50), st.floats(0, 1)),
    st.tuples(st.just("withdraw"), st.integers(0, 50), st.none()),
    st.tuples(st.just("remove"), st.integers(1, WORKERS), st.none()),
    st.tuples(st.just("pass"), st.integers(0, 40), st.none()),
)


@dataclass
class Ledger:
    """What a queue must decide, kept by hand."""

    queue: ReservationQueue
    rated: bool
    waiting: deque[Reservation] = field(default_factory=deque)
    flying: list[Reservation] = field(default_factory=list)
    spent: Spend = field(default_factory=Spend)
    requests: int = 0

    def request(self, worker: int, amount: Spend) -> None:
        self.requests += 1
        reservation = Reservation(worker, self.requests, amount)
        self.waiting.append(reservation)
        self.queue.add(reservation)

    def settle(self, at: int, share: float) -> None:
        if not self.flying:
            return
        one = self.flying.pop(at % len(self.flying))
        most = one.amount
        used = Spend(most.calls, int(most.tokens * share), most.dollars * (share > 0.5))
        self.queue.settle(one.worker, most, used)
        self.spent += used

    def withdraw(self, at: int, _: None) -> None:
        if self.waiting:
            one = self.waiting[at % len(self.waiting)]
            self.waiting.remove(one)
            assert self.queue.withdraw(one.worker, one.number)

    def remove(self, worker: int, _: None) -> None:
        self.queue.remove(worker)
        self.waiting = deque(one for one in self.waiting if one.worker != worker)
        for one in [one for one in self.flying if one.worker == worker]:
            self.flying.remove(one)
            self.spent += one.amount

    def decide(self) -> None:
        for decision in self.queue.decide():
            assert decision.reservation == self.waiting.popleft()  # in order, and once
            if decision.refusal is None:
                self.flying.append(decision.reservation)
            else:
                assert self.exceeds(self.spent + decision.reservation.amount, decision.refusal.kind)
                assert self.queue.exhausted == decision.refusal.kind

    def exceeds(self, total: Spend, kind: str) -> bool:
        limit = getattr(self.queue.budget, kind)
        if limit is None:
            return False
        if kind == "seconds":
            return bool(self.queue.budget.elapsed >= limit)
        return bool(getattr(total, kind) > limit)

    def check(self) -> None:
        flying = sum((one.amount for one in self.flying), Spend())
        assert self.queue.budget.spent == self.spent
        assert self.queue.committed == self.spent + flying
        assert not any(self.exceeds(self.queue.committed, kind) for kind in KINDS)
        if not self.waiting:
            assert self.queue.wait() is None
        elif not self.flying:
            assert self.queue.wait() is not None  # only the rate can let them wait now
        elif not self.rated:  # nothing waits that could go
            wanted = self.queue.committed + self.waiting[0].amount
            assert any(self.exceeds(wanted, kind) for kind in KINDS)


@given(
    calls=limit,
    tokens=limit,
    dollars=limit,
    seconds=limit,
    requests_per_minute=st.none() | st.integers(1, 20),
    tokens_per_minute=st.none() | st.integers(1, 300),
    steps=st.lists(moves, max_size=60),
)
def test_no_order_of_events_spends_more_or_stalls(
    calls: int | None,
    tokens: int | None,
    dollars: int | None,
    seconds: int | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    steps: list[tuple[str, int, object]],
) -> None:
    clock = Clock()
    limits = Limits(calls, tokens, None if dollars is None else Decimal(dollars), seconds)
    rate = RateLimit(requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute)
    rated = requests_per_minute is not None or tokens_per_minute is not None
    ledger = Ledger(ReservationQueue(limits, rate, clock), rated)
    for what, number, more in steps:
        if what == "pass":
            clock.now += number
        else:
            getattr(ledger, what)(number, more)
        ledger.decide()
        ledger.check()
    while ledger.waiting:  # whoever waits is answered in the end
        wait = ledger.queue.wait()
        while ledger.flying:
            ledger.settle(0, 1.0)
        clock.now += wait or 0.0
        ledger.decide()
        ledger.check()
