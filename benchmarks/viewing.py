"""How much a page slows down the run that it shows while another process writes it.

One run of 25 people by rule goes on all the time. In turns nobody looks, and a page does: a process
beside serves it, and it is asked for what the page in the browser asks for, once a second. Each
pair of turns gives two ratios, of the ticks a second on the clock and of those a second of the
writer's CPU; the first is what a user notices, the second is less moved by whatever else the
machine does. Run: `python -m benchmarks.viewing` (three minutes).
"""

import argparse
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import NamedTuple

from genagents_env.config import TownConfig
from genagents_env.run import PolicySpec, Progress, RunOptions, RunSpec, run
from genagents_env.show.view.timeline import PART

_EVERY = 1.0  # seconds between two looks of the page, as in web/src/recording.ts
_TELL = 0.05  # seconds between two lines of the writer
_TARGET = 0.95


class Mark(NamedTuple):
    """How far the writer was, when, and after how much work."""

    tick: int
    wall: float
    cpu: float


class Writer:
    """A process that lives a town and records it in `path`, telling how far it is."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-m", "benchmarks.viewing", "--write", str(path)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        self.last = Mark(0, 0.0, 0.0)
        Thread(target=self._read, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            tick, wall, cpu = line.split()
            self.last = Mark(int(tick), float(wall), float(cpu))


class Page:
    """What the page asks for while it follows a run, from a process that serves it."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-m", "genagents_env.show.view.live", str(path)]
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write('{"token": null, "seats": {}, "host": "127.0.0.1"}\n')
        self._process.stdin.flush()
        self._address = self._process.stdout.readline().strip()
        self._last_tick = -1
        self.requests = 0

    def open(self) -> None:
        """Ask for all that is recorded, as the page does once."""
        for name in ("head", "town"):
            self._get(name)
        self._last_tick = json.loads(self._get("status"))["lastTick"]

    def look(self) -> None:
        """Ask how far the run is, and for what is new."""
        last_tick = json.loads(self._get("status"))["lastTick"]
        if last_tick > self._last_tick:
            for part in range(max(0, self._last_tick) // PART, last_tick // PART + 1):
                for name in ("events", "ticks", "calls"):
                    self._get(f"{name}/{part}")
            self._get("gatherings")
            self._get("story")
        self._last_tick = last_tick

    def close(self) -> None:
        """End the process that serves it."""
        self._process.communicate()

    def _get(self, name: str) -> bytes:
        self.requests += 1
        with urllib.request.urlopen(f"{self._address}data/{name}", timeout=60) as answer:  # noqa: S310
            return bytes(answer.read())


def write(path: Path) -> None:
    """Live a town for long, and print now and then how far it is."""
    told = 0.0

    def tell(moment: Progress) -> None:
        nonlocal told
        if time.monotonic() - told > _TELL:
            told = time.monotonic()
            print(moment.tick, told, time.process_time(), flush=True)

    town = TownConfig("valentines_party", start="08:00", hours=8000)
    run(
        RunSpec(town, policy=PolicySpec("scripted")), path, RunOptions(interviews=False, watch=tell)
    )


def measure(writer: Writer, page: Page | None, seconds: float) -> tuple[float, float]:
    """Return the ticks a second of the clock and a second of CPU, of a turn."""
    until = time.monotonic() + seconds
    first = writer.last
    while time.monotonic() < until:
        if page is not None:
            page.look()
        time.sleep(_EVERY)
    last = writer.last
    ticks = last.tick - first.tick
    return ticks / (last.wall - first.wall), ticks / (last.cpu - first.cpu)


def main() -> None:
    """Measure pairs of turns, the one that comes first changing, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a turn")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write is not None:
        write(options.write)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        writer = Writer(path)
        while writer.last.tick < PART:
            time.sleep(0.1)
        page = Page(path)
        page.open()
        pairs = []
        for number in range(options.pairs):
            order = (None, page) if number % 2 else (page, None)
            rates = {one is page: measure(writer, one, options.seconds) for one in order}
            pairs.append((rates[False], rates[True]))
        page.close()
        writer.close()
    print("| ticks a second of | nobody looks | a page looks | ratio | least | most |")
    print("|---|---|---|---|---|---|")
    for column, name in enumerate(("the clock", "the writer's CPU")):
        ratios = [with_page[column] / alone[column] for alone, with_page in pairs]
        alone, looked = (median(pair[k][column] for pair in pairs) for k in (0, 1))
        spread = f"{min(ratios):.2f} | {max(ratios):.2f}"
        print(f"| {name} | {alone:,.0f} | {looked:,.0f} | {median(ratios):.3f} | {spread} |")
    print(f"\n{page.requests:,} requests; at least {_TARGET} of the speed is the aim")


if __name__ == "__main__":
    main()
