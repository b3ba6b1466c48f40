"""How far a command is: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from genagents_env.cli.screen import say, warn

if TYPE_CHECKING:
    from genagents_env.judge.session import JudgingProgress
    from genagents_env.run import Progress as RunProgress
    from genagents_env.sweep import SweepProgress

T = TypeVar("T")
Now: TypeAlias = tuple[int, int | None, str, str]  # done, of how many, before the bar, behind it

_LINES = 10  # at most, where the output is not a terminal
_SWEEP_LINES = 20  # for runs that are over
_QUIET_SECONDS = 60.0  # after so long without a line there is one, so that long runs show
_REDRAW = 0.1


@contextmanager
def show_progress(quiet: bool) -> "Iterator[Callable[[RunProgress], None] | None]":
    """Give the function to which a run reports its progress, and clear the bar at the end."""
    rate, warned = _TickRate(), False

    def describe(now: "RunProgress") -> Now:
        nonlocal warned
        rate.update(now)
        if now.policy_error and not warned:
            warned = True
            warn(
                f"DEGRADED: {now.policy_error}; who has no decision idles, and the run goes on "
                "(--strict stops it)"
            )
        rest = f"{_format_speed(now, rate)}{_format_cost(now)}{_format_errors(now)}"
        if now.interviews:
            return now.asked, now.interviews, f"{now.time:%a %H:%M}", rest
        return now.tick, now.horizon, f"{now.time:%a %H:%M}", rest

    def line(now: "RunProgress") -> str:
        _, _, at, rest = describe(now)
        return f"{at} {now.tick:,} of {now.horizon:,} ticks, {rest}"

    def count_parts(now: "RunProgress") -> int:
        describe(now)
        return now.tick * _LINES // max(1, now.horizon)

    with _show(quiet, describe, line, count_parts) as watch:
        yield watch


@contextmanager
def show_judging_progress(quiet: bool) -> "Iterator[Callable[[JudgingProgress], None] | None]":
    """Give the function to which a judge reports its progress, and clear the bar at the end."""

    def describe(now: "JudgingProgress") -> Now:
        return now.heard, now.due, "judging", _format_judging(now)

    def line(now: "JudgingProgress") -> str:
        return f"judging: {_format_judging(now)}"

    def count_parts(now: "JudgingProgress") -> int:
        return now.heard * _LINES // max(1, now.due)

    with _show(quiet, describe, line, count_parts) as watch:
        yield watch


@contextmanager
def show_sweep_progress(quiet: bool) -> "Iterator[Callable[[SweepProgress], None] | None]":
    """Give the function to which a sweep reports its progress, and clear the bar at the end."""
    last = 0.0

    def describe(now: "SweepProgress") -> Now:
        over = now.finished + now.stopped + now.failed
        return over, now.total, f"{now.finished} of {now.total} runs", _format_sweep(now)

    def line(now: "SweepProgress") -> str:
        nonlocal last
        last = now.seconds
        return ", ".join(filter(None, describe(now)[2:]))

    def count_parts(now: "SweepProgress") -> int:
        over = describe(now)[0]
        return over * _SWEEP_LINES // max(1, now.total)

    def is_late(now: "SweepProgress") -> bool:
        return now.seconds - last >= _QUIET_SECONDS

    with _show(quiet, describe, line, count_parts, is_late) as watch:
        yield watch


@contextmanager
def show_count(title: str, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with how many of how many are done; a bar on terminals only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with _open_bar() as bar:
        task = bar.add_task("", total=None, at=title, rest="")
        yield lambda done, total: bar.update(
            task, total=total, completed=done, rest=f"{done} of {total}"
        )


@contextmanager
def _show(
    quiet: bool,
    describe: Callable[[T], Now],
    line: Callable[[T], str],
    count_parts: Callable[[T], int],
    is_late: Callable[[T], bool] = lambda now: False,
) -> Iterator[Callable[[T], None] | None]:
    """Give the function to which progress is reported.

    Args:
        quiet: show nothing.
        describe: what the bar of a terminal shows.
        line: what is printed elsewhere.
        count_parts: how many of the lines are due.
        is_late: whether a line is due for the time since the last.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _open_bar() as bar:
            yield _draw_on(bar, describe)
    else:
        printed = 0

        def watch(now: T) -> None:
            nonlocal printed
            parts = count_parts(now)
            if parts > printed or is_late(now):
                printed = parts
                say(line(now), error=True)

        yield watch


def _open_bar() -> Progress:
    columns = (TextColumn("{task.fields[at]}"), BarColumn(), TextColumn("{task.fields[rest]}"))
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _draw_on(bar: Progress, describe: Callable[[T], Now]) -> Callable[[T], None]:
    task, drawn = bar.add_task("", total=None, at="", rest=""), 0.0

    def watch(now: T) -> None:
        nonlocal drawn
        done, total, at, rest = describe(now)
        if time.monotonic() - drawn >= _REDRAW:
            drawn = time.monotonic()
            bar.update(task, total=total, completed=done, at=at, rest=rest)

    return watch


def _format_speed(now: "RunProgress", rate: "_TickRate") -> str:
    if now.interviews:
        return f"{now.asked:,} of {now.interviews:,} interviews"
    return "interviews" if now.asking else f"{rate.per_second:,.1f} ticks/s"


def _format_cost(now: "RunProgress") -> str:
    return f", {_format_spent(now.calls, now.tokens, now.dollars)}" if now.calls else ""


def _format_spent(calls: int, tokens: int, dollars: object) -> str:
    price = "" if dollars is None else f", ${dollars:.4f}"
    return f"{calls:,} calls, {tokens:,} tokens{price}"


def _format_errors(now: "RunProgress") -> str:
    count = now.policy_errors
    return f", {count:,} policy error{'' if count == 1 else 's'}" if count else ""


def _format_judging(now: "JudgingProgress") -> str:
    spent = _format_spent(now.calls, now.tokens, now.dollars)
    return f"{now.heard:,} of {now.due:,} verdicts, {spent}"


def _format_sweep(now: "SweepProgress") -> str:
    """Return the rest of a sweep's progress, in a few words."""
    parts = [_format_running(now)] if now.running else []
    for count, state in (
        (now.stopped, "stopped"),
        (now.failed, "failed"),
        (now.degraded, "degraded"),
    ):
        parts += [f"{count} {state}"] if count else []
    if now.calls:
        parts.append(_format_spent(now.calls, now.tokens, now.dollars or None))
    if now.hours_left is not None and now.finished < now.total:
        parts.append(f"{_format_hours(now.hours_left)} left")
    return ", ".join(parts)


def _format_running(now: "SweepProgress") -> str:
    """Return how many runs are under way; of a single one which, and how far it is."""
    if len(now.running) > 1:
        return f"{len(now.running)} running"
    ((trial, run),) = now.running.items()
    at = "interviews" if run.asking else f"{run.tick:,} of {run.horizon:,} ticks"
    return f"{trial} running ({at})"


def _format_hours(hours: float) -> str:
    minutes = round(hours * 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"


class _TickRate:
    """Ticks a second since the first one reported; interviews are not counted."""

    def __init__(self) -> None:
        self._since, self._first, self._last = 0.0, -1, -1

    def update(self, now: "RunProgress") -> None:
        """Store how far the run is."""
        if now.asking:
            return
        if self._first < 0:
            self._since, self._first = time.monotonic(), now.tick
        self._last = now.tick

    @property
    def per_second(self) -> float:
        return (self._last - self._first) / max(1e-9, time.monotonic() - self._since)
