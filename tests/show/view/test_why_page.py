"""*why?* of every utterance, in a real browser: the panel names what led to it."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from genagents_env.record import RunReader
from genagents_env.world.events import Event
from tests.show.view.browser import OpenPage, WatchedPage
from tests.show.view.conftest import RUNS


def test_why_of_every_utterance_of_a_shipped_run(open_page: OpenPage) -> None:
    check_all(open_page, RUNS / "murder_mystery.sqlite.xz")


def test_why_of_every_utterance_of_a_policy_of_ones_own(open_page: OpenPage, own_run: Path) -> None:
    opened = check_all(open_page, own_run)
    expect(opened.page.locator("dialog[open]")).to_contain_text("these are the ones of this moment")


def check_all(open_page: OpenPage, path: Path) -> WatchedPage:
    """Fail unless the panel of each utterance shows what was perceived, and a call or the rule."""
    with RunReader(path) as run:
        said = [event for event in run.events(kind="say") if event.agent is not None]
        asked = {(call.agent, call.tick) for call in run.calls()}
    opened = open_page(path)
    assert len(said) > 2
    for event in said:
        check_panel(opened.page, event)
        calls = opened.page.locator("dialog[open] .call")
        if (event.agent, event.tick - 1) in asked:
            expect(calls.first).to_be_attached()
        elif calls.count() == 0:
            rules = opened.page.locator("dialog[open]").get_by_text("decided by its rules")
            expect(rules).to_be_visible()
        if event is not said[-1]:
            opened.page.keyboard.press("Escape")
    opened.check()
    return opened


def check_panel(page: Page, event: Event) -> None:
    """Click *why?* of an utterance of the story; fail unless its panel has words and percept."""
    page.evaluate("tick => window.town.seek(tick)", event.tick)
    text = str(event.data["text"])
    story = page.get_by_role("tabpanel", name="Story")
    said = story.locator(f".say[data-tick='{event.tick}']:not(.to-come)", has_text=text).last
    said.get_by_role("button", name=re.compile("^Why")).click()
    dialog = page.locator("dialog[open]")
    expect(dialog.locator(".why-words")).to_have_text(text)
    expect(dialog.locator(".percept summary")).to_be_visible(timeout=20_000)
    if not dialog.locator(".percept pre").count():  # a long one is folded
        dialog.locator(".percept summary").click()
    expect(dialog.locator(".percept pre")).to_contain_text(f"You are {event.agent}, ")
