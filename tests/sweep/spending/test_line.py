import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from genagents_env.errors import BudgetExceeded, ConfigError, RecordError
from genagents_env.llm.budget import Spend
from genagents_env.run import Limits, Progress
from genagents_env.sweep.design.experiment import Rate
from genagents_env.sweep.spending.line import ABANDONED, Line
from genagents_env.sweep.spending.teller import Address, Moment, Teller
from tests.sweep.spending.clocks import Clock
from tests.sweep.spending.test_teller import eventually

ROOT = Path(__file__).resolve().parents[3]


class Room:
    """A teller and what it was told."""

    def __init__(self, path: Path, **limits: Any) -> None:
        self.clock = Clock()
        self.moments: list[Moment] = []
        rate = Rate(requests_per_minute=limits.pop("per_minute", None))
        self.teller = Teller(
            Limits(**limits), rate, path, watch=self.moments.append, clock=self.clock
        )

    def line(self, trial: str = "t", **options: Any) -> Line:
        return Line(self.teller.address, trial, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spending.json"


@pytest.fixture
def room(path: Path) -> Iterator[Room]:
    room = Room(path, tokens=100)
    with room.teller:
        yield room


def progress(tick: int, *, asking: bool = False) -> Progress:
    return Progress(tick, 99, datetime(2023, 2, 14, tzinfo=UTC), 2, 3, None, asking)


def spend(line: Line, most: int, used: int) -> None:
    async def go() -> None:
        await line.admit(Spend(1, most))
        line.settle(Spend(1, most), Spend(1, used))

    asyncio.run(go())


def test_it_admits_settles_and_refuses_on_any_loop(room: Room) -> None:
    line = room.line()
    spend(line, 60, 10)
    spend(line, 90, 20)
    with pytest.raises(BudgetExceeded, match=r"sweep's budget.*\[budget\]") as caught:
        spend(line, 71, 0)
    assert (caught.value.kind, caught.value.limit, caught.value.value) == ("tokens", 100, 101)
    assert caught.value.exit_code == 3
    line.close()
    assert room.teller.spent == Spend(2, 30)


def test_a_call_waits_for_others_without_holding_up_the_loop(room: Room) -> None:
    mine, other = room.line("a"), room.line("b")

    async def go() -> str:
        await other.admit(Spend(1, 80))
        waiting = asyncio.create_task(mine.admit(Spend(1, 80)))
        for _ in range(100):  # the loop goes round
            await asyncio.sleep(0)
        assert not waiting.done()
        other.settle(Spend(1, 80), Spend(1, 20))
        await waiting
        mine.settle(Spend(1, 80), Spend(1, 80))
        with pytest.raises(BudgetExceeded):
            await mine.admit(Spend(1, 1))
        return "done"

    assert asyncio.run(go()) == "done"
    mine.close()
    other.close()
    assert room.teller.spent == Spend(2, 100)


def test_a_wait_that_is_cancelled_leaves_the_queue(room: Room) -> None:
    line = room.line()

    async def go() -> None:
        await line.admit(Spend(1, 60))
        first = asyncio.create_task(line.admit(Spend(1, 60)))
        second = asyncio.create_task(line.admit(Spend(1, 30)))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await second

    asyncio.run(go())
    line.settle(Spend(1, 60), Spend())
    line.settle(Spend(1, 30), Spend())
    line.close()
    assert room.teller.spent == Spend()


def test_a_grant_that_comes_too_late_is_given_back(room: Room) -> None:
    line = room.line()

    async def go(turns: int) -> None:
        task = asyncio.create_task(line.admit(Spend(1, 100)))
        for _ in range(turns):
            await asyncio.sleep(0)
        if task.cancel():
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            line.settle(Spend(1, 100), Spend())

    for turns in [*range(60), 1000, 10_000]:  # whenever the cancelling meets the answer
        asyncio.run(go(turns))
    spend(line, 100, 7)  # waits for whatever is still under way, and fits
    line.close()
    assert room.teller.spent == Spend(1, 7)


def test_a_grant_for_a_loop_that_is_gone_is_given_back(room: Room) -> None:
    line, other = room.line("a"), room.line("b")
    asyncio.run(other.admit(Spend(1, 100)))  # so that no answer can come before the loop is gone
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(line.admit(Spend(1, 100)))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    other.settle(Spend(1, 100), Spend(1, 0))
    spend(line, 100, 3)
    line.close()
    other.close()
    assert room.teller.spent.tokens == 3
    waiting.get_coro().close()


def test_many_asks_at_once_are_each_answered(path: Path) -> None:
    with Room(path, calls=40).teller as teller:
        lines = [Line(teller.address, f"t{k}") for k in range(4)]

        async def one(line: Line) -> bool:
            try:
                await line.admit(Spend(1, 5))
            except BudgetExceeded:
                return False
            await asyncio.sleep(0)
            line.settle(Spend(1, 5), Spend(1, 5))
            return True

        async def go() -> list[bool]:
            return await asyncio.gather(*(one(line) for line in lines for _ in range(20)))

        assert sum(asyncio.run(go())) == 40
        for line in lines:
            line.close()
        assert teller.spent == Spend(40, 200)


def test_the_rate_lets_wait_and_a_cancelled_wait_makes_way(path: Path) -> None:
    room = Room(path, per_minute=1)
    with room.teller:
        line = room.line()

        async def go() -> None:
            await line.admit(Spend(1))
            first = asyncio.create_task(line.admit(Spend(1)))
            second = asyncio.create_task(line.admit(Spend(1)))
            await asyncio.sleep(0)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert not second.done()
            room.clock.now += 60
            line.tell(progress(1))  # makes the teller look at its clock
            await second

        asyncio.run(go())
        line.close()


def test_a_journal_that_cannot_be_written_is_told(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    line = room.line()
    spend(line, 5, 5)
    with monkeypatch.context() as broken:
        broken.setattr(os, "pwrite", full)
        with pytest.raises(RecordError, match="No space left"):
            spend(line, 5, 5)
    spend(line, 5, 5)
    line.close()
    assert room.teller.spent == Spend(2, 10)


def test_moments_are_told_five_times_a_second_and_the_last_one_always(room: Room) -> None:
    clock = Clock()
    line = room.line(clock=clock)
    for tick in range(100):
        line.tell(progress(tick))
        clock.now += 0.05
    line.tell(progress(100, asking=True))
    line.close()
    ticks = [moment.tick for moment in room.moments]
    assert ticks[0] == 0
    assert 20 <= len(ticks) <= 27
    assert room.moments[-1] == Moment("t", 100, 99, 2, 3, None, True)
    assert ticks == sorted(set(ticks))


def test_a_line_that_is_closed_is_closed(room: Room) -> None:
    line = room.line()
    line.close()
    line.close()
    line.settle(Spend(1), Spend(1))
    line.tell(progress(1))
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(line.admit(Spend(1)))
    assert room.teller.workers() == {}


def test_closing_ends_the_waits(room: Room) -> None:
    line = room.line()

    async def go() -> None:
        await line.admit(Spend(1, 100))
        waiting = asyncio.create_task(line.admit(Spend(1, 1)))
        await asyncio.sleep(0)
        line.close()
        with pytest.raises(RecordError, match="closed"):
            await waiting

    asyncio.run(go())
    assert room.teller.spent == Spend(1, 100)  # it did not say what became of the first


def test_nobody_there_and_a_wrong_token_are_told(room: Room) -> None:
    good = room.teller.address
    with pytest.raises(ConfigError, match="no sweep answers") as caught:
        Line(Address(good.host, good.port, "guess"), "t")
    assert "guess" not in str(caught.value)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ConfigError, match=f"no sweep answers at 127.0.0.1:{port}"):
        Line(Address("127.0.0.1", port, "t"), "t")


def test_the_token_is_not_shown(room: Room) -> None:
    line = room.line()
    shown = (
        repr(line) + repr(line.__dict__) + "".join(thread.name for thread in threading.enumerate())
    )
    assert room.teller.address.token not in shown
    line.close()


CHILD = """
import asyncio, json, sys
from genagents_env.llm.budget import Spend
from genagents_env.sweep.spending.line import Line
from genagents_env.sweep.spending.wire import Address
line = Line(Address(*json.loads(sys.stdin.readline())), "t")
async def go():
    await line.admit(Spend(1, 10))
    print("granted", flush=True)
    if sys.argv[1] == "wait":
        await line.admit(Spend(1, 1000000))
    elif sys.argv[1] == "sit":
        sys.stdin.read()
asyncio.run(go())
line.close()
print("closed", flush=True)
"""


class Process:
    """A worker in a process of its own, which has been granted a call."""

    def __init__(self, address: Address, how: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, how],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(list(astuple(address))) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "granted\n"

    def ended(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, out


@pytest.mark.parametrize("how", ["sit", "wait"])
def test_a_worker_does_not_outlive_its_sweep(path: Path, how: str) -> None:
    room = Room(path, tokens=1_000_000)
    with room.teller:
        child = Process(room.teller.address, how)
    assert child.process.wait(60) == ABANDONED == 70
    assert child.ended()[1] == ""


def test_a_worker_that_closed_its_line_lives_on(room: Room) -> None:
    child = Process(room.teller.address, "close")
    assert child.ended() == (0, "closed\n")


def test_a_worker_that_is_killed_has_spent_what_was_granted(room: Room) -> None:
    child = Process(room.teller.address, "sit")
    assert room.teller.workers() == {"t": child.process.pid}
    os.kill(room.teller.workers()["t"], signal.SIGKILL)
    assert child.ended()[0] == -signal.SIGKILL
    eventually(lambda: room.teller.spent == Spend(1, 10))
    assert room.teller.workers() == {}
