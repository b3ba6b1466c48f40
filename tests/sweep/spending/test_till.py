from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Spend
from genagents_env.run import Limits
from genagents_env.sweep.design.experiment import Rate
from genagents_env.sweep.spending.bucket import Bucket
from genagents_env.sweep.spending.till import Ask, Till
from tests.sweep.spending.clocks import Clock

KINDS = ("calls", "tokens", "dollars")
LINES = 3


def till_of(clock: Clock | None = None, per_minute: int | None = None, **limits: int) -> Till:
    rate = Rate(requests_per_minute=per_minute)
    return Till(Limits(**limits), rate, clock or Clock())  # type: ignore[arg-type]  # ints will do


def granted(till: Till) -> list[tuple[int, bool]]:
    return [(verdict.ask.number, verdict.refusal is None) for verdict in till.decide()]


def asked(till: Till, *tokens: int, line: int = 1, first: int = 0) -> list[tuple[int, bool]]:
    for number, most in enumerate(tokens, first):
        till.ask(Ask(line, number, Spend(1, most)))
    return granted(till)


def test_what_fits_is_granted_and_what_never_will_is_refused() -> None:
    till = till_of(tokens=100)
    assert asked(till, 40, 101, 60) == [(0, True), (1, False), (2, True)]
    assert till.exhausted == "tokens"
    assert till.owed == Spend(2, 100)


def test_an_ask_waits_for_those_in_flight_and_goes_when_they_took_less() -> None:
    till = till_of(tokens=100)
    assert asked(till, 90, 80) == [(0, True)]
    till.settle(1, Spend(1, 90), Spend(1, 20))
    assert granted(till) == [(1, True)]
    assert till.exhausted is None


def test_an_ask_that_waited_is_refused_when_they_took_it_all() -> None:
    till = till_of(tokens=100)
    assert asked(till, 90, 80) == [(0, True)]
    till.settle(1, Spend(1, 90), Spend(1, 90))
    (verdict,) = till.decide()
    assert verdict.refusal is not None
    refusal = verdict.refusal
    assert (refusal.kind, refusal.limit, refusal.value) == ("tokens", 100, 170)


def test_nobody_overtakes() -> None:
    till = till_of(tokens=100)
    assert asked(till, 90, 80, 5) == [(0, True)]
    till.settle(1, Spend(1, 90), Spend(1, 0))
    assert granted(till) == [(1, True), (2, True)]


def test_what_a_line_had_set_aside_when_it_left_is_spent() -> None:
    till = till_of(tokens=100)
    asked(till, 60)
    assert asked(till, 50, line=2, first=7) == []
    till.leave(1)
    assert till.budget.spent == Spend(1, 60)
    assert granted(till) == [(7, False)]
    till.leave(1)
    assert till.owed == Spend(1, 60)


def test_what_a_line_that_left_still_wanted_is_forgotten() -> None:
    till = till_of(tokens=100)
    assert asked(till, 60, 60) == [(0, True)]
    assert asked(till, 30, line=2, first=5) == []
    till.leave(1)
    assert granted(till) == [(5, True)]


def test_an_ask_is_withdrawn_once() -> None:
    till = till_of(tokens=100)
    asked(till, 60, 60, 10)
    assert not till.withdraw(1, 0)  # granted already
    assert not till.withdraw(2, 1)  # of another line
    assert till.withdraw(1, 1)
    assert not till.withdraw(1, 1)
    assert granted(till) == [(2, True)]


@pytest.mark.parametrize("most", [Spend(1, 61), Spend(2, 60), Spend(1, 60, Decimal("0.01"))])
def test_no_line_gives_back_more_than_it_holds(most: Spend) -> None:
    till = till_of(tokens=100)
    asked(till, 60)
    asked(till, 40, line=2)
    with pytest.raises(ValueError, match="more is settled"):
        till.settle(1, most, Spend())
    assert till.owed == Spend(2, 100)


def test_time_is_a_limit_of_those_who_wait_too() -> None:
    clock = Clock()
    till = till_of(clock, per_minute=1, seconds=50)
    assert asked(till, 1, 1) == [(0, True)]
    assert till.wait() == 50  # the rate would take 60
    clock.now += 50
    assert granted(till) == [(1, False)]
    assert till.exhausted == "seconds"
    assert till.wait() is None


def test_the_rate_lets_wait_in_order_and_no_longer_than_needed() -> None:
    clock = Clock()
    till = till_of(clock, per_minute=2)
    assert asked(till, 1, 1, 1, 1) == [(0, True), (1, True)]
    assert till.wait() == pytest.approx(30)
    clock.now += 29
    assert granted(till) == []
    assert till.wait() == pytest.approx(1)
    clock.now += 1
    assert granted(till) == [(2, True)]
    clock.now += 30
    assert granted(till) == [(3, True)]


def test_the_rate_is_corrected_by_what_was_used() -> None:
    clock = Clock()
    till = Till(Limits(), Rate(tokens_per_minute=600), clock)
    assert asked(till, 600, 400) == [(0, True)]
    assert till.wait() == pytest.approx(40)
    till.settle(1, Spend(1, 600), Spend(1, 100))
    assert granted(till) == [(1, True)]
    till.settle(1, Spend(1, 400), Spend(1, 700))  # an endpoint that bills more than the bound
    assert asked(till, 1) == []
    assert till.wait() == pytest.approx(20.1)


def test_an_ask_beyond_a_minutes_amount_waits_for_a_full_bucket_and_leaves_a_debt() -> None:
    clock = Clock()
    till = Till(Limits(), Rate(tokens_per_minute=60), clock)
    assert asked(till, 180, 60) == [(0, True)]
    assert till.wait() == pytest.approx(180)


def test_an_ask_of_nothing_in_flight_waits_only_for_time() -> None:
    assert till_of(tokens=10).wait() is None


@pytest.mark.parametrize("rate", [0, -1])
def test_a_rate_is_at_least_one(rate: int) -> None:
    with pytest.raises(ConfigError, match="requests_per_minute"):
        Bucket(rate, Clock(), "requests_per_minute")


@given(
    rate=st.integers(1, 1000),
    steps=st.lists(st.tuples(st.floats(0, 100), st.integers(1, 2000)), max_size=60),
)
def test_a_bucket_never_gives_more_than_its_rate_and_one_minute(
    rate: int, steps: list[tuple[float, int]]
) -> None:
    clock = Clock()
    bucket = Bucket(rate, clock, "r")
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
    st.tuples(st.just("ask"), st.integers(1, LINES), spends),
    st.tuples(st.just("settle"), st.integers(0, 50), st.floats(0, 1)),
    st.tuples(st.just("withdraw"), st.integers(0, 50), st.none()),
    st.tuples(st.just("leave"), st.integers(1, LINES), st.none()),
    st.tuples(st.just("pass"), st.integers(0, 40), st.none()),
)


@dataclass
class Ledger:
    """What a till must say, kept by hand."""

    till: Till
    clock: Clock
    waiting: deque[Ask] = field(default_factory=deque)
    flying: list[Ask] = field(default_factory=list)
    spent: Spend = field(default_factory=Spend)
    asked: int = 0

    def ask(self, line: int, most: Spend) -> None:
        self.asked += 1
        ask = Ask(line, self.asked, most)
        self.waiting.append(ask)
        self.till.ask(ask)

    def settle(self, at: int, share: float) -> None:
        if not self.flying:
            return
        ask = self.flying.pop(at % len(self.flying))
        most = ask.most
        used = Spend(most.calls, int(most.tokens * share), most.dollars * (share > 0.5))
        self.till.settle(ask.line, most, used)
        self.spent += used

    def withdraw(self, at: int, _: None) -> None:
        if self.waiting:
            ask = self.waiting[at % len(self.waiting)]
            self.waiting.remove(ask)
            assert self.till.withdraw(ask.line, ask.number)

    def leave(self, line: int, _: None) -> None:
        self.till.leave(line)
        self.waiting = deque(ask for ask in self.waiting if ask.line != line)
        for ask in [ask for ask in self.flying if ask.line == line]:
            self.flying.remove(ask)
            self.spent += ask.most

    def decide(self) -> None:
        for verdict in self.till.decide():
            assert verdict.ask == self.waiting.popleft()  # in order, and once
            if verdict.refusal is None:
                self.flying.append(verdict.ask)
            else:
                self.check_refusal(verdict.ask.most, verdict.refusal.kind)

    def check_refusal(self, most: Spend, kind: str) -> None:
        limit = getattr(self.till.budget, kind)
        if kind == "seconds":
            assert self.till.budget.elapsed >= limit
        else:
            assert getattr(self.spent + most, kind) > limit

    def check(self) -> None:
        flying = sum((ask.most for ask in self.flying), Spend())
        assert self.till.budget.spent == self.spent
        assert self.till.owed == self.spent + flying
        for kind in KINDS:
            limit = getattr(self.till.budget, kind)
            assert limit is None or getattr(self.till.owed, kind) <= limit
        if self.waiting and not self.flying:
            assert self.till.wait() is not None  # only the rate can let them wait now


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
    rate = Rate(requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute)
    ledger = Ledger(Till(limits, rate, clock), clock)
    for what, number, more in steps:
        if what == "pass":
            clock.now += number
        else:
            getattr(ledger, what)(number, more)
        ledger.decide()
        ledger.check()
    while ledger.waiting:  # whoever waits is answered in the end
        wait = ledger.till.wait()
        while ledger.flying:
            ledger.settle(0, 1.0)
        clock.now += wait or 0.0
        ledger.decide()
        ledger.check()
