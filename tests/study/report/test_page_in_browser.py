"""The page of a run in a browser: hostile words do nothing, tables scroll and break no word."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.study.report import measure_runs, write_report
from genagents_env.text import clean
from tests.show.view.browser import PHONE, WIDE, OpenPage, launch_browser, open_pages
from tests.show.view.payloads import NAMES, PLACES, WORDS
from tests.study.report.planted import ADA, BEN, cake

# Words of cells that a browser has put on several lines: the rectangles of each word.
BROKEN = """() => {
  const broken = [];
  for (const cell of document.querySelectorAll('th, td')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const found of node.data.matchAll(/[\\p{L}\\p{N}_.,]+/gu)) {
        const range = document.createRange();
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
        if (lines.size > 1 && found[0].length < 30) broken.push(found[0]);
      }
    }
  }
  return broken;
}"""
OPEN = "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
SEE = """() => ({
  wide: document.documentElement.scrollWidth,
  tags: [...new Set([...document.body.querySelectorAll('*')].map((one) => one.localName))],
  handlers: [...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())
    .filter((name) => name.startsWith('on') || name === 'style'),
  links: [...document.links].map((one) => one.getAttribute('href')),
  scrolling: [...document.querySelectorAll('.wide')]
    .filter((one) => one.scrollWidth > one.clientWidth).length,
  hit: window.hit ?? null,
})"""
OWN_TAGS = frozenset(
    "h1 h2 h3 p ul ol li nav a section article div figure figcaption img details summary"  # noqa: SIM905
    " pre code span strong time mark q table thead tbody tr th td".split()
)


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run in which whatever people and models wrote is a payload."""
    folder = tmp_path_factory.mktemp("report")
    policies = {who: {"name": NAMES[0], "config": {"place": PLACES[0]}} for who in (ADA, BEN)}
    found = measure_runs([cake(folder / "a.sqlite", model=WORDS[0], policies=policies)])
    results = replace(found, summaries=((WORDS[1], tuple(map(clean, WORDS))),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("genagents_env.study.report.writing._draw", lambda study: ([], ""))
        page, *_ = write_report(results, folder / "out")
    return page


@pytest.fixture(scope="module")
def open_page(hostile_page: Path) -> Iterator[OpenPage]:
    with launch_browser() as browser, open_pages(browser) as opener:
        yield opener


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_words_do_nothing_and_tables_scroll_by_themselves(
    hostile_page: Path, open_page: OpenPage, size: tuple[int, int]
) -> None:
    watched = open_page(hostile_page, size=size, ready=False)
    watched.page.evaluate(OPEN)
    seen = watched.page.evaluate(SEE)
    watched.check()
    assert set(seen["tags"]) <= OWN_TAGS
    assert seen["handlers"] == []
    assert all(link.startswith("#") for link in seen["links"])
    assert seen["hit"] is None
    text = watched.page.inner_text("body")
    assert sum(" ".join(clean(words).split()) in text for words in WORDS) == 100
    assert seen["wide"] <= size[0]
    assert seen["scrolling"] > 0
    assert watched.page.evaluate(BROKEN) == []
