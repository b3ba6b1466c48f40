"""The panels beside the map, in a real browser: what they show is what the record holds."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from genagents_env.record import RunReader
from genagents_env.run import resume
from genagents_env.world.events import Event
from tests.run.towns import make_options, run_town
from tests.show.view.browser import OpenPage, WatchedPage
from tests.show.view.conftest import RUNS

MURDER = RUNS / "murder_mystery.sqlite.xz"
FIRST_WORDS = 7  # ticks of the murder mystery: Lizhi speaks to Dmitri
LIZHI_HEARS, RICHARD_HEARS = 11, 26  # of the testimony, from Dmitri


@pytest.fixture(scope="module")
def opened(open_page: OpenPage) -> WatchedPage:
    return open_page(MURDER, "#t=0")


@pytest.fixture
def murder(opened: WatchedPage) -> Iterator[WatchedPage]:
    """The murder mystery at its start, nothing chosen or searched for."""
    page = opened.page
    open_tab(page, "Story")
    story = page.get_by_role("tabpanel", name="Story")
    story.get_by_role("searchbox").fill("")
    story.get_by_label("Only what tells of").select_option("All facts")
    if (back := story.get_by_role("button", name="Back to the clock")).is_visible():
        back.click()
    seek(page, 0)
    yield opened
    opened.check()


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def seek(page: Page, tick: int) -> None:
    page.evaluate("tick => window.town.seek(tick)", tick)


def look(page: Page, key: str) -> object:
    return page.evaluate("key => window.town.look()[key]", key)


def open_person(page: Page, name: str) -> None:
    open_tab(page, "Person")
    panel = page.get_by_role("tabpanel", name="Person")
    panel.get_by_role("searchbox", name="Search people").fill(name)
    panel.get_by_role("list", name="People").get_by_role("button").click()
    expect(panel.get_by_role("heading", level=2)).to_contain_text(name)


def test_a_click_on_words_goes_there_and_first_hearings_are_marked(murder: WatchedPage) -> None:
    story = murder.page.get_by_role("tabpanel", name="Story")
    story.get_by_text("I was unwell, Richard, so I shut").click()
    assert look(murder.page, "time") == RICHARD_HEARS
    hearing = story.locator(".learn", has_text="Richard hears").first
    expect(hearing).to_have_text(re.compile("Richard hears of *testimony from Dmitri"))
    hearing.get_by_role("button", name="testimony").click()
    assert look(murder.page, "panel") == "facts"


def test_a_search_finds_scenes_that_have_all_words_with_any_apostrophe(murder: WatchedPage) -> None:
    story = murder.page.get_by_role("tabpanel", name="Story")
    # The speaker, two of the words, and the apostrophe of a telephone.
    story.get_by_role("searchbox").fill("shut dmitri unwell \u2019")
    expect(story.locator("mark", has_text="unwell").first).to_be_visible()
    story.get_by_role("searchbox").fill("shut dmitri zebra")
    expect(story.get_by_text("Nothing like that happens.")).to_be_visible()


def test_the_tree_of_a_fact_grows_with_the_clock(murder: WatchedPage) -> None:
    page = murder.page
    open_tab(page, "Facts")
    card = page.get_by_role("region", name="Fact: testimony")
    if look(page, "fact") != 0:
        card.get_by_role("button", name="testimony").click()
    assert look(page, "fact") == 0
    tree = card.get_by_role("group", name="Who told whom of testimony")
    expect(tree.get_by_role("button")).to_have_count(3)
    for tick, told in ((0, 1), (LIZHI_HEARS, 2), (RICHARD_HEARS, 3)):
        seek(page, tick)
        expect(card.get_by_text(f"{told} of 3 know it")).to_be_visible()
        expect(tree.locator(".tree-person:not(.untold)")).to_have_count(told)
        expect(tree.locator(".tree-edge:not(.untold)")).to_have_count(told - 1)
    summary = (
        "Dmitri Ivanov knew it from the start. Lizhi Chen heard it from Dmitri Ivanov at 11:00:55, "
    )
    expect(card.get_by_text(summary)).to_have_text(
        f"{summary}then Richard Smith heard it from Dmitri Ivanov at 11:02:10."
    )
    tree.get_by_role("button", name="Lizhi Chen, hears it").click()
    assert look(page, "time") == LIZHI_HEARS
    expect(card.get_by_text("a bloody knife in his hand", exact=False).last).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(card.locator(".tree-words blockquote")).to_contain_text("I was unwell, Richard")
    page.keyboard.press("Enter")
    assert look(page, "time") == RICHARD_HEARS
    card.get_by_text("The same as a list").click()
    expect(card.locator(".telling .telling > li")).to_have_count(2)


def test_memories_and_knowledge_are_those_of_the_clock(murder: WatchedPage) -> None:
    page = murder.page
    open_person(page, "Richard Smith")
    panel = page.get_by_role("tabpanel", name="Person")
    knows = panel.locator(".known")
    seek(page, LIZHI_HEARS)
    before = knows.count()
    expect(knows.filter(has_text="testimony")).to_have_count(0)
    seek(page, RICHARD_HEARS)
    expect(knows).to_have_count(before + 1)
    expect(knows.filter(has_text="testimony")).to_contain_text("from Dmitri")
    panel.get_by_text("Interviews").click()
    expect(panel.get_by_text("1 of 2")).to_be_visible()
    seek(page, 180)
    expect(panel.get_by_text("2 of 2")).to_be_visible()
    expect(panel.locator(".answer")).to_have_count(2)


def test_costs_are_those_of_the_record_down_to_a_prompt(murder: WatchedPage) -> None:
    with RunReader(MURDER) as reader:
        calls = list(reader.calls())
        sums = {row.faculty: row for row in reader.sum_faculties()}
    page = murder.page
    open_tab(page, "Costs")
    seek(page, 180)
    panel = page.get_by_role("tabpanel", name="Costs")
    tokens = sum(call.prompt_tokens + call.completion_tokens for call in calls)
    expect(panel.locator(".tiles")).to_contain_text(f"Tokens{tokens:,}")
    row = panel.get_by_role("row", name=re.compile("^talk"))
    expect(row.get_by_role("cell").first).to_have_text(str(sums["talk"].calls))
    row.get_by_role("button").click()
    listed = panel.get_by_role("list", name="Calls").get_by_role("listitem")
    expect(listed).to_have_count(sums["talk"].calls)
    listed.first.get_by_role("button", name="talk.speak").click()
    expect(page.get_by_role("dialog").locator("pre").first).to_be_attached()
    page.keyboard.press("Escape")
    seek(page, FIRST_WORDS)
    made = sum(call.tick <= FIRST_WORDS for call in calls)
    expect(panel.locator(".tiles")).to_contain_text(f"Calls{made}of {len(calls)}")


def test_panels_grow_with_a_run_that_goes_on(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "growing.sqlite"
    run_town(path)
    watched = open_page(path, "#t=40&tab=costs")
    panel = watched.page.get_by_role("tabpanel", name="Costs")
    with RunReader(path) as reader:
        before = reader.sum_calls().calls
        expect(panel.locator(".tiles")).to_contain_text(f"Calls{before}of {before}")
        resume(path, make_options(), hours=20 / 360)
        after = reader.sum_calls().calls
    assert after > before
    expect(panel.locator(".tiles")).to_contain_text(f"of {after}")
    watched.page.evaluate("() => window.town.seek(60)")
    expect(panel.locator(".tiles")).to_contain_text(f"Calls{after}of {after}")
    watched.check()


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
