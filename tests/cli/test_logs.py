"""What is logged, with `--verbose` and GENAGENTS_LOG; for those who import the package nothing."""

import logging
import re
import subprocess
import sys

import pytest

from genagents_env.testing.fault_server import ServerFault
from tests.cli.conftest import Run, Serve
from tests.cli.conftest import genagents as genagents

RUN = ("run", "tiny", "--hours", "0.02", "-q", "--force", "--embedder", "hashed")
ASKS = (*RUN, "--policy", "reactive", "--interviews", "0")


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GENAGENTS_LOG", raising=False)


KEY = "sk-LOGGED-0f1e2d3c4b5a6978"


def test_attempts_are_logged_on_lines_of_their_own_without_the_key(
    genagents: Run,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    nonsense = ServerFault(words=lambda _: "no JSON at all")
    telling = ServerFault(status=503, echo_key=True)
    serve({2: telling, 3: "reset", 5: nonsense, 6: nonsense})
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    how = ("--model", "town-model", "--endpoint", "concurrency=1")
    code, _, err = genagents("-v", *ASKS, *how)
    assert code == 4  # a fallback among so few calls
    assert len(re.findall("INFO attempt [12] of 4: ", err)) == 2  # of one call or of two
    assert "INFO pace: " not in err  # with one slot there is nothing to halve
    assert "again in 0.0 s" in err
    assert err.count("WARNING decide") == 1
    assert "fallback by town-model" in err
    logging.getLogger("genagents_env.any").info("key %s\nand\x1b[31m more", KEY)
    line = capsys.readouterr().err
    assert line.endswith("and more\n")
    assert len(line.splitlines()) == 1
    assert "LOGGED" not in err + line


def test_verbose_once_logs_events_and_twice_every_call(genagents: Run) -> None:
    code, out, err = genagents("-v", *ASKS, "--model", "scripted")
    lines = err.splitlines()
    assert code == 0
    assert all(re.match(r"\d\d:\d\d:\d\d (INFO|WARNING) ", line) for line in lines)
    told = [line.split(maxsplit=2)[2] for line in lines]
    assert told == [
        "run run.sqlite begins: tiny, 2 people by reactive, seed 0",
        "run run.sqlite asks the model scripted",
        "checkpoint at tick 6 of 7",
        "run run.sqlite: finished at tick 7",
    ]
    assert "INFO" not in out
    more = genagents("-vv", *ASKS, "--model", "scripted")[2]
    assert re.search(r"DEBUG decide\S* of Ada Brook at tick 0: reply by scripted, \d+ tokens", more)


def test_the_variable_asks_for_the_same(genagents: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENAGENTS_LOG", "Info")
    assert "INFO run run.sqlite begins" in genagents(*RUN)[2]
    genagents(*ASKS, "--model", "scripted", "--limit", "calls=1")
    resumed = genagents("resume", "run.sqlite", "-q", "--limit", "none")[2]
    assert "run run.sqlite: finished" in resumed
    monkeypatch.setenv("GENAGENTS_LOG", "warning")
    assert genagents(*RUN)[2] == ""
    monkeypatch.setenv("GENAGENTS_LOG", "debg")
    code, _, err = genagents("hash", "run.sqlite")
    told = "genagents: GENAGENTS_LOG: 'debg' is not a level; did you mean debug?\n"
    assert (code, err) == (2, told)


def test_who_imports_the_package_hears_nothing_and_may_listen() -> None:
    program = (
        "import logging, genagents_env\n"
        "logging.getLogger('genagents_env.run').warning('quiet')\n"
        "logging.basicConfig(format='%(name)s %(message)s')\n"
        "logging.getLogger('genagents_env.run').warning('heard')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "genagents_env.run heard\n")
