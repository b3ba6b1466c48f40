"""Progress of a command: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from genagents_env.cli.screen import is_quiet, say, warn

if TYPE_CHECKING:
    from genagents_env.run import Progress as RunProgress
    from genagents_env.study.judge.session import JudgingResult
    from genagents_env.study.sweep import SweepProgress

T = TypeVar("T")

_LINES = 10  # at most, where the output is not a terminal
_SWEEP_LINES = 20  # for runs that are over
_QUIET_SECONDS = 60.0  # after so long without a line there is one, so that long runs show
_REDRAW = 0.1


@dataclass(frozen=True, slots=True)
class _Now:
    """How far a command is.

    Attributes:
        done: of `total`; the length of the bar.
        total: None where it is not known.
        at: words before the bar.
        rest: words behind it.
        line: the words where there is no terminal.
        due: number of lines that should have been printed by now.
    """

    done: int
    total: int | None
    at: str
    rest: str
    line: str
    due: int


@contextmanager
def show_progress(quiet: bool = False) -> "Iterator[Callable[[RunProgress], None] | None]":
    """Give the function to which a run reports its progress, and clear the bar at the end."""
    first, warned = (0.0, 0), False  # when the first tick was reported, and which

    def describe(now: "RunProgress") -> _Now:
        nonlocal first, warned
        if not now.asking:
            first = first if first[0] else (time.monotonic(), now.tick)
        if now.policy_error and not warned:
            warned = True
            warn(
                f"DEGRADED: {now.policy_error}; who has no decision idles, and the run goes on "
                "(--strict stops it)"
            )
        at, rest = f"{now.time:%a %H:%M}", _format_run(now, *first)
        done, total = (now.asked, now.interviews) if now.interviews else (now.tick, now.horizon)
        line = f"{at} {now.tick:,} of {now.horizon:,} ticks, {rest}"
        return _Now(done, total, at, rest, line, now.tick * _LINES // max(1, now.horizon))

    with _show(quiet, describe) as watch:
        yield watch


@contextmanager
def show_judging_progress(
    quiet: bool = False,
) -> "Iterator[Callable[[JudgingResult], None] | None]":
    """Give the function to which a judge reports its progress, and clear the bar at the end."""

    def describe(now: "JudgingResult") -> _Now:
        heard = now.given + now.unusable
        spent = _format_spent(now.spent.calls, now.spent.tokens, now.spent.dollars or None)
        rest = f"{heard:,} of {now.asked:,} verdicts, {spent}"
        due = heard * _LINES // max(1, now.asked)
        return _Now(heard, now.asked, "judging", rest, f"judging: {rest}", due)

    with _show(quiet, describe) as watch:
        yield watch


@contextmanager
def show_sweep_progress(runs: str = "runs") -> "Iterator[Callable[[SweepProgress], None] | None]":
    """Give the function to which a sweep reports its progress, and clear the bar at the end.

    Args:
        runs: the word for what is counted: "pilot runs" of a dry run.
    """

    def describe(now: "SweepProgress") -> _Now:
        over = now.finished + now.stopped + now.failed
        at, rest = f"{now.finished} of {now.total} {runs}", _format_sweep(now)
        line = ", ".join(filter(None, (at, rest)))
        return _Now(over, now.total, at, rest, line, over * _SWEEP_LINES // max(1, now.total))

    with _show(False, describe, lambda now: now.seconds) as watch:
        yield watch


@contextmanager
def show_count(title: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function to call with how many of how many are done; a bar on terminals only."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with _open_bar() as bar:
        task = bar.add_task("", total=None, at=title, rest="")
        yield lambda done, total: bar.update(
            task, total=total, completed=done, rest=f"{done} of {total}"
        )


@contextmanager
def _show(
    quiet: bool, describe: Callable[[T], _Now], clock: Callable[[T], float] = lambda now: 0.0
) -> Iterator[Callable[[T], None] | None]:
    """Give the function to which progress is reported: a bar on a terminal, else lines.

    Args:
        quiet: show nothing, as with --quiet.
        describe: turns a report into words.
        clock: seconds at a report; a line is also due after _QUIET_SECONDS without one.
    """
    if quiet or is_quiet():
        yield None
    elif sys.stderr.isatty():
        with _open_bar() as bar:
            yield _draw_on(bar, describe)
    else:
        printed, last = 0, 0.0

        def watch(report: T) -> None:
            nonlocal printed, last
            now, seconds = describe(report), clock(report)
            if now.due > printed or seconds - last >= _QUIET_SECONDS:
                printed, last = now.due, seconds
                say(now.line, error=True)

        yield watch


def _open_bar() -> Progress:
    columns = (TextColumn("{task.fields[at]}"), BarColumn(), TextColumn("{task.fields[rest]}"))
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _draw_on(bar: Progress, describe: Callable[[T], _Now]) -> Callable[[T], None]:
    task, drawn = bar.add_task("", total=None, at="", rest=""), 0.0

    def watch(report: T) -> None:
        nonlocal drawn
        now = describe(report)
        if time.monotonic() - drawn >= _REDRAW:
            drawn = time.monotonic()
            bar.update(task, total=now.total, completed=now.done, at=now.at, rest=now.rest)

    return watch


def _format_run(now: "RunProgress", since: float, tick: int) -> str:
    rate = (now.tick - tick) / max(1e-9, time.monotonic() - since)
    speed = "interviews" if now.asking else f"{rate:,.1f} ticks/s"
    parts = [f"{now.asked:,} of {now.interviews:,} interviews" if now.interviews else speed]
    if now.calls:
        parts.append(_format_spent(now.calls, now.tokens, now.dollars))
    if now.policy_errors:
        parts.append(f"{now.policy_errors:,} policy error{'' if now.policy_errors == 1 else 's'}")
    return ", ".join(parts)


def _format_spent(calls: int, tokens: int, dollars: object) -> str:
    price = "" if dollars is None else f", ${dollars:.4f}"
    return f"{calls:,} calls, {tokens:,} tokens{price}"


def _format_sweep(now: "SweepProgress") -> str:
    parts = [_format_running(now)] if now.running else []
    counts = {"stopped": now.stopped, "failed": now.failed, "degraded": now.degraded}
    parts += [f"{count} {state}" for state, count in counts.items() if count]
    if now.calls:
        parts.append(_format_spent(now.calls, now.tokens, now.dollars or None))
    if now.hours_left is not None and now.finished < now.total:
        parts.append(f"{format_hours(now.hours_left)} left")
    return ", ".join(parts)


def _format_running(now: "SweepProgress") -> str:
    """Count the runs under way; of a single one return its name, and how far it is."""
    if len(now.running) > 1:
        return f"{len(now.running)} running"
    ((trial, run),) = now.running.items()
    at = "interviews" if run.asking else f"{run.tick:,} of {run.horizon:,} ticks"
    return f"{trial} running ({at})"


def format_hours(hours: float) -> str:
    """Return hours in words, to the minute."""
    minutes = round(hours * 60)
    if minutes < 1:
        return "less than a minute"
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"
