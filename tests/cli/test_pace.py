"""The same record at any pace, against a server that takes three calls at once, and its time."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from genagents_env.record import canonical_hash
from genagents_env.testing.fault_server import FaultServer
from tests.cli.conftest import Run

# The model names no tool: at 1 that makes no degraded run.
TOWN = (
    *("simuverse_park", "--policy", "simuverse", "--hours", "0.05", "--interviews", "0"),
    *("--limit", "fallbacks=1"),
)
MODEL = ("--model", "town-model", "--embedder", "hashed", "--quiet")
CALLS = 61  # with the first small question
PACES = ((), ("--endpoint", "concurrency=2"), ("--endpoint", "concurrency=64"))


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    with FaultServer(most=3, seconds=0.02) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


@pytest.fixture
def whole(genagents: Run, server: FaultServer) -> str:
    """Return the hash of the run that asks one thing after another."""
    alone = ("--out", "one.sqlite", "--endpoint", "concurrency=1")
    assert genagents("run", *TOWN, *MODEL, *alone)[0] == 0
    assert (server.calls, server.peak) == (CALLS, 1)
    server.requests.clear()
    return canonical_hash(Path("one.sqlite"))


def test_refused_and_late_calls_change_no_record_at_any_pace(
    genagents: Run, server: FaultServer, whole: str
) -> None:
    for pace in PACES:
        server.peak = 0
        server.requests.clear()
        code, _, err = genagents("-v", "run", *TOWN, *MODEL, "--force", *pace)
        assert (code, canonical_hash(Path("run.sqlite"))) == (0, whole)
        if pace[1:] == ("concurrency=2",):
            assert (server.calls, server.peak) == (CALLS, 2)
        else:
            assert server.calls > CALLS  # some were refused, and asked again
            assert "calls at once, the endpoint is overloaded" in err


@pytest.mark.parametrize("pace", PACES[:2])
def test_a_budget_that_is_used_up_changes_no_record_at_any_pace(
    genagents: Run, whole: str, pace: tuple[str, ...]
) -> None:
    code, stops = genagents("run", *TOWN, *MODEL, *pace, "--limit", "calls=13")[0], 0
    for limit in count(30, 17):
        if code != 3:
            break
        stops += 1
        code = genagents("resume", "run.sqlite", "--quiet", *pace, "--limit", f"calls={limit}")[0]
    assert (code, canonical_hash(Path("run.sqlite"))) == (0, whole)
    assert stops >= 3


@pytest.mark.slow
@pytest.mark.parametrize("pace", PACES[::2])
def test_kills_change_no_record_at_any_pace(
    genagents: Run, server: FaultServer, whole: str, pace: tuple[str, ...]
) -> None:
    command = [sys.executable, "-m", "genagents_env"]
    begin = ["run", *TOWN, *MODEL, *pace, "--limit", "calls=40"]
    go_on = ["resume", "run.sqlite", "--quiet", *pace, "--limit", "calls=200"]
    for arguments, calls in ((begin, 9), (go_on, 25)):
        with subprocess.Popen([*command, *arguments], env={**os.environ}) as process:
            while server.calls < calls and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
    assert genagents(*go_on)[0] == 0
    assert canonical_hash(Path("run.sqlite")) == whole
