"""How fast the page of a run opens and draws, in a headless Chromium that draws by software.

A town of a thousand people who walk at random for some minutes is recorded, served and played, seen
whole and from near. With `--run FILE` another run instead. Run: `python -m benchmarks.page` (two
minutes). Frames a second are counted while it plays; the frame time is that of the page's own
script, without what the browser then needs to put the picture on the screen.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.towns import make_town
from genagents_env.config import TownConfig
from genagents_env.run import PolicySpec, RunSpec, run
from genagents_env.show.view.admission import Admission
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.server import ViewServer

_SECONDS = 5  # of playing that are measured
_FLAGS = ["--no-sandbox", "--disable-gpu"]
_VIEWS = {"the whole town": 0, "a quarter, things": 10, "near, with names": 28}  # pixels a tile
_FRAMES = """async (seconds) => {
  let frames = 0;
  const begun = performance.now();
  await new Promise((done) => {
    const count = (now) => {
      frames++;
      if (now - begun < seconds * 1000) requestAnimationFrame(count);
      else done();
    };
    requestAnimationFrame(count);
  });
  const passed = (performance.now() - begun) / 1000;
  const costs = window.town.costs().slice(-frames).sort((a, b) => a - b);
  return [frames / passed, costs[costs.length >> 1], costs[Math.floor(costs.length * 0.95)]];
}"""


def record(path: Path, people: int, ticks: int) -> None:
    """Record a town of so many people who act at random."""
    scenario = make_town(people).model_copy(update={"hours": ticks * 10 / 3600})
    run(RunSpec(TownConfig(scenario), policy=PolicySpec("random")), path)


@contextmanager
def serve(path: Path) -> Iterator[str]:
    """Serve the page of a run, and give its address."""
    with (
        closing(OpenRun(path)) as opened,
        ViewServer(opened, Admission("127.0.0.1", None), 0) as server,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


def open_page(browser: Browser, address: str) -> Page:
    """Return the page, when all that is recorded is loaded."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.wait_for_selector("#app[data-ready]", state="attached", timeout=120_000)
    return page


def measure(browser: Browser, address: str, views: Mapping[str, str], rounds: int) -> None:
    """Print how long the page takes to open, and how fast it plays."""
    opened = []
    for _ in range(rounds):
        page = open_page(browser, f"{address}#t=1")
        opened.append(page.evaluate("() => [window.town.painted, performance.now()]"))
        page.close()
    painted, loaded = (sorted(times)[len(times) // 2] / 1000 for times in zip(*opened, strict=True))
    print(
        f"navigation to the first picture with people: {painted:.2f} s; all loaded: {loaded:.2f} s"
    )
    print("| view | frames a second | frame, median | frame, 95 % |")
    print("|---|---|---|---|")
    for name, moment in views.items():
        page = open_page(browser, f"{address}#{moment}")
        page.wait_for_timeout(1500)
        rate, middle, most = page.evaluate(_FRAMES, _SECONDS)
        print(f"| {name} | {rate:.0f} | {middle:.1f} ms | {most:.1f} ms |")
        page.close()


def main() -> None:
    """Record, serve, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help="a run file to measure instead")
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--ticks", type=int, default=60, help="to record")
    parser.add_argument("--rounds", type=int, default=3, help="openings; their median counts")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the tick to play from")
    parser.add_argument("--speed", type=int, default=60, help="simulated seconds a second")
    args = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("There is no chromium on the path.")
    views = {
        name: f"t={args.first}&z={zoom}&play={args.speed}"
        for name, zoom in {
            "the whole town": 0,
            "a quarter, things": 10,
            "near, with names": 28,
        }.items()
    }
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = args.run or Path(folder) / "town.sqlite"
        if args.run is None:
            record(path, args.people, args.ticks)
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        with closing(browser), serve(path) as address:
            measure(browser, address, views, args.rounds)


if __name__ == "__main__":
    main()
