"""How far a sweep is: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.sweep import SweepProgress

Watch = Callable[["SweepProgress"], None]

_LINES = 20  # at most, where the output is not a terminal, for runs that are over
_QUIET_SECONDS = 60.0  # after so long without a line there is one, so that long runs show


@contextmanager
def show_progress(quiet: bool) -> Iterator[Watch | None]:
    """Give the function that a sweep reports its progress to, and clear the bar at the end."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _make_line_watch()
    else:
        with _make_bar() as bar:
            task = bar.add_task("", total=None, at="", rest="")

            def watch(now: "SweepProgress") -> None:
                over = now.finished + now.stopped + now.failed
                at = f"{now.finished} of {now.total} runs"
                bar.update(task, total=now.total, completed=over, at=at, rest=_format_progress(now))

            yield watch


@contextmanager
def show_count(title: str, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with how many of how many are done; a bar on terminals only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with _make_bar() as bar:
        task = bar.add_task("", total=None, at=title, rest="")
        yield lambda done, total: bar.update(
            task, total=total, completed=done, rest=f"{done} of {total}"
        )


def _make_bar() -> Progress:
    columns = (TextColumn("{task.fields[at]}"), BarColumn(), TextColumn("{task.fields[rest]}"))
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _make_line_watch() -> Watch:
    shown, last = 0, 0.0

    def watch(now: "SweepProgress") -> None:
        nonlocal shown, last
        over = now.finished + now.stopped + now.failed
        part = over * _LINES // max(1, now.total)
        if part > shown or now.seconds - last >= _QUIET_SECONDS:
            shown, last = part, now.seconds
            say(
                f"{now.finished} of {now.total} runs{_format_progress(now, comma=True)}", error=True
            )

    return watch


def _format_progress(now: "SweepProgress", *, comma: bool = False) -> str:
    """Return the rest of the progress, in a few words."""
    parts = [_format_running(now)] if now.running else []
    parts += [f"{count} {what}" for count, what in _count_states(now) if count]
    if now.calls:
        dollars = f", ${now.dollars:.4f}" if now.dollars else ""
        parts.append(f"{now.calls:,} calls, {now.tokens:,} tokens{dollars}")
    if now.hours_left is not None and now.finished < now.total:
        parts.append(f"{_format_hours(now.hours_left)} left")
    words = ", ".join(parts)
    return f", {words}" if comma and words else words


def _format_running(now: "SweepProgress") -> str:
    """Return how many runs are under way; of one alone which, and how far it is."""
    if len(now.running) > 1:
        return f"{len(now.running)} running"
    ((trial, run),) = now.running.items()
    at = "interviews" if run.asking else f"{run.tick:,} of {run.horizon:,} ticks"
    return f"{trial} running ({at})"


def _count_states(now: "SweepProgress") -> tuple[tuple[int, str], ...]:
    return ((now.stopped, "stopped"), (now.failed, "failed"), (now.degraded, "degraded"))


def _format_hours(hours: float) -> str:
    minutes = round(hours * 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"
