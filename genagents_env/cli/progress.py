"""How far a run is: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from genagents_env.cli.screen import say
from genagents_env.rollout import Progress as Moment

Watch = Callable[[Moment], None]

_LINES = 10  # at most, in a run whose output is not a terminal
_REDRAW = 0.1


@contextmanager
def watching(quiet: bool) -> Iterator[Watch | None]:
    """Give the function that a run tells its progress, and clear the bar at the end."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _lines()
    else:
        columns = (TextColumn("{task.fields[at]}"), BarColumn(), TextColumn("{task.fields[told]}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield _bar(bar)


def _bar(bar: Progress) -> Watch:
    task = bar.add_task("", total=None, at="", told="")
    rate, drawn = _Rate(), 0.0

    def watch(moment: Moment) -> None:
        nonlocal drawn
        rate.tick()
        if time.monotonic() - drawn < _REDRAW:
            return
        drawn = time.monotonic()
        at = f"{moment.time:%a %H:%M}"
        told = f"{rate.per_second:,.1f} ticks/s{_cost(moment)}"
        bar.update(task, total=moment.horizon, completed=moment.tick, at=at, told=told)

    return watch


def _lines() -> Watch:
    rate, told = _Rate(), 0

    def watch(moment: Moment) -> None:
        nonlocal told
        rate.tick()
        part = moment.tick * _LINES // max(1, moment.horizon)
        if part > told:
            told = part
            done = f"{moment.tick:,} of {moment.horizon:,} ticks"
            speed = f"{rate.per_second:,.1f} ticks/s"
            say(f"{moment.time:%a %H:%M} {done}, {speed}{_cost(moment)}", error=True)

    return watch


def _cost(moment: Moment) -> str:
    if not moment.calls:
        return ""
    dollars = "" if moment.dollars is None else f", ${moment.dollars:.4f}"
    return f", {moment.calls:,} calls, {moment.tokens:,} tokens{dollars}"


class _Rate:
    """Ticks a second since this process began to live them."""

    def __init__(self) -> None:
        self._since, self._ticks = time.monotonic(), 0

    def tick(self) -> None:
        self._ticks += 1

    @property
    def per_second(self) -> float:
        return self._ticks / max(1e-9, time.monotonic() - self._since)
