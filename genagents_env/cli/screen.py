"""Text to the terminal: clean, wrapped to its width, and plain where it is not a terminal."""

import re
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import typer

from genagents_env.text import clean

if TYPE_CHECKING:
    from genagents_env.record import Degradation, PromptCuts


def warn(text: str) -> None:
    """Print a sentence on stderr, behind the program's name."""
    say(f"genagents: {text}", error=True)


def say(text: str = "", *, error: bool = False, indent: int = 0) -> None:
    """Print the lines of `text`, each cleaned; a terminal gets them wrapped.

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


def find_width(*, error: bool = False) -> int:
    """Return the columns of the terminal; 0 where stdout, or stderr for an error, is none."""
    stream = sys.stderr if error else sys.stdout
    return shutil.get_terminal_size().columns if stream is not None and stream.isatty() else 0


def print_degradation(found: "Degradation") -> None:
    """Print on stderr why a run is degraded; nothing where it is not."""
    from genagents_env.evaluate.run_text import describe_degradation

    for line in describe_degradation(found):
        say(f"genagents: {line}", error=True)


def print_cuts(found: "PromptCuts") -> None:
    """Print on stderr what too many prompts had no room for; nothing where they had."""
    from genagents_env.evaluate.run_text import describe_cuts

    for line in describe_cuts(found):
        say(f"genagents: {line}", error=True)


def _clean_words(line: str) -> str:
    # `clean` makes one blank of many; columns are set by several, which it must leave alone.
    parts = re.split("( {2,})", line.strip())
    return "".join(part if part.isspace() else clean(part, 10_000) for part in parts)


def _wrap(line: str, width: int, indent: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=" " * indent) or [""]
