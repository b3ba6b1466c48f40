"""Showing one tick: a text frame in `ansi`, a picture in `picture`. Both read data, no world.

Pillow is imported by `picture` and what it uses, never by this module or `ansi`.
"""

from datetime import datetime
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.world.snapshot import Snapshot

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]


class RecordedTick(NamedTuple):
    """The town at a recorded tick, immutable; N people, and the objects of the plan.

    `x`, `y`: tiles; `arena`: indices of the plan; `object_states`: in the plan's order; `spoken`:
    (index of the speaker, words) of this tick.
    """

    tick: int
    time: datetime
    x: Ints
    y: Ints
    arena: Ints
    asleep: Bools
    present: Bools
    doing: tuple[str, ...]
    emoji: tuple[str, ...]
    object_states: tuple[str, ...]
    spoken: tuple[tuple[int, str], ...]


# The town at one tick, to be drawn: of a world, or rebuilt from a record.
RenderSnapshot: TypeAlias = Snapshot | RecordedTick


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
