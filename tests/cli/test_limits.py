"""Limits of a run stay with its file: what goes on with it has what is left of them."""

import json
import lzma
import os
import sqlite3
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.testing.fault_server import FaultServer, ServerFault, failing, redirect
from tests.campaigns.limits import find_printed
from tests.cli.conftest import Run, Serve
from tests.study.sweep.small_sweeps import write_experiment

HOW = ("--model", "m", "--embedder", "hashed", "-q")
RUN = ("run", "tiny", "--policy", "reactive", "--hours", "0.1", *HOW)  # 9 calls and the first one
ASK = ("interview", "run.sqlite", "--question", "Any news?", "--repeats", "20", "-q")


@pytest.fixture
def server(serve: Serve) -> FaultServer:
    return serve()


def test_the_printed_command_stays_within_the_limit_and_a_smaller_number_tightens_it(
    genagents: Run, server: FaultServer
) -> None:
    code, _, err = genagents(*RUN, "--limit", "calls=5")
    for _ in range(2):
        assert (code, server.calls) == (3, 5)
        assert "limit 5; --limit calls=N raises it" in err
        code, _, err = genagents(*find_printed(err), "-q")
    assert genagents("resume", "run.sqlite", "-q", "--limit", "calls=4")[0] == 3
    assert server.calls == 5
    with RunReader("run.sqlite") as record:
        assert record.meta.limits.calls == 4


def test_a_larger_number_raises_a_limit_and_the_report_shows_it(
    genagents: Run, server: FaultServer
) -> None:
    assert genagents(*RUN, "--limit", "calls=5", "--limit", "tokens=900000")[0] == 3
    assert genagents("resume", "run.sqlite", "-q", "--limit", "calls=7")[0] == 3
    assert server.calls == 7
    code, out, _ = genagents("resume", "run.sqlite", "-q", "--limit", "none")
    assert (code, server.calls) == (0, 10)
    changes = [line for line in out.splitlines() if line.startswith("Limit")]
    assert [" ".join(line.split()[:4]) for line in changes] == [
        "Limit of calls changed",
        "Limit of calls changed",
        "Limit of tokens changed",
    ]
    assert " changed before the first tick: from 5 to 7" in changes[0]
    assert changes[1].endswith("from 7 to none")
    changes = json.loads(genagents("report", "run.sqlite", "--json")[1])["limit_changes"]
    assert [(one["kind"], one["before"], one["now"]) for one in changes] == [
        ("calls", "5", "7"),
        ("calls", "7", None),
        ("tokens", "900000", None),
    ]


def test_interviews_have_what_the_run_left(genagents: Run, server: FaultServer) -> None:
    assert genagents(*RUN, "--limit", "calls=14")[0] == 0
    assert server.calls == 10
    for _ in range(2):
        code, _, err = genagents(*ASK)
        assert (code, server.calls) == (3, 14)
        assert "limit 14; --limit calls=N raises it" in err
    assert genagents("resume", "run.sqlite", "--hours", "0.1", "-q")[0] == 3
    assert server.calls == 14
    code, _, _ = genagents(*ASK, "--limit", "calls=16")
    assert (code, server.calls) == (3, 16)
    code, out, _ = genagents("report", "run.sqlite")
    assert "After its end: interviews, 6 model calls" in out
    assert "STOPPED: budget reached: calls would be" in out
    assert "Limit of calls changed after tick 72: from 14 to 16" in out


def test_an_interview_has_a_limit_of_its_own_until_it_is_over(
    genagents: Run, server: FaultServer
) -> None:
    assert genagents(*RUN)[0] == 0
    before = Path("run.sqlite").read_bytes()
    assert genagents(*ASK[:-2], "1", "-q")[0] == 0
    assert Path("run.sqlite").read_bytes() == before  # without a limit nothing is written
    begun = server.calls
    assert genagents(*ASK, "--limit", "calls=6")[0] == 3
    assert genagents(*ASK, "--limit", "calls=6")[0] == 3
    assert genagents(*ASK)[0] == 3
    assert server.calls == begun + 6
    assert genagents(*ASK, "--limit", "calls=8")[0] == 3
    assert server.calls == begun + 8
    assert genagents(*ASK[:-2], "1", "-q", "--limit", "calls=10")[0] == 0  # two people
    assert genagents(*ASK[:-2], "1", "-q", "--limit", "calls=2")[0] == 0  # another interview
    assert not list(Path().glob("run.sqlite-*"))


def test_a_limit_needs_a_file_that_can_keep_it(
    genagents: Run, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert genagents(*RUN)[0] == 0
    Path("packed.sqlite.xz").write_bytes(lzma.compress(Path("run.sqlite").read_bytes()))
    sent = server.calls
    ask = ("interview", "packed.sqlite.xz", "--question", "Any news?", "-q")
    code, _, err = genagents(*ask, "--limit", "calls=5")
    assert "continue with a copy: `xz -dk packed.sqlite.xz` makes packed.sqlite" in err
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    again, _, err = genagents(*ASK, "--limit", "calls=5")
    assert "genagents: run.sqlite cannot be written: permission denied; make it writable" in err
    assert (code, again, server.calls) == (2, 2, sent)
    assert genagents(*ask)[0] == genagents(*ASK)[0] == 0


def test_an_interview_that_is_refused_leaves_the_file_as_it_was(
    genagents: Run, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert genagents(*RUN, "--limit", "calls=14")[0] == 0
    before = Path("run.sqlite").read_bytes()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert genagents(*ASK, "--limit", "calls=20")[0] == 75
    assert Path("run.sqlite").read_bytes() == before
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    with sqlite3.connect("run.sqlite") as connection:
        connection.execute("UPDATE checkpoints SET body = x'00'")
    connection.close()
    before = Path("run.sqlite").read_bytes()
    code, _, err = genagents(*ASK, "--limit", "calls=20")
    assert (code, "damaged" in err, server.calls) == (2, True, 10)
    assert Path("run.sqlite").read_bytes() == before


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_sweep_that_is_started_again_asks_no_first_question_again(
    genagents: Run, tmp_path: Path, server: FaultServer
) -> None:
    arms, how = ({"name": "asks", "policy": "reactive"},), {"model": "m", "embedder": "hashed"}
    study = write_experiment(tmp_path, arms=arms, hours=0.1, budget={"run": {"calls": 4}}, **how)
    assert genagents("sweep", str(study), "--out", "out", "-q", "--workers", "1")[0] == 3
    assert server.calls == 2 * 4 + 1
    for _ in range(2):
        assert genagents("sweep", "out", "-q", "--workers", "1")[0] == 3
        assert server.calls == 2 * 4 + 1


@pytest.mark.parametrize("fault", [failing(401), failing(403), redirect("http://127.0.0.1:9/v1")])
def test_a_key_that_is_refused_in_mid_run_pauses_it(
    genagents: Run, serve: Serve, fault: ServerFault
) -> None:
    serve({n: fault for n in range(5, 9)})
    code, out, err = genagents(*RUN)
    assert (code, ": paused" in out) == (75, True)
    assert "status 401" in err or "status 403" in err or "a redirect" in err
    serve()
    code, out, _ = genagents(*find_printed(err), "-q")
    assert (code, ": finished" in out) == (0, True)


def test_dollars_and_seconds_are_kept_too(genagents: Run, server: FaultServer) -> None:
    prices = ("--endpoint", "price_in=100000", "--endpoint", "price_out=100000")
    code, _, err = genagents(*RUN, *prices, "--limit", "dollars=150")  # 1.5 an answer
    sent = server.calls
    assert (code, 0 < sent < 10) == (3, True)
    assert genagents(*find_printed(err), "-q")[0] == 3
    assert server.calls == sent
    command = ("run", "tiny", "--policy", "idle", "-q", "--out", "idle.sqlite")
    code, _, err = genagents(*command, "--limit", "seconds=0")
    assert code == 3
    assert genagents(*find_printed(err), "-q")[0] == 3
    assert genagents(*find_printed(err), "-q", "--limit", "none")[0] == 0
