"""The page in a real browser: a run is opened, played, looked into and followed.

Pictures of each step go to the folder that GENAGENTS_SCREENSHOTS names, else to one of the test's.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.show.view.browser import PHONE, WIDE, OpenPage

MET = 216  # the tick at which Klaus comes into the cafe and is told of the party


class Camera:
    """Takes pictures of a page, numbered, under a name."""

    def __init__(self, page: Page, folder: Path, name: str) -> None:
        self._page, self._folder, self._name = page, folder, name
        self._count = 0

    def take(self, what: str) -> None:
        self._count += 1
        path = self._folder / f"{self._name}-{self._count}-{what}.png"
        self._page.screenshot(path=path)
        assert path.stat().st_size > 10_000


def find_folder(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("GENAGENTS_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize(
    ("size", "name"), [(WIDE, "1280x800"), pytest.param(PHONE, "390x844", marks=pytest.mark.slow)]
)
def test_a_recorded_run_is_opened_played_and_followed_to_a_prompt(
    size: tuple[int, int], name: str, open_page: OpenPage, valentines_run: Path, tmp_path: Path
) -> None:
    watched = open_page(valentines_run, "#t=200", size)
    page = watched.page
    camera = Camera(page, find_folder(tmp_path), name)
    expect(page.get_by_role("heading", name="A Valentine's party at Hobbs Cafe")).to_be_visible()
    camera.take("opened")

    page.get_by_role("button", name="Play", exact=True).click()  # it plays
    page.wait_for_function("() => window.town.look().time > 202")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.wait_for_function("() => !window.town.look().playing")

    page.get_by_role("button", name="Next talk").click()  # it jumps
    page.wait_for_function(f"() => Math.floor(window.town.look().time) === {MET}")
    assert page.evaluate("() => window.town.at(window.town.look().time).conversation[2]") == 0
    camera.take("talk")
    page.wait_for_function(f"() => location.hash.includes('t={MET}')")

    page.get_by_role("tab", name="Person").click()  # a person
    page.get_by_role("tabpanel").get_by_role("button", name="Klaus Mueller").first.click()
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("heading", name="Klaus Mueller")).to_be_visible()
    expect(panel.get_by_text("sociology").first).to_be_visible()
    camera.take("person")

    page.evaluate("() => window.town.seek(400)")  # evidence, to the prompt it came from
    memory = panel.locator(".memory", has_text="Talked with Isabella Rodriguez").first
    memory.locator("summary").first.click()
    camera.take("memory")
    expect(
        memory.get_by_role("button", name="The call that wrote it: converse.memo")
    ).to_be_visible()
    memory.locator(".evidence .ask-why").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("converse.speak")).to_be_visible()
    prompt = dialog.locator("pre", has_text="<<<DATA").first
    expect(prompt).to_contain_text("Isabella Rodriguez")
    expect(dialog.locator(".recalled li").first).to_be_visible()
    expect(dialog.locator(".percept pre")).to_contain_text("You are Isabella Rodriguez, in Hobbs")
    camera.take("why")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    watched.check()


@pytest.mark.parametrize(
    ("size", "name"), [(WIDE, "1280x800"), pytest.param(PHONE, "390x844", marks=pytest.mark.slow)]
)
def test_the_tree_of_a_fact_grows_with_the_clock(
    size: tuple[int, int], name: str, open_page: OpenPage, valentines_run: Path, tmp_path: Path
) -> None:
    watched = open_page(valentines_run, "#t=200", size)
    page = watched.page
    camera = Camera(page, find_folder(tmp_path), f"facts-{name}")
    page.get_by_role("tab", name="Facts").click()
    page.locator(".fact-button").first.click()
    told = page.locator(".tree-person:not(.untold)")
    expect(told).to_have_count(1)  # Isabella, who gives the party
    camera.take("before")
    page.evaluate("() => window.town.seek(300)")
    expect(told).to_have_count(2)
    expect(told.last).to_contain_text("Klaus")
    page.evaluate("() => window.town.seek(2000)")
    expect(told).to_have_count(3)
    camera.take("after")
    assert page.evaluate("() => window.town.at(300).knows") == [["party"], [], ["party"]]
    watched.check()
