"""Whatever people and models write is text on the page, served and exported: nothing else."""

import json
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario import load_scenario
from genagents_env.show.view.single_file import write_single_file
from tests.show.view.browser import OpenPage, WatchedPage
from tests.show.view.payloads import NAMES, PLACES, TITLE, WORDS

TINY = Path(__file__).parents[3] / "scenarios" / "tiny"
SEE = """() => {
  const all = [...document.querySelectorAll('*')];
  const names = [...new Set(all.flatMap((one) => one.getAttributeNames()))];
  const asking = '[href], [src], [action], [data], [srcset], [srcdoc], [ping]';
  const data = '[type="application/octet-stream"]';
  return {
    tags: [...new Set(all.map((one) => one.localName))],
    handlers: names.filter((name) => name.startsWith('on')),
    links: all.filter((one) => one.matches(asking))
      .map((one) => one.getAttribute('href') ?? one.getAttribute('src') ?? 'other'),
    scripts: document.scripts.length - document.querySelectorAll(data).length,
    hit: window.hit ?? null,
    title: document.title,
  };
}"""
OPEN = (
    "() => document.querySelectorAll('details:not([open])').forEach((one) => { one.open = true; })"
)
OWN_LINKS = {"view.css", "view.js"}
OWN_TAGS = frozenset(
    "html head meta title link body noscript div header h1 h2 h3 h4 button span select option time"  # noqa: SIM905
    " main section canvas p ol ul li svg path aside input article details summary dl dt dd figure"
    " clipPath rect line g circle text figcaption table caption thead tbody tr th td dialog script"
    " kbd strong small blockquote pre".split()
)


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose title, names, places, words and replies are all payloads."""
    folder = tmp_path_factory.mktemp("hostile")
    text = (TINY / "scenario.toml").read_text("utf-8")
    words = ("Ada Brook", "Ben Carver", "Cottage", "kitchen", "study", "lamp")
    for plain, payload in zip(words, (*NAMES[:2], *PLACES), strict=True):
        text = text.replace(plain, json.dumps(payload)[1:-1])
    for plain, payload in (
        ("Two rooms and two errands", TITLE),
        ("shares the cottage with me", WORDS[0]),
        ("There is tea in the", WORDS[3]),
    ):
        text = text.replace(plain, json.dumps(payload)[1:-1])
    kitchen = json.dumps("/".join(PLACES[:2]))
    for plain, changed in (
        ('home = "', f'start = {kitchen}\nhome = "'),
        ("max_exchanges = 6", "max_exchanges = 200"),
        ("cooldown_seconds = 60", "cooldown_seconds = 0"),
    ):
        text = text.replace(plain, changed)
    (folder / "scenario.toml").write_text(text, "utf-8")
    (folder / "map.txt").write_text((TINY / "map.txt").read_text("utf-8"), "utf-8")
    said = iter(WORDS * 4)

    def reply(request: CompletionRequest) -> str:
        offered = request.messages[-1].content.partition("Options: ")[2].splitlines()[0]
        wanted = [one for one in (f"talk to {name}" for name in NAMES[:2]) if one in offered]
        words = next(said) if wanted else ""
        do = wanted[0] if wanted else "keep on"
        return json.dumps({"do": do, "say": words, "doing": words, "minutes": 1})

    path = folder / "run.sqlite"
    config = {"decisions_per_hour": 1000, "decide_seconds": 10}
    town = TownConfig(load_scenario(folder), hours=62 / 360)
    options = RunOptions(endpoint=ScriptedEndpoint(reply), checkpoint_every=10, interviews=False)
    run(RunSpec(town, policy=PolicySpec("reactive", config)), path, options)
    return path


def export(path: Path) -> Path:
    with RunReader(path) as reader:
        return write_single_file(reader, path.with_name("hostile.html"))


def visit(watched: WatchedPage) -> str:
    """Open all there is on the page, and return all texts that were seen on it."""
    page = watched.page
    page.evaluate("() => window.town.seek(60)")
    seen: list[str] = []

    def look() -> None:
        for _ in range(3):
            page.evaluate(OPEN)
            page.wait_for_timeout(60)
        seen.append(page.locator("body").inner_text())

    for name in ("Story", "Facts", "Costs", "Person"):
        page.get_by_role("tab", name=name).click()
        if name == "Facts":
            page.locator(".fact-button").first.click()
        look()
    for person in NAMES[:2]:
        page.locator("header select").select_option(label=person)
        look()
    page.get_by_role("tab", name="Story").click()
    for number in (0, 20, 40):
        page.locator(".ask-why:visible").nth(number).click()
        page.locator("dialog .percept").wait_for()
        look()
        page.keyboard.press("Escape")
    for x in range(100, 800, 100):
        page.mouse.click(x, 350)
    look()
    return "\n".join(seen)


@pytest.mark.parametrize("kind", ["served", pytest.param("exported", marks=pytest.mark.slow)])
def test_what_people_and_models_write_is_text_and_does_nothing(
    kind: str, hostile_run: Path, open_page: OpenPage
) -> None:
    path = hostile_run if kind == "served" else export(hostile_run)
    watched = open_page(path, "#t=60")
    seen = visit(watched)
    assert sum(words in seen for words in WORDS) > 80  # those that cleaning left as they are
    assert all(name in seen for name in NAMES[:2])
    found = watched.page.evaluate(SEE)
    assert set(found["tags"]) - OWN_TAGS == ({"style"} if kind == "exported" else set())
    assert (found["handlers"], found["hit"], found["scripts"]) == ([], None, 1)
    assert {link for link in found["links"] if not link.startswith("data:")} <= OWN_LINKS
    assert TITLE.startswith(found["title"][:30])
    watched.check()
