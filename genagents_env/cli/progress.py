"""How far a run is: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from genagents_env.cli.screen import say
from genagents_env.run import Progress as Moment

Watch = Callable[[Moment], None]

_LINES = 10  # at most, in a run whose output is not a terminal
_REDRAW = 0.1


@contextmanager
def show_progress(quiet: bool) -> Iterator[Watch | None]:
    """Give the function to which a run reports its progress, and clear the bar at the end."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _print_lines()
    else:
        columns = (TextColumn("{task.fields[at]}"), BarColumn(), TextColumn("{task.fields[told]}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield _draw_bar(bar)


def _draw_bar(bar: Progress) -> Watch:
    task = bar.add_task("", total=None, at="", told="")
    rate, drawn, warn = _TickRate(), 0.0, _warn_once()

    def watch(moment: Moment) -> None:
        nonlocal drawn
        rate.update(moment)
        warn(moment)
        if time.monotonic() - drawn < _REDRAW:
            return
        drawn = time.monotonic()
        at = f"{moment.time:%a %H:%M}"
        told = f"{_format_speed(moment, rate)}{_format_cost(moment)}{_format_errors(moment)}"
        done, of = moment.tick, moment.horizon
        if moment.interviews:
            done, of = moment.asked, moment.interviews
        bar.update(task, total=of, completed=done, at=at, told=told)

    return watch


def _print_lines() -> Watch:
    rate, told, warn = _TickRate(), 0, _warn_once()

    def watch(moment: Moment) -> None:
        nonlocal told
        rate.update(moment)
        warn(moment)
        part = moment.tick * _LINES // max(1, moment.horizon)
        if part > told:
            told = part
            done = f"{moment.tick:,} of {moment.horizon:,} ticks"
            speed, cost = _format_speed(moment, rate), _format_cost(moment)
            errors = _format_errors(moment)
            say(f"{moment.time:%a %H:%M} {done}, {speed}{cost}{errors}", error=True)

    return watch


def _format_speed(moment: Moment, rate: "_TickRate") -> str:
    if moment.interviews:
        return f"{moment.asked:,} of {moment.interviews:,} interviews"
    return "interviews" if moment.asking else f"{rate.per_second:,.1f} ticks/s"


def _format_cost(moment: Moment) -> str:
    if not moment.calls:
        return ""
    dollars = "" if moment.dollars is None else f", ${moment.dollars:.4f}"
    return f", {moment.calls:,} calls, {moment.tokens:,} tokens{dollars}"


def _format_errors(moment: Moment) -> str:
    count = moment.policy_errors
    return f", {count:,} policy error{'' if count == 1 else 's'}" if count else ""


def _warn_once() -> Watch:
    """Return what tells of the first error of a policy as it happens."""
    told = False

    def warn(moment: Moment) -> None:
        nonlocal told
        if moment.policy_error and not told:
            told = True
            say(
                f"genagents: DEGRADED: {moment.policy_error}; who has no decision idles, and the "
                "run goes on (--strict stops it)",
                error=True,
            )

    return warn


class _TickRate:
    """Ticks a second since the first one reported; interviews are not counted."""

    def __init__(self) -> None:
        self._since, self._first, self._last = 0.0, -1, -1

    def update(self, moment: Moment) -> None:
        """Store how far the run is."""
        if moment.asking:
            return
        if self._first < 0:
            self._since, self._first = time.monotonic(), moment.tick
        self._last = moment.tick

    @property
    def per_second(self) -> float:
        return (self._last - self._first) / max(1e-9, time.monotonic() - self._since)
