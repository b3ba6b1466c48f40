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
from genagents_env.sweep.design.experiment import Rate
from genagents_env.sweep.spending import desk
from genagents_env.sweep.spending.teller import Moment, Teller
from tests.sweep.spending.clocks import Clock
from tests.sweep.spending.raw import Raw

MOMENT = {"tick": 3, "horizon": 9, "calls": 2, "tokens": 40, "dollars": 0.5, "asking": False}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spending.json"


def teller_of(path: Path, rate: Rate | None = None, **options: Any) -> Teller:
    options, limits = dict(options), {}
    for kind in ("calls", "tokens", "dollars", "seconds"):
        if kind in options:
            limits[kind] = options.pop(kind)
    return Teller(Limits(**limits), rate or Rate(), path, **options)


def ask(number: int, tokens: int = 0, calls: int = 1, dollars: str = "0") -> dict[str, Any]:
    return {"ask": number, "most": [calls, tokens, dollars]}


def settle(most: int, used: int) -> dict[str, Any]:
    return {"settle": [1, most, "0"], "used": [1, used, "0"]}


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for what another thread does; a test that hangs here has failed."""
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.002)


def kept(path: Path) -> int:
    found: int = json.loads(path.read_text())["tokens"]
    return found


def test_it_grants_settles_and_refuses(path: Path) -> None:
    with teller_of(path, tokens=100) as teller, Raw(teller.address).introduced() as worker:
        worker.say(ask(1, 60))
        assert worker.hear() == {"id": 1}
        assert teller.spent == Spend()
        worker.say(settle(60, 30), ask(2, 71))
        assert worker.hear() == {"id": 2, "refused": ["tokens", 100.0, 101.0]}
        assert (teller.spent, teller.exhausted) == (Spend(1, 30), "tokens")
    assert json.loads(path.read_text())["tokens"] == 30


def test_dollars_are_exact(path: Path) -> None:
    with teller_of(path, dollars=Decimal("0.3")) as teller:
        with Raw(teller.address).introduced() as worker:
            for number in range(3):
                worker.say(ask(number, dollars="0.1"))
                assert worker.hear() == {"id": number}
                worker.say({"settle": [1, 0, "0.1"], "used": [1, 0, "0.1"]})
            worker.say(ask(3, dollars="0.0000001"))
            assert worker.hear()["refused"][:2] == ["dollars", 0.3]
        assert teller.spent.dollars == Decimal("0.3")
    assert json.loads(path.read_text())["dollars"] == "0.3"


def test_a_grant_stands_in_the_journal_before_it_is_heard(path: Path) -> None:
    with teller_of(path) as teller, Raw(teller.address).introduced() as worker:
        for number in range(1, 30):
            worker.say(ask(number, 10))
            worker.hear()
            assert kept(path) == 10 * number


def test_what_endpoints_bill_beyond_the_bound_stands_there_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "_FLUSH_SECONDS", 10**6)  # it cannot wait for that
    with teller_of(path, tokens=1000) as teller, Raw(teller.address).introduced() as worker:
        worker.say(ask(1, 10))
        worker.hear()
        worker.say(settle(10, 990))
        eventually(lambda: kept(path) == 990)
        worker.say(ask(2, 11))
        assert "refused" in worker.hear()


def test_the_journal_comes_down_soon_after_calls_took_less(path: Path) -> None:
    with teller_of(path) as teller, Raw(teller.address).introduced() as worker:
        worker.say(ask(1, 500))
        worker.hear()
        assert kept(path) == 500
        worker.say(settle(500, 20))
        eventually(lambda: kept(path) == 20)


def test_a_worker_that_dies_has_spent_what_it_had_set_aside(path: Path) -> None:
    with teller_of(path, tokens=100) as teller, Raw(teller.address).introduced() as waiting:
        with Raw(teller.address).introduced() as dying:
            dying.say(ask(1, 60), ask(2, 60))
            dying.hear()
            waiting.say(ask(1, 41), ask(2, 40))
        assert waiting.hear() == {"id": 1, "refused": ["tokens", 100.0, 101.0]}
        assert waiting.hear() == {"id": 2}
        assert teller.spent == Spend(1, 60)
    assert kept(path) == 100


def test_the_journal_is_taken_over_and_time_goes_on(path: Path) -> None:
    clock = Clock()
    with teller_of(path, tokens=100, seconds=60, clock=clock) as teller:
        with Raw(teller.address).introduced() as worker:
            worker.say(ask(1, 70))
            worker.hear()
        clock.now += 40
    clock = Clock()
    with teller_of(path, tokens=100, seconds=60, clock=clock) as teller:
        assert (teller.spent, teller.exhausted) == (Spend(1, 70), None)
        with Raw(teller.address).introduced() as worker:
            worker.say(ask(1, 31), ask(2, 30))
            assert "refused" in worker.hear()
            assert worker.hear() == {"id": 2}
            clock.now += 20
            assert teller.exhausted == "seconds"
            worker.say(ask(3, 0))
            assert worker.hear() == {"id": 3, "refused": ["seconds", 60.0, 60.0]}


def test_a_damaged_journal_begins_nothing(path: Path) -> None:
    path.write_text("{")
    with pytest.raises(RecordError, match=r"spending\.json"), teller_of(path):
        pass
    assert [file.name for file in path.parent.iterdir()] == ["spending.json"]


def test_a_journal_has_one_teller(path: Path) -> None:
    with teller_of(path), pytest.raises(RunLocked, match=str(os.getpid())), teller_of(path):
        pass
    with teller_of(path):
        pass


def test_a_host_that_is_not_ours_is_told(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"203\.0\.113\.7"), teller_of(path, host="203.0.113.7"):
        pass


def test_where_the_journal_cannot_be_written_nothing_is_granted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    with teller_of(path) as teller, Raw(teller.address).introduced() as worker:
        worker.say(ask(1, 10))
        assert worker.hear() == {"id": 1}
        with monkeypatch.context() as broken:
            broken.setattr(os, "pwrite", full)
            worker.say(ask(2, 10), ask(3, 10))
            for number in (2, 3):
                answer = worker.hear()
                assert answer["id"] == number
                assert "No space left" in answer["fault"]
                assert str(path) in answer["fault"]
        worker.say(ask(4, 10))
        assert worker.hear() == {"id": 4}
        assert kept(path) == 20


def test_the_rate_holds_over_all_workers_in_the_order_of_their_asking(path: Path) -> None:
    clock, moments = Clock(), list[Moment]()
    rate = Rate(requests_per_minute=2)
    with (
        teller_of(path, rate, clock=clock, watch=moments.append) as teller,
        Raw(teller.address).introduced("first") as first,
        Raw(teller.address).introduced("second") as second,
    ):
        first.say(ask(1), ask(2), ask(3), {"moment": MOMENT})
        assert [first.hear(), first.hear()] == [{"id": 1}, {"id": 2}]
        eventually(lambda: len(moments) == 1)
        second.say(ask(1), {"moment": MOMENT})
        eventually(lambda: len(moments) == 2)
        clock.now += 30
        second.say({"moment": MOMENT})  # whatever is heard makes the teller look at its clock
        assert first.hear() == {"id": 3}
        clock.now += 30
        first.say({"moment": MOMENT})
        assert second.hear() == {"id": 1}


def test_a_wait_for_the_rate_ends_by_itself(path: Path) -> None:
    rate = Rate(requests_per_minute=6000)
    with teller_of(path, rate) as teller, Raw(teller.address).introduced() as worker:
        worker.say(ask(1, calls=6000), ask(2, calls=1))
        assert [worker.hear(), worker.hear()] == [{"id": 1}, {"id": 2}]


def test_what_is_withdrawn_makes_way(path: Path) -> None:
    with teller_of(path, tokens=100) as teller, Raw(teller.address).introduced() as worker:
        worker.say(ask(1, 60), ask(2, 60), ask(3, 40))
        assert worker.hear() == {"id": 1}
        worker.say({"withdraw": 1}, {"withdraw": 2}, {"withdraw": 2})  # 1 flies, 2 goes once
        assert worker.hear() == {"id": 2, "withdrawn": True}
        assert worker.hear() == {"id": 3}


def test_moments_are_told_and_workers_known(path: Path) -> None:
    moments: list[Moment] = []
    with teller_of(path, watch=moments.append) as teller:
        assert teller.workers() == {}
        with Raw(teller.address).introduced("a", 11) as a, Raw(teller.address).introduced("b", 12):
            assert teller.workers() == {"a": 11, "b": 12}
            a.say({"moment": {**MOMENT, "dollars": None}})
            eventually(lambda: bool(moments))
        eventually(lambda: teller.workers() == {})
    assert moments == [Moment("a", 3, 9, 2, 40, None, False)]


def test_a_watcher_that_raises_hurts_no_worker_and_is_not_forgotten(path: Path) -> None:
    def watch(moment: Moment) -> None:
        raise ValueError("no screen")

    with ExitStack() as stack:
        teller = stack.enter_context(teller_of(path, watch=watch))
        worker = stack.enter_context(Raw(teller.address)).introduced()
        worker.say({"moment": MOMENT}, {"moment": MOMENT}, ask(1, 5))
        assert worker.hear() == {"id": 1}
        with pytest.raises(ValueError, match="no screen"):
            stack.close()
    assert kept(path) == 5


def test_an_error_inside_is_the_one_that_is_raised(path: Path) -> None:
    with pytest.raises(KeyError, match="own"), teller_of(path):
        raise KeyError("own")
    assert not path.with_name("spending.json.lock").exists()


STRANGERS: list[object] = [
    {"token": "guess", "trial": "x", "pid": 1},
    {"token": "", "trial": "x", "pid": 1},
    {"token": None, "trial": "x", "pid": 1},
    {"token": "\ud800", "trial": "x", "pid": 1},
    {"trial": "x", "pid": 1},
    ask(1, 10),
    [],
    "GET / HTTP/1.1",
]


@pytest.mark.parametrize("hello", STRANGERS, ids=repr)
def test_a_stranger_is_cut_off_and_nothing_else_happens(path: Path, hello: object) -> None:
    with teller_of(path, tokens=10) as teller, Raw(teller.address).introduced() as friend:
        with Raw(teller.address) as stranger:
            stranger.say(hello, ask(1, 10))
            assert stranger.ended()
        assert teller.workers() == {"raw": 1}
        friend.say(ask(1, 10))
        assert friend.hear() == {"id": 1}


GARBAGE = [
    b"\n",
    b"{}\n",
    b"[1]\n",
    b"\xff\xfe\n",
    b"[" * 10_000 + b"\n",
    b"x" * 40_000,
    b'{"ask": 2, "most": [1, ' + b"9" * 5000 + b', "0"]}\n',
    b'{"ask": "2", "most": [1, 1, "0"]}\n',
    b'{"ask": true, "most": [1, 1, "0"]}\n',
    b'{"ask": 2}\n',
    b'{"ask": 2, "most": [1, -1, "0"]}\n',
    b'{"ask": 2, "most": [1, 1.5, "0"]}\n',
    b'{"ask": 2, "most": [1, 1, "NaN"]}\n',
    b'{"ask": 2, "most": [1, 1, "1e99999999"]}\n',
    b'{"ask": 2, "most": [1, 1]}\n',
    b'{"settle": [9, 0, "0"], "used": [0, 0, "0"]}\n',
    b'{"settle": [1, 11, "0"], "used": [0, 0, "0"]}\n',
    b'{"settle": [1, 10, "0"], "used": [1, -10, "0"]}\n',
    b'{"withdraw": null}\n',
    b'{"moment": {"tick": 1}}\n',
    json.dumps({"moment": {**MOMENT, "tick": True}}).encode() + b"\n",
    json.dumps({"moment": {**MOMENT, "dollars": float("nan")}}).encode() + b"\n",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_ends_its_connection_and_what_it_held_is_spent(path: Path, garbage: bytes) -> None:
    moments: list[Moment] = []
    with (
        teller_of(path, tokens=100, watch=moments.append) as teller,
        Raw(teller.address).introduced("friend") as friend,
    ):
        with Raw(teller.address).introduced("raw") as worker:
            worker.say(ask(1, 10))
            worker.hear()
            worker.send(garbage)
            worker.say(ask(5, 50))
            assert worker.ended()
        eventually(lambda: teller.workers() == {"friend": 1})
        assert teller.spent == Spend(1, 10)
        friend.say(ask(1, 90))
        assert friend.hear() == {"id": 1}
    assert moments == []


@settings(max_examples=30)
@given(data=st.binary(max_size=400))
def test_no_bytes_at_all_disturb_it(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "spending.json"
    with teller_of(path, tokens=10) as teller:
        with Raw(teller.address) as stranger:
            stranger.send(data + b"\n")
            assert stranger.ended()
        with Raw(teller.address).introduced() as friend:
            friend.say(ask(1, 10))
            assert friend.hear() == {"id": 1}


def test_lines_may_come_in_pieces(path: Path) -> None:
    with teller_of(path) as teller, Raw(teller.address).introduced() as worker:
        for byte in b'{"ask":1,"most":[1,2,"0"]}\n{"ask":2,"most":[1,2,"0"]}\n':
            worker.send(bytes([byte]))
        assert [worker.hear(), worker.hear()] == [{"id": 1}, {"id": 2}]


def test_the_token_is_told_to_nobody(
    path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with teller_of(path) as teller:
        address, other = teller.address, "another"
        with Raw(address).introduced(), Raw(address) as stranger:
            stranger.say({"token": other, "trial": "x", "pid": 1})
            stranger.ended()
        shown = repr(address) + str(address) + repr(teller)
    told = capfd.readouterr()
    shown += caplog.text + told.out + told.err
    shown += "".join(file.read_text() for file in path.parent.iterdir())
    assert address.token not in shown
    assert len(address.token) >= 32
