"""The budget that all workers of a sweep share: never exceeded, whoever is killed."""

import asyncio
import os
import signal
from datetime import datetime
from decimal import Decimal
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.errors import BudgetExceeded, RecordError
from genagents_env.llm.budget import Limits, Spend
from genagents_env.run.spec import Progress
from genagents_env.study.sweep.ledger import (
    SharedLedger,
    part_budget,
    read_spend,
    write_spend,
)

MOST, USED = Spend(1, 10, Decimal("0.1")), Spend(1, 6, Decimal("0.07"))


def admit(ledger: SharedLedger, most: Spend = MOST) -> None:
    asyncio.run(ledger.admit(most))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def test_what_is_spent_is_kept_for_the_next_session(path: Path) -> None:
    with SharedLedger(path, Limits(calls=3), trial="a") as ledger:
        admit(ledger)
        ledger.settle(MOST, USED)
        assert ledger.spent == USED
    with SharedLedger(path, Limits(calls=2), trial="b") as again:
        assert again.spent == USED
        admit(again)
        again.settle(MOST, MOST)
        with pytest.raises(BudgetExceeded, match=r"raise `total` in the experiment's \[budget\]"):
            admit(again)
        with SharedLedger(path, Limits(calls=9)) as other:
            assert other.exhausted == "calls"
            other.begin()  # while `b` lives
            assert again.exhausted is None
    with SharedLedger(path, Limits(calls=9)) as larger:
        with SharedLedger(path, Limits(calls=9), trial="c") as last:
            admit(last)
        assert larger.spent == USED + MOST + MOST  # what was reserved at its end counts as spent


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        (Limits(calls=0), "calls"),
        (Limits(tokens=9), "tokens"),
        (Limits(dollars=Decimal("0.09")), "dollars"),
        (Limits(seconds=5.0), "seconds"),
    ],
)
def test_each_kind_of_limit_is_refused_by_name(path: Path, limits: Limits, kind: str) -> None:
    with SharedLedger(path, limits, trial="a") as ledger:
        ledger.count_seconds(5.0)
        with pytest.raises(BudgetExceeded, match=kind):
            admit(ledger)
        assert ledger.exhausted == kind


def test_a_call_waits_for_those_under_way(path: Path) -> None:
    async def both(first: SharedLedger, second: SharedLedger) -> Spend:
        await first.admit(MOST)
        waiting = asyncio.create_task(second.admit(MOST))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        first.settle(MOST, Spend())
        await waiting
        return second.spent

    limits = Limits(calls=1)
    with (
        SharedLedger(path, limits, trial="a") as first,
        SharedLedger(path, limits, trial="b") as second,
    ):
        assert asyncio.run(both(first, second)) == Spend()


def test_one_who_waits_and_is_cancelled_leaves_nothing(path: Path) -> None:
    async def cancel(ledger: SharedLedger) -> None:
        await ledger.admit(MOST)
        waiting = [asyncio.create_task(ledger.admit(MOST)) for _ in range(3)]
        await asyncio.sleep(0.06)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        ledger.settle(MOST, USED)
        await ledger.admit(MOST - USED)

    with SharedLedger(path, Limits(tokens=10), trial="a") as ledger:
        asyncio.run(cancel(ledger))
        assert ledger.spent == USED


def _spend_until_killed(path: Path, number: int, reserved: Event) -> None:
    ledger = SharedLedger(path, Limits(calls=60), trial=f"t{number}")

    async def go() -> None:
        while True:
            if number:
                assert reserved.wait(60)
            await ledger.admit(MOST)
            if not number:
                reserved.set()
                os.kill(os.getpid(), signal.SIGKILL)
            ledger.settle(MOST, USED)

    try:
        asyncio.run(go())
    except BudgetExceeded:
        ledger.close()


def test_what_a_killed_worker_had_reserved_counts_as_spent(path: Path) -> None:
    context = get_context("fork")
    reserved = context.Event()
    made = [
        context.Process(target=_spend_until_killed, args=(path, number, reserved))
        for number in range(3)
    ]
    for process in made:
        process.start()
    for process in made:
        process.join(60)
        assert not process.is_alive()
    with SharedLedger(path, Limits(calls=60)) as ledger:
        ledger.reap()
        assert ledger.list_running() == {}
        assert ledger.spent.calls == 60
        assert ledger.spent.tokens == 59 * USED.tokens + MOST.tokens
    assert not list(path.parent.glob("*.lock"))


def test_progress_is_seen_by_others(path: Path) -> None:
    with SharedLedger(path, trial="a") as ledger, SharedLedger(path) as watcher:
        assert watcher.list_running()["a"] == (os.getpid(), None)
        told = Progress(3, 9, datetime.fromisoformat("2023-02-13T09:00"), 2, 5, dollars=None)
        ledger.report(told)
        assert watcher.list_running()["a"] == (os.getpid(), told)


def test_parts_are_spent_until_they_return(path: Path) -> None:
    limits = Limits(calls=9, dollars=Decimal(3))
    with SharedLedger(path, limits) as ledger:
        first, second = ledger.take_part(2), ledger.take_part(1)
        assert first == Limits(calls=4, dollars=Decimal("1.5"))
        assert second == Limits(calls=5, dollars=Decimal("1.5"))
        with SharedLedger(path, limits, "c") as other, pytest.raises(BudgetExceeded):
            admit(other)
        ledger.give_back(first, Spend(1, 50, Decimal("0.5")))
        assert ledger.spent == Spend(6, 50, Decimal("2.0"))  # one that does not return is lost
        for _ in range(2):  # counted once
            ledger.adopt("mark", Spend(1))
        assert ledger.spent == Spend(7, 50, Decimal("2.0"))
    left = part_budget(limits, Spend(8, 0, Decimal(4)), 1)  # more is spent than there was
    assert left == Limits(calls=1, dollars=Decimal(0))


def test_a_journal_that_stays_is_refused(path: Path) -> None:
    path.with_name(f"{path.name}-journal").write_text("not of this ledger")
    with pytest.raises(RecordError, match="belongs to no run"):
        SharedLedger(path)


def test_a_damaged_ledger_is_told(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(RecordError, match="does not say what was spent"):
        SharedLedger(path)


@given(st.integers(0, 99), st.integers(0, 10**12), st.decimals(0, 10**6, places=6))
def test_amounts_come_back_from_json(calls: int, tokens: int, dollars: Decimal) -> None:
    spend = Spend(calls, tokens, dollars)
    assert read_spend(write_spend(spend)) == spend
    less = write_spend(Spend() - Spend(1, 5, Decimal(1)))  # a stranger's, which would give back
    assert read_spend({"calls": "x"}) == read_spend(None) == read_spend(less) == Spend()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), max_size=12), st.integers(0, 20))
def test_no_order_of_calls_exceeds_the_limit(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[int, int]], limit: int
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "l.sqlite"
    with SharedLedger(path, Limits(tokens=limit), trial="a") as ledger:
        for most, used in calls:
            try:
                admit(ledger, Spend(1, most))
            except BudgetExceeded:
                continue
            ledger.settle(Spend(1, most), Spend(1, min(most, used)))
        assert ledger.spent.tokens <= limit
