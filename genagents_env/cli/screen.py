"""Text to the terminal: clean, wrapped to its width, and plain where it is not a terminal."""

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

import typer

from genagents_env.text import clean

_quiet = ContextVar("quiet", default=False)
_stdout: ContextVar[TextIO | None] = ContextVar("stdout", default=None)  # None is `sys.stdout`


def say(text: str = "", *, error: bool = False, indent: int = 0) -> None:
    """Print the lines of `text`, each cleaned; a terminal gets them wrapped between words.

    Args:
        text: may hold anything a person or a model wrote.
        error: print on stderr.
        indent: columns by which continued lines are set in.
    """
    width = find_width(error=error)
    for line in text.split("\n"):
        left = line[: len(line) - len(line.lstrip(" "))]
        safe = left + _clean_words(line)
        for part in _wrap(safe, width, indent or len(left)) if width else [safe]:
            typer.echo(part, err=error)


def say_lines(lines: Iterable[str], *, indent: int = 4) -> None:
    """Print lines, those that are too long continued `indent` columns in."""
    for line in lines:
        say(line, indent=indent)


def warn(text: str) -> None:
    """Print a sentence on stderr, behind the program's name."""
    say(f"genagents: {text}", error=True)


def set_quiet(quiet: bool) -> None:
    """Show results only from now on, no progress and no transcript; or everything again."""
    _quiet.set(quiet)


def is_quiet() -> bool:
    """Return True if only results are to be shown."""
    return _quiet.get()


@contextmanager
def reserve_stdout() -> Iterator[None]:
    """Leave stdout to `print_json`; whatever else is printed goes to stderr."""
    before = _stdout.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _stdout.reset(before)


def print_json(data: object, redact: Callable[[str], str] = str) -> None:
    """Print data as indented JSON; `redact` takes out what nobody may read."""
    typer.echo(redact(json.dumps(data, indent=2)), file=_stdout.get())


def print_steps(steps: Iterable[tuple[str, str]], width: int) -> None:
    """Print what to do next: a line for each pair of a purpose and its command."""
    for purpose, command in steps:
        say(f"  {purpose:{width}} {command}", indent=width + 3)


def find_width(*, error: bool = False) -> int:
    """Return the columns of the terminal; 0 where stdout, or stderr for an error, is none."""
    stream = sys.stderr if error else sys.stdout
    return shutil.get_terminal_size().columns if stream is not None and stream.isatty() else 0


def _clean_words(line: str) -> str:
    # `clean` makes one blank of many; columns are set by several, which it must leave alone.
    parts = re.split("( {2,})", line.strip())
    return "".join(part if part.isspace() else clean(part, 10_000) for part in parts)


def _wrap(line: str, width: int, indent: int) -> list[str]:
    left = " " * indent
    return textwrap.wrap(line, width, subsequent_indent=left, break_on_hyphens=False) or [""]


def open_browser(address: str) -> bool:
    """Open an address in the user's browser; return whether there is one.

    One that would take the terminal, as there are on machines without a screen, is not opened.
    """
    import webbrowser

    windows = sys.platform in ("win32", "darwin")
    shown = windows or any(os.environ.get(key) for key in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    try:
        return bool(shown) and webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
