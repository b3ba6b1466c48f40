import json
import logging
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.errors import ConfigError, RecordError, RunLocked
from genagents_env.llm.budget import Spend
from genagents_env.run import Limits
from genagents_env.sweep.design.experiment import RateLimit
from genagents_env.sweep.spending import server as server_module
from genagents_env.sweep.spending.protocol import TrialProgress
from genagents_env.sweep.spending.server import BudgetServer
from tests.sweep.spending.clocks import Clock
from tests.sweep.spending.raw import Raw

COUNTS = {"tick": 3, "horizon": 9, "calls": 2, "tokens": 40}
PROGRESS = {"kind": "progress", **COUNTS, "dollars": 0.5, "asking": False}
GRANTED = {"refused": None, "withdrawn": False, "fault": None}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spending.json"


def server_of(path: Path, rate: RateLimit | None = None, **options: Any) -> BudgetServer:
    options, limits = dict(options), {}
    for kind in ("calls", "tokens", "dollars", "seconds"):
        if kind in options:
            limits[kind] = options.pop(kind)
    return BudgetServer(Limits(**limits), rate or RateLimit(), path, **options)


def reserve(number: int, tokens: int = 0, calls: int = 1, dollars: str = "0") -> dict[str, object]:
    return {"kind": "reserve", "number": number, "amount": [calls, tokens, dollars]}


def settle(reserved: int, used: int) -> dict[str, object]:
    return {"kind": "settle", "reserved": [1, reserved, "0"], "used": [1, used, "0"]}


def make_grant(number: int) -> dict[str, object]:
    return {"number": number, **GRANTED}


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for what another thread does; a test that hangs here has failed."""
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.002)


def read_tokens(path: Path) -> int:
    found: int = json.loads(path.read_text())["tokens"]
    return found


def test_it_grants_settles_and_refuses(path: Path) -> None:
    with server_of(path, tokens=100) as server, Raw(server.address).introduced() as worker:
        worker.say(reserve(1, 60))
        assert worker.hear() == make_grant(1)
        assert server.spent == Spend()
        worker.say(settle(60, 30), reserve(2, 71))
        assert worker.hear() == {**make_grant(2), "refused": ["tokens", 100.0, 101.0]}
        assert (server.spent, server.exhausted) == (Spend(1, 30), "tokens")
    assert json.loads(path.read_text())["tokens"] == 30


def test_dollars_are_exact(path: Path) -> None:
    with server_of(path, dollars=Decimal("0.3")) as server:
        with Raw(server.address).introduced() as worker:
            for number in range(3):
                worker.say(reserve(number, dollars="0.1"))
                assert worker.hear() == make_grant(number)
                worker.say({**settle(0, 0), "reserved": [1, 0, "0.1"], "used": [1, 0, "0.1"]})
            worker.say(reserve(3, dollars="0.0000001"))
            assert worker.hear()["refused"][:2] == ["dollars", 0.3]
        assert server.spent.dollars == Decimal("0.3")
    assert json.loads(path.read_text())["dollars"] == "0.3"


def test_a_grant_stands_in_the_journal_before_it_is_heard(path: Path) -> None:
    with server_of(path) as server, Raw(server.address).introduced() as worker:
        for number in range(1, 30):
            worker.say(reserve(number, 10))
            worker.hear()
            assert read_tokens(path) == 10 * number


def test_what_endpoints_bill_beyond_the_bound_stands_there_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_FLUSH_SECONDS", 10**6)  # it cannot wait for that
    with server_of(path, tokens=1000) as server, Raw(server.address).introduced() as worker:
        worker.say(reserve(1, 10))
        worker.hear()
        worker.say(settle(10, 990))
        eventually(lambda: read_tokens(path) == 990)
        worker.say(reserve(2, 11))
        assert worker.hear()["refused"]


def test_the_journal_comes_down_soon_after_calls_took_less(path: Path) -> None:
    with server_of(path) as server, Raw(server.address).introduced() as worker:
        worker.say(reserve(1, 500))
        worker.hear()
        assert read_tokens(path) == 500
        worker.say(settle(500, 20))
        eventually(lambda: read_tokens(path) == 20)


def test_a_worker_that_dies_has_spent_what_it_had_set_aside(path: Path) -> None:
    with server_of(path, tokens=100) as server, Raw(server.address).introduced() as waiting:
        with Raw(server.address).introduced() as dying:
            dying.say(reserve(1, 60), reserve(2, 60))
            dying.hear()
            waiting.say(reserve(1, 41), reserve(2, 40))
        assert waiting.hear() == {**make_grant(1), "refused": ["tokens", 100.0, 101.0]}
        assert waiting.hear() == make_grant(2)
        assert server.spent == Spend(1, 60)
    assert read_tokens(path) == 100


def test_the_journal_is_taken_over_and_time_goes_on(path: Path) -> None:
    clock = Clock()
    with server_of(path, tokens=100, seconds=60, clock=clock) as server:
        with Raw(server.address).introduced() as worker:
            worker.say(reserve(1, 70))
            worker.hear()
        clock.now += 40
    clock = Clock()
    with server_of(path, tokens=100, seconds=60, clock=clock) as server:
        assert (server.spent, server.exhausted) == (Spend(1, 70), None)
        with Raw(server.address).introduced() as worker:
            worker.say(reserve(1, 31), reserve(2, 30))
            assert worker.hear()["refused"]
            assert worker.hear() == make_grant(2)
            clock.now += 20
            assert server.exhausted == "seconds"
            worker.say(reserve(3, 0))
            assert worker.hear() == {**make_grant(3), "refused": ["seconds", 60.0, 60.0]}


def test_a_damaged_journal_begins_nothing(path: Path) -> None:
    path.write_text("{")
    with pytest.raises(RecordError, match=r"spending\.json"), server_of(path):
        pass
    assert [file.name for file in path.parent.iterdir()] == ["spending.json"]


def test_a_journal_has_one_server(path: Path) -> None:
    with server_of(path), pytest.raises(RunLocked, match=str(os.getpid())), server_of(path):
        pass
    with server_of(path):
        pass


def test_a_host_that_is_not_ours_is_told(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"203\.0\.113\.7"), server_of(path, host="203.0.113.7"):
        pass


def test_where_the_journal_cannot_be_written_nothing_is_granted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    with server_of(path) as server, Raw(server.address).introduced() as worker:
        worker.say(reserve(1, 10))
        assert worker.hear() == make_grant(1)
        with monkeypatch.context() as broken:
            broken.setattr(os, "pwrite", full)
            worker.say(reserve(2, 10), reserve(3, 10))
            for number in (2, 3):
                answer = worker.hear()
                assert answer["number"] == number
                assert "No space left" in answer["fault"]
                assert str(path) in answer["fault"]
        worker.say(reserve(4, 10))
        assert worker.hear() == make_grant(4)
        assert read_tokens(path) == 20


def test_the_rate_holds_over_all_workers_in_the_order_of_their_asking(path: Path) -> None:
    clock, reports = Clock(), list[tuple[str, TrialProgress]]()
    rate = RateLimit(requests_per_minute=2)
    with (
        server_of(path, rate, clock=clock, watch=lambda *report: reports.append(report)) as server,
        Raw(server.address).introduced("first") as first,
        Raw(server.address).introduced("second") as second,
    ):
        first.say(reserve(1), reserve(2), reserve(3), PROGRESS)
        assert [first.hear(), first.hear()] == [make_grant(1), make_grant(2)]
        eventually(lambda: len(reports) == 1)
        second.say(reserve(1), PROGRESS)
        eventually(lambda: len(reports) == 2)
        clock.now += 30
        second.say(PROGRESS)  # whatever is heard makes the server look at its clock
        assert first.hear() == make_grant(3)
        clock.now += 30
        first.say(PROGRESS)
        assert second.hear() == make_grant(1)


def test_a_wait_for_the_rate_ends_by_itself(path: Path) -> None:
    rate = RateLimit(requests_per_minute=6000)
    with server_of(path, rate) as server, Raw(server.address).introduced() as worker:
        worker.say(reserve(1, calls=6000), reserve(2, calls=1))
        assert [worker.hear(), worker.hear()] == [make_grant(1), make_grant(2)]


def test_progress_is_passed_on_and_workers_known(path: Path) -> None:
    reports: list[tuple[str, TrialProgress]] = []
    with server_of(path, watch=lambda *report: reports.append(report)) as server:
        assert server.workers() == {}
        with Raw(server.address).introduced("a", 11) as a, Raw(server.address).introduced("b", 12):
            assert server.workers() == {"a": 11, "b": 12}
            a.say({**PROGRESS, "dollars": None})
            eventually(lambda: bool(reports))
        eventually(lambda: server.workers() == {})
    assert reports == [("a", TrialProgress(3, 9, 2, 40, None, False))]


def test_a_watcher_that_raises_hurts_no_worker_and_is_not_forgotten(path: Path) -> None:
    def watch(trial: str, progress: TrialProgress) -> None:
        raise ValueError("no screen")

    with ExitStack() as stack:
        server = stack.enter_context(server_of(path, watch=watch))
        worker = stack.enter_context(Raw(server.address)).introduced()
        worker.say(PROGRESS, PROGRESS, reserve(1, 5))
        assert worker.hear() == make_grant(1)
        with pytest.raises(ValueError, match="no screen"):
            stack.close()
    assert read_tokens(path) == 5


def test_an_error_inside_is_the_one_that_is_raised(path: Path) -> None:
    with pytest.raises(KeyError, match="own"), server_of(path):
        raise KeyError("own")
    assert not path.with_name("spending.json.lock").exists()


STRANGERS: list[object] = [
    {"token": "guess", "trial": "x", "pid": 1},
    {"token": "", "trial": "x", "pid": 1},
    {"token": None, "trial": "x", "pid": 1},
    {"token": "\ud800", "trial": "x", "pid": 1},
    {"trial": "x", "pid": 1},
    reserve(1, 10),
    [],
    "GET / HTTP/1.1",
]


@pytest.mark.parametrize("hello", STRANGERS, ids=repr)
def test_a_stranger_is_cut_off_and_nothing_else_happens(path: Path, hello: object) -> None:
    with server_of(path, tokens=10) as server, Raw(server.address).introduced() as friend:
        with Raw(server.address) as stranger:
            stranger.say(hello, reserve(1, 10))
            assert stranger.ended()
        assert server.workers() == {"raw": 1}
        friend.say(reserve(1, 10))
        assert friend.hear() == make_grant(1)


RESERVE, SETTLE = b'{"kind": "reserve", "number": ', b'{"kind": "settle", "reserved": '
GARBAGE = [
    b"\n",
    b"{}\n",
    b"[1]\n",
    b"\xff\xfe\n",
    b"[" * 10_000 + b"\n",
    b"x" * 40_000,
    RESERVE + b'2, "amount": [1, ' + b"9" * 5000 + b', "0"]}\n',
    RESERVE + b'2, "amount": [1, 10000000000000000, "0"]}\n',
    RESERVE + b'"2", "amount": [1, 1, "0"]}\n',
    RESERVE + b'true, "amount": [1, 1, "0"]}\n',
    RESERVE + b"2}\n",
    RESERVE + b'2, "amount": [1, -1, "0"]}\n',
    RESERVE + b'2, "amount": [1, 1.5, "0"]}\n',
    RESERVE + b'2, "amount": [1, 1, "NaN"]}\n',
    RESERVE + b'2, "amount": [1, 1, "-0.1"]}\n',
    RESERVE + b'2, "amount": [1, 1, "1e99999999"]}\n',
    RESERVE + b'2, "amount": [1, 1]}\n',
    SETTLE + b'[9, 0, "0"], "used": [0, 0, "0"]}\n',
    SETTLE + b'[1, 11, "0"], "used": [0, 0, "0"]}\n',
    SETTLE + b'[1, 10, "0"], "used": [1, -10, "0"]}\n',
    b'{"kind": "withdraw", "number": null}\n',
    b'{"kind": "progress", "tick": 1}\n',
    json.dumps({**PROGRESS, "tick": True}).encode() + b"\n",
    json.dumps({**PROGRESS, "dollars": float("nan")}).encode() + b"\n",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_ends_its_connection_and_what_it_held_is_spent(path: Path, garbage: bytes) -> None:
    reports: list[tuple[str, TrialProgress]] = []
    with (
        server_of(path, tokens=100, watch=lambda *report: reports.append(report)) as server,
        Raw(server.address).introduced("friend") as friend,
    ):
        with Raw(server.address).introduced("raw") as worker:
            worker.say(reserve(1, 10))
            worker.hear()
            worker.send(garbage)
            worker.say(reserve(5, 50))
            assert worker.ended()
        eventually(lambda: server.workers() == {"friend": 1})
        assert server.spent == Spend(1, 10)
        friend.say(reserve(1, 90))
        assert friend.hear() == make_grant(1)
    assert reports == []


@settings(max_examples=30)
@given(data=st.binary(max_size=400))
def test_no_bytes_at_all_disturb_it(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "spending.json"
    with server_of(path, tokens=10) as server:
        with Raw(server.address) as stranger:
            stranger.send(data + b"\n")
            assert stranger.ended()
        with Raw(server.address).introduced() as friend:
            friend.say(reserve(1, 10))
            assert friend.hear() == make_grant(1)


def test_lines_may_come_in_pieces(path: Path) -> None:
    with server_of(path) as server, Raw(server.address).introduced() as worker:
        for byte in b"".join(json.dumps(reserve(k, 2)).encode() + b"\n" for k in (1, 2)):
            worker.send(bytes([byte]))
        assert [worker.hear(), worker.hear()] == [make_grant(1), make_grant(2)]


def test_the_token_is_told_to_nobody(
    path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with server_of(path) as server:
        address, other = server.address, "another"
        with Raw(address).introduced(), Raw(address) as stranger:
            stranger.say({"token": other, "trial": "x", "pid": 1})
            stranger.ended()
        shown = repr(address) + str(address) + repr(server)
    told = capfd.readouterr()
    shown += caplog.text + told.out + told.err
    shown += "".join(file.read_text() for file in path.parent.iterdir())
    assert address.token not in shown
    assert len(address.token) >= 32
