import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path

import pytest

from genagents_env.errors import BudgetExceeded, ConfigError, RecordError
from genagents_env.llm.budget import Spend
from genagents_env.run import Limits, Progress
from genagents_env.sweep.design.experiment import RateLimit
from genagents_env.sweep.spending.client import ABANDONED, BudgetClient
from genagents_env.sweep.spending.protocol import Address, TrialProgress
from genagents_env.sweep.spending.server import BudgetServer
from tests.sweep.spending.clocks import Clock
from tests.sweep.spending.test_server import eventually

ROOT = Path(__file__).resolve().parents[3]


class Office:
    """A server and what it was told."""

    def __init__(
        self,
        path: Path,
        *,
        calls: int | None = None,
        tokens: int | None = None,
        per_minute: int | None = None,
    ) -> None:
        self.clock = Clock()
        self.reports: list[tuple[str, TrialProgress]] = []
        rate = RateLimit(requests_per_minute=per_minute)
        self.server = BudgetServer(
            Limits(calls, tokens),
            rate,
            path,
            watch=lambda *report: self.reports.append(report),
            clock=self.clock,
        )

    def client(self, trial: str = "t", clock: Clock | None = None) -> BudgetClient:
        return BudgetClient(self.server.address, trial, clock=clock or time.monotonic)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spending.json"


@pytest.fixture
def office(path: Path) -> Iterator[Office]:
    office = Office(path, tokens=100)
    with office.server:
        yield office


def progress(tick: int, *, asking: bool = False) -> Progress:
    return Progress(tick, 99, datetime(2023, 2, 14, tzinfo=UTC), 2, 3, None, asking)


def spend(client: BudgetClient, most: int, used: int) -> None:
    async def go() -> None:
        await client.admit(Spend(1, most))
        client.settle(Spend(1, most), Spend(1, used))

    asyncio.run(go())


def test_it_admits_settles_and_refuses_on_any_loop(office: Office) -> None:
    client = office.client()
    spend(client, 60, 10)
    spend(client, 90, 20)
    with pytest.raises(BudgetExceeded, match=r"sweep's budget.*\[budget\]") as caught:
        spend(client, 71, 0)
    assert (caught.value.kind, caught.value.limit, caught.value.value) == ("tokens", 100, 101)
    assert caught.value.exit_code == 3
    client.close()
    assert office.server.spent == Spend(2, 30)


def test_a_call_waits_for_others_without_holding_up_the_loop(office: Office) -> None:
    mine, other = office.client("a"), office.client("b")

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
    assert office.server.spent == Spend(2, 100)


def test_a_wait_that_is_cancelled_leaves_the_queue(office: Office) -> None:
    client = office.client()

    async def go() -> None:
        await client.admit(Spend(1, 60))
        first = asyncio.create_task(client.admit(Spend(1, 60)))
        second = asyncio.create_task(client.admit(Spend(1, 30)))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await second

    asyncio.run(go())
    client.settle(Spend(1, 60), Spend())
    client.settle(Spend(1, 30), Spend())
    client.close()
    assert office.server.spent == Spend()


def test_a_grant_that_comes_too_late_is_given_back(office: Office) -> None:
    client = office.client()

    async def go(turns: int) -> None:
        task = asyncio.create_task(client.admit(Spend(1, 100)))
        for _ in range(turns):
            await asyncio.sleep(0)
        if task.cancel():
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            client.settle(Spend(1, 100), Spend())

    for turns in [*range(60), 1000, 10_000]:  # whenever the cancelling meets the answer
        asyncio.run(go(turns))
    spend(client, 100, 7)  # waits for whatever is still under way, and fits
    client.close()
    assert office.server.spent == Spend(1, 7)


def test_a_grant_for_a_loop_that_is_gone_is_given_back(office: Office) -> None:
    client, other = office.client("a"), office.client("b")
    asyncio.run(other.admit(Spend(1, 100)))  # so that no answer can come before the loop is gone
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(client.admit(Spend(1, 100)))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    other.settle(Spend(1, 100), Spend(1, 0))
    spend(client, 100, 3)
    client.close()
    other.close()
    assert office.server.spent.tokens == 3
    waiting.get_coro().close()


def test_many_asks_at_once_are_each_answered(path: Path) -> None:
    with Office(path, calls=40).server as server:
        clients = [BudgetClient(server.address, f"t{k}") for k in range(4)]

        async def one(client: BudgetClient) -> bool:
            try:
                await client.admit(Spend(1, 5))
            except BudgetExceeded:
                return False
            await asyncio.sleep(0)
            client.settle(Spend(1, 5), Spend(1, 5))
            return True

        async def go() -> list[bool]:
            return await asyncio.gather(*(one(client) for client in clients for _ in range(20)))

        assert sum(asyncio.run(go())) == 40
        for client in clients:
            client.close()
        assert server.spent == Spend(40, 200)


def test_the_rate_lets_wait_and_a_cancelled_wait_makes_way(path: Path) -> None:
    office = Office(path, per_minute=1)
    with office.server:
        client = office.client()

        async def go() -> None:
            await client.admit(Spend(1))
            first = asyncio.create_task(client.admit(Spend(1)))
            second = asyncio.create_task(client.admit(Spend(1)))
            await asyncio.sleep(0)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert not second.done()
            office.clock.now += 60
            client.report(progress(1))  # makes the server look at its clock
            await second

        asyncio.run(go())
        client.close()


def test_a_journal_that_cannot_be_written_is_told(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    client = office.client()
    spend(client, 5, 5)
    with monkeypatch.context() as broken:
        broken.setattr(os, "pwrite", full)
        with pytest.raises(RecordError, match="No space left"):
            spend(client, 5, 5)
    spend(client, 5, 5)
    client.close()
    assert office.server.spent == Spend(2, 10)


def test_progress_is_reported_five_times_a_second_and_the_last_one_always(office: Office) -> None:
    clock = Clock()
    client = office.client(clock=clock)
    for tick in range(100):
        client.report(progress(tick))
        clock.now += 0.05
    client.report(progress(100, asking=True))
    client.close()
    ticks = [progress.tick for _, progress in office.reports]
    assert ticks[0] == 0
    assert 20 <= len(ticks) <= 27
    assert office.reports[-1] == ("t", TrialProgress(100, 99, 2, 3, None, True))
    assert ticks == sorted(set(ticks))


def test_a_line_that_is_closed_is_closed(office: Office) -> None:
    client = office.client()
    client.close()
    client.close()
    client.settle(Spend(1), Spend(1))
    client.report(progress(1))
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(client.admit(Spend(1)))
    assert office.server.workers() == {}


def test_closing_ends_the_waits(office: Office) -> None:
    client = office.client()

    async def go() -> None:
        await client.admit(Spend(1, 100))
        waiting = asyncio.create_task(client.admit(Spend(1, 1)))
        await asyncio.sleep(0)
        client.close()
        with pytest.raises(RecordError, match="closed"):
            await waiting

    asyncio.run(go())
    assert office.server.spent == Spend(1, 100)  # it did not say what became of the first


def test_nobody_there_and_a_wrong_token_are_told(office: Office) -> None:
    good = office.server.address
    with pytest.raises(ConfigError, match="no sweep answers") as caught:
        BudgetClient(Address(good.host, good.port, "guess"), "t")
    assert "guess" not in str(caught.value)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ConfigError, match=f"no sweep answers at 127.0.0.1:{port}"):
        BudgetClient(Address("127.0.0.1", port, "t"), "t")


def test_every_way_to_end_lets_go_of_the_socket(office: Office) -> None:
    good = office.server.address
    before = len(os.listdir("/dev/fd"))
    client = office.client()
    client.close()
    with pytest.raises(ConfigError) as refused:
        BudgetClient(Address(good.host, good.port, "guess"), "t")
    eventually(lambda: len(os.listdir("/dev/fd")) == before)
    assert {client.trial, str(refused.value)}  # both alive till here: neither ended by itself


def test_the_token_is_not_shown(office: Office) -> None:
    client = office.client()
    shown = (
        repr(client)
        + repr(client.__dict__)
        + "".join(thread.name for thread in threading.enumerate())
    )
    assert office.server.address.token not in shown
    client.close()


CHILD = """
import asyncio, json, sys
from genagents_env.llm.budget import Spend
from genagents_env.sweep.spending.client import BudgetClient
from genagents_env.sweep.spending.protocol import Address
client = BudgetClient(Address(*json.loads(sys.stdin.readline())), "t")
async def go():
    await client.admit(Spend(1, 10))
    print("granted", flush=True)
    if sys.argv[1] == "wait":
        await client.admit(Spend(1, 1000000))
    elif sys.argv[1] == "sit":
        sys.stdin.read()
asyncio.run(go())
client.close()
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

    def end(self) -> tuple[int, str]:
        """Let it read the end of its input; return its exit code and what it printed since."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        timer = threading.Timer(60, self.process.kill)
        timer.start()
        self.process.stdin.close()
        # Not `communicate`, which loses what `readline` has read ahead.
        out = self.process.stdout.read()
        code = self.process.wait()
        timer.cancel()
        return code, out


@pytest.mark.parametrize("how", ["sit", "wait"])
def test_a_worker_does_not_outlive_its_sweep(path: Path, how: str) -> None:
    office = Office(path, tokens=1_000_000)
    with office.server:
        child = Process(office.server.address, how)
    assert child.process.wait(60) == ABANDONED == 70
    assert child.end()[1] == ""


def test_a_worker_that_closed_its_client_lives_on(office: Office) -> None:
    child = Process(office.server.address, "close")
    assert child.end() == (0, "closed\n")


def test_a_worker_that_is_killed_has_spent_what_was_granted(office: Office) -> None:
    child = Process(office.server.address, "sit")
    assert office.server.workers() == {"t": child.process.pid}
    os.kill(office.server.workers()["t"], signal.SIGKILL)
    assert child.end()[0] == -signal.SIGKILL
    eventually(lambda: office.server.spent == Spend(1, 10))
    assert office.server.workers() == {}
