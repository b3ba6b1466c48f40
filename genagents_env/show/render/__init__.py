"""Showing one tick: a text frame in `ansi`, a picture in `picture`. Both read data, no world.

Pillow is imported by `picture` and what it uses, never by this module or `ansi`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt


class RenderSnapshot(Protocol):
    """The town at one tick, to be drawn: N people and the objects of its plan."""

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode."""

    @property
    def time(self) -> datetime:
        """Local town time."""

    @property
    def x(self) -> npt.NDArray[np.integer]:
        """Columns, shape (N,), in tiles."""

    @property
    def y(self) -> npt.NDArray[np.integer]:
        """Rows, shape (N,), in tiles, downwards."""

    @property
    def arena(self) -> npt.NDArray[np.integer]:
        """Arena indices of the plan, shape (N,)."""

    @property
    def asleep(self) -> npt.NDArray[np.bool_]:
        """True for those asleep, shape (N,)."""

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """True for those in the town, shape (N,)."""

    @property
    def doing(self) -> Sequence[str]:
        """The activity of each of the N people."""

    @property
    def emoji(self) -> Sequence[str]:
        """The same as an emoji; empty where there is none."""

    @property
    def object_states(self) -> Sequence[str]:
        """The state of each object, in the plan's order."""

    @property
    def spoken(self) -> Sequence[tuple[int, str]]:
        """Words said at this tick: (index of the speaker, words)."""


def format_clock(moment: datetime) -> str:
    """Return a moment as both renderings show it, such as `Mon 13 Feb 2023, 08:05:10`."""
    return moment.strftime("%a %d %b %Y, %H:%M:%S")


def make_initials(name: str) -> str:
    """Return one or two letters that stand for a name: its first word's and its last word's."""
    words = name.replace("_", " ").split() or ["?"]
    return words[0][0].upper() + (words[-1][0].upper() if len(words) > 1 else "")


def shorten(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, with an ellipsis where it was cut."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + "…"
