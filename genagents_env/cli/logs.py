"""Logging on stderr, as much as `--verbose` or GENAGENTS_LOG ask for."""

import logging
import os
import sys
from typing import TextIO

from genagents_env.errors import ConfigError
from genagents_env.name_search import suggest_names
from genagents_env.text import clean

VARIABLE = "GENAGENTS_LOG"
_LEVELS = ("debug", "info", "warning", "error")
_LONGEST = 2000  # characters of a line


def start_logging(verbose: int) -> None:
    """Show what is logged: with `-v` what happens, with `-vv` also every model call.

    Without either the variable GENAGENTS_LOG says from which level on; without it nothing is shown.

    Raises:
        ConfigError: the variable names no level.
    """
    level = ("info", "debug")[min(verbose, 2) - 1] if verbose else _read_level()
    if level is None:
        return
    handler = _StderrHandler()
    handler.setFormatter(_LineFormatter("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("genagents_env")
    logger.handlers = [h for h in logger.handlers if not isinstance(h, _StderrHandler)]
    logger.addHandler(handler)
    logger.setLevel(level.upper())


def _read_level() -> str | None:
    level = os.environ.get(VARIABLE, "").strip().lower()
    if level and level not in _LEVELS:
        hint = suggest_names(level, _LEVELS, "levels")
        raise ConfigError(f"{VARIABLE}: {clean(level, 40)!r} is not a level; {hint}")
    return level or None


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what is stderr at that moment: a progress bar puts itself in its place."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        self.stream = sys.stderr
        super().emit(record)


class _LineFormatter(logging.Formatter):
    """Keeps one record on one clean line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return clean(super().format(record), _LONGEST)
