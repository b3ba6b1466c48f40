"""`genagents view`, `demo` and `run --live`: what they say, and where and how long they listen."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from time import sleep
from unittest.mock import Mock

import pytest

from genagents_env.cli.screen import open_browser
from genagents_env.record import RunReader
from tests.run.towns import run_town
from tests.show.view.processes import list_ports, start, wait_for

ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+/)(?:\?token=(\S+))?")
LONG = ("valentines_party", "--people", "Maria Lopez,Klaus Mueller", "--hours", "48")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def read_address(process: "subprocess.Popen[str]", *, error: bool = False) -> tuple[str, str]:
    """Return the address that a command tells, without the moment, and its token or nothing."""
    lines = process.stderr if error else process.stdout
    assert lines is not None
    for line in lines:
        if found := ADDRESS.search(line):
            return found[1], found[2] or ""
    raise AssertionError("no address was told")


def get(address: str, token: str = "") -> bytes:
    asked = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})  # noqa: S310
    with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310 (loopback)
        return bytes(answer.read())


@linux
def test_the_page_is_served_on_loopback_until_ctrl_c(tmp_path: Path) -> None:
    run_town(tmp_path / "run.sqlite", ticks=12)
    with start("view", "run.sqlite", "--at", "09:01", "--person", "ada", folder=tmp_path) as viewer:
        assert viewer.stdout is not None
        line = viewer.stdout.readline()
        address = ADDRESS.match(line)
        assert address is not None
        assert line.removeprefix(address[0]) == "#t=6&p=Ada%20Brook  (Ctrl-C ends)\n"
        assert viewer.stdout.readline() == "No browser was found; open the address in one.\n"
        assert json.loads(get(f"{address[0]}data/status"))["lastTick"] == 12
        assert b"view.js" in get(address[0])
        assert len(list_ports(viewer.pid)) == 1
        viewer.send_signal(signal.SIGINT)
        rest, error = viewer.communicate(timeout=30)
        assert (viewer.returncode, rest, error) == (0, "", "")


def test_a_demo_begins_at_its_moment(tmp_path: Path) -> None:
    with start("demo", "Mystery", folder=tmp_path) as viewer:
        assert viewer.stdout is not None
        about, line = viewer.stdout.readline(), viewer.stdout.readline()
        assert about.startswith("Who murdered Ahmed Khan?")
        assert "#t=" in line
        address = ADDRESS.match(line)
        assert address is not None
        head = json.loads(get(f"{address[0]}data/head"))
        assert (head["scenario"], head["live"]) == ("murder_mystery", False)
        viewer.send_signal(signal.SIGTERM)
        assert viewer.wait(30) == 0


@linux
def test_a_run_is_watched_from_its_start(tmp_path: Path) -> None:
    with start("run", *LONG, "--live", "--out", "run.sqlite", "-q", folder=tmp_path) as run:
        address, token = read_address(run, error=True)
        head = json.loads(get(f"{address}data/head", token))
        assert (head["scenario"], head["live"], head["steered"]) == (LONG[0], True, True)
        with pytest.raises(urllib.error.HTTPError):
            get(f"{address}data/head")
        wait_for(lambda: json.loads(get(f"{address}data/status", token))["lastTick"] > 5)
        assert len(list_ports(run.pid)) == 1
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        assert run.returncode == 130
        assert "genagents view run.sqlite" in out
        with pytest.raises(OSError):  # noqa: PT011 (refused, or reset)
            get(address)
    with RunReader(tmp_path / "run.sqlite") as record:
        assert record.status == "interrupted"
        assert not record.meta.interviews
    assert [file.name for file in tmp_path.iterdir()] == ["run.sqlite"]


@pytest.mark.parametrize("fault", [None, webbrowser.Error, OSError])
def test_a_machine_without_windows_opens_no_browser(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception] | None
) -> None:
    opened = Mock(side_effect=fault, return_value=True)
    monkeypatch.setattr(webbrowser, "open", opened)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not open_browser("http://127.0.0.1/")
    opened.assert_not_called()
    monkeypatch.setenv("DISPLAY", ":0")
    assert open_browser("http://127.0.0.1/") is (fault is None)


def test_waiting_for_a_run_that_is_not_there_yet(tmp_path: Path) -> None:
    with start("view", "later.sqlite", "--wait", "--no-open", folder=tmp_path) as viewer:
        address, _ = read_address(viewer)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            get(f"{address}data/head")
        run_town(tmp_path / "later.sqlite", ticks=2)
        wait_for(lambda: json.loads(get(f"{address}data/status"))["lastTick"] == 2)


@pytest.mark.slow
def test_interviews_are_held_while_one_watches_if_wished(tmp_path: Path) -> None:
    words = ("run", "tiny", "--hours", "0.02", "--live", "--interviews", "1", "--out", "run.sqlite")
    with start(*words, folder=tmp_path) as run:
        run.communicate(timeout=60)
        assert run.returncode == 0
    with RunReader(tmp_path / "run.sqlite") as record:
        assert (record.status, record.meta.interviews) == ("finished", True)
    assert [file.name for file in tmp_path.iterdir()] == ["run.sqlite"]


@linux
def test_nothing_listens_while_a_run_goes_on(tmp_path: Path) -> None:
    with start("run", *LONG, "--out", "run.sqlite", "-q", folder=tmp_path) as run:
        wait_for((tmp_path / "run.sqlite").exists)
        for _ in range(20):
            assert list_ports(run.pid) == set()
            sleep(0.02)
        assert run.poll() is None
