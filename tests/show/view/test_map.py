"""The map, the clock, the timeline and the address of the page, tried in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunSpec, run
from genagents_env.scenario.town import lay_out
from genagents_env.show.render.motion import Motion
from tests.show.view.browser import OpenPage, WatchedPage

FRIENDS = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller")
FINE = 16  # moments a tick at which motion is looked at


@pytest.fixture(scope="module")
def hurried_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose people walk several tiles a tick."""
    path = tmp_path_factory.mktemp("map") / "hurried.sqlite"
    town = TownConfig(
        "valentines_party", people=FRIENDS, start="10:00", hours=0.8, seconds_per_tick=40
    )
    run(RunSpec(town, policy=PolicySpec("random")), path)
    return path


@pytest.fixture(scope="module")
def watched(open_page: OpenPage, valentines_run: Path) -> WatchedPage:
    return open_page(valentines_run, "#t=200")


@pytest.fixture
def page(watched: WatchedPage) -> Iterator[Page]:
    """The shipped run as it was opened; nothing went wrong in the end."""
    shown = watched.page
    shown.keyboard.press("Escape")
    shown.keyboard.press("0")
    shown.get_by_role("tab", name="Story").click()
    shown.evaluate("() => document.activeElement.blur()")
    seek(shown, 200)
    yield shown
    watched.check()


def seek(page: Page, tick: float) -> None:
    page.evaluate("(tick) => window.town.seek(tick)", tick)
    page.evaluate("() => new Promise((done) => setTimeout(done, 120))")  # some frames


def look(page: Page, key: str) -> object:
    return page.evaluate("(key) => window.town.look()[key]", key)


def wait_for(page: Page, condition: str) -> None:
    page.wait_for_function(f"() => {condition}")


def test_people_walk_between_ticks_as_in_the_film(open_page: OpenPage, hurried_run: Path) -> None:
    page = open_page(hurried_run, "#t=0").page
    with RunReader(hurried_run) as reader:
        plan, rules = lay_out(reader.meta.scenario), reader.meta.scenario.rules
        motion = Motion(plan, rules, reader.meta.seconds_per_tick)
        recorded = []
        for tick, at in reader.ticks():
            motion.note(tick, at)
            recorded.append(at.reshape(-1).tolist())
    times = np.arange(0, (len(recorded) - 1) * FINE + 1) / FINE
    found = page.evaluate(
        "(times) => times.map((time) => window.town.positions(time))", times.tolist()
    )
    shown = np.array(found).reshape(len(times), len(FRIENDS), 2)
    assert shown[::FINE].reshape(len(recorded), -1).tolist() == recorded

    filmed = np.array([motion.find_positions(time) for time in times])
    walked = [np.abs(np.diff(way, axis=0)).sum(axis=2).cumsum(axis=0) for way in (shown, filmed)]
    assert walked[0][-1].sum() > 100  # tiles
    np.testing.assert_allclose(walked[0], walked[1], atol=1e-4)
    # Nobody cuts a corner, nobody walks through a wall.
    for way in (np.floor(shown + 1e-6), np.ceil(shown - 1e-6)):
        assert not plan.blocked[way[..., 1].astype(int), way[..., 0].astype(int)].any()


def test_an_address_leads_to_its_moment(open_page: OpenPage, valentines_run: Path) -> None:
    watched = open_page(valentines_run, "#t=216&p=kla&z=24&f=party")
    shown = watched.page.evaluate("() => window.town.look()")
    assert (shown["time"], shown["person"], shown["zoom"], shown["fact"]) == (216, 2, 24, 0)
    x, y = watched.page.evaluate("() => window.town.spots()['Klaus Mueller']")
    box = watched.page.locator("canvas.town").bounding_box()
    assert box is not None
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]
    watched.check()


@pytest.mark.parametrize(
    "moment", ["#t=-5&p=Nobody&z=1e9", "#t=999999&p=&z=x&f=none&tab=none", "#%zz&t=%00&play=-1"]
)
def test_an_address_of_no_moment_leads_into_the_run(
    moment: str, open_page: OpenPage, valentines_run: Path
) -> None:
    watched = open_page(valentines_run, moment)
    shown = watched.page.evaluate("() => window.town.look()")
    assert shown["person"] == -1
    assert 0 <= shown["time"] <= 2160
    assert shown["panel"] == "story"
    watched.check()


def test_keys_play_step_and_skip(page: Page) -> None:
    page.keyboard.press(".")
    assert look(page, "time") == 201
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert look(page, "time") == 199
    page.keyboard.press("n")
    assert look(page, "time") == 216
    page.keyboard.press("n")
    later = look(page, "time")
    page.keyboard.press("Shift+N")
    assert look(page, "time") == 216
    assert isinstance(later, (int, float))
    assert later > 216
    page.keyboard.press("]")
    assert look(page, "speed") == 120
    page.keyboard.press("[")
    page.keyboard.press(" ")
    wait_for(page, "window.town.look().time > 217")
    page.keyboard.press(" ")
    assert look(page, "playing") is False
    page.keyboard.press("r")
    assert look(page, "person") != -1  # who reflects
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys and signs")).to_be_visible()
    page.keyboard.press("n")  # a key of the page does nothing while a dialog is open
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys and signs")).to_be_hidden()
