"""The page goes along with a run that another process writes, and that is killed and resumed."""

import signal
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import RunReader
from tests.show.view.browser import OpenPage
from tests.show.view.processes import start, wait_for

HORIZON = 2160  # ticks: three hours
FIRST, SECOND = 60, 240


def find_last(path: Path) -> int:
    try:
        with RunReader(path) as reader:
            return reader.last_tick
    except RecordError:  # it is just being made
        return -1


@pytest.mark.slow
def test_the_page_follows_a_run_that_is_killed_and_resumed(
    open_page: OpenPage, tmp_path: Path
) -> None:
    path = tmp_path / "run.sqlite"
    town = ("murder_mystery", "--policy", "scripted", "--hours", "3")
    with start("run", *town, "--out", str(path), "--quiet", folder=tmp_path) as writer:
        wait_for(lambda: find_last(path) >= FIRST)
        writer.send_signal(signal.SIGSTOP)  # so that it is not over before the page is open
        watched = open_page(path)
        page = watched.page
        shown = page.evaluate("() => window.town.at(1e9).tick")
        assert FIRST <= shown <= find_last(path) < HORIZON
        page.wait_for_function(
            f"() => window.town.look().time === {shown}"
        )  # from ten seconds back
        writer.send_signal(signal.SIGCONT)
        page.wait_for_function(f"() => window.town.at(1e9).tick >= {SECOND}", polling=20)
        writer.kill()
        writer.wait()
    killed = find_last(path)
    assert SECOND <= killed < HORIZON
    page.wait_for_function(f"() => window.town.at(1e9).tick >= {killed}")
    told = page.evaluate("() => fetch('data/status').then((one) => one.json())")
    assert told["state"] == "killed"

    with start("resume", str(path), "--quiet", folder=tmp_path) as writer:
        page.wait_for_function(f"() => window.town.at(1e9).tick === {HORIZON}")
        assert writer.wait(60) == 0
    page.wait_for_function("() => window.town.ready === true")
    with RunReader(path) as reader:
        assert reader.status == "finished"
        for tick in (FIRST, killed - 3, killed + 3, HORIZON):
            expected = reader.positions(tick).tolist()
            page.wait_for_function("(tick) => window.town.at(tick).positions[0][0] >= 0", arg=tick)
            assert page.evaluate("(tick) => window.town.at(tick).positions", tick) == expected
    watched.check()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
