"""How far a judge is: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.judge.session import JudgingProgress, Watch

_LINES = 10  # at most, where the output is not a terminal


@contextmanager
def show_judging_progress(quiet: bool) -> "Iterator[Watch | None]":
    """Give the function to which a judge reports its progress, and clear the bar at the end."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _print_lines()
    else:
        columns = (TextColumn("judging"), BarColumn(), TextColumn("{task.fields[told]}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None, told="")
            yield lambda now: bar.update(
                task, total=now.due, completed=now.heard, told=_format_progress(now)
            )


def _print_lines() -> "Watch":
    told = 0

    def watch(now: "JudgingProgress") -> None:
        nonlocal told
        part = now.heard * _LINES // max(1, now.due)
        if part > told:
            told = part
            say(f"judging: {_format_progress(now)}", error=True)

    return watch


def _format_progress(now: "JudgingProgress") -> str:
    dollars = "" if now.dollars is None else f", ${now.dollars:.4f}"
    spent = f"{now.calls:,} calls, {now.tokens:,} tokens{dollars}"
    return f"{now.heard:,} of {now.due:,} verdicts, {spent}"
