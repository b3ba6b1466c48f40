"""Films as GIF: one table of colours for all frames, and of each frame only what has changed."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
from PIL import GifImagePlugin, Image

from genagents_env.show.render.color_table import COLORS, ColorTable, Indices
from genagents_env.show.render.words import FilmFrame

SAME = COLORS  # the index that says "as before"
_SCREEN = b"GIF89a%b%b\xf7\x00\x00"  # with a table of 256 colours for all frames
_LOOP = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # for ever
_LONGEST = 0xFFFF  # hundredths of a second that a frame can last


def write_gif(frames: Iterable[FilmFrame], table: ColorTable, file: BinaryIO) -> None:
    """Write a film, frame by frame as they come; it runs again and again.

    Args:
        frames: at least one, all as large.
        table: for all of them.
        file: open for writing.
    """
    colors, begun = table.colors.tobytes().ljust(768, b"\0"), False
    for part, offset, hundredths in _find_changes(frames, table):
        if not begun:
            high, wide = part.shape
            file.write(_SCREEN % (wide.to_bytes(2, "little"), high.to_bytes(2, "little")))
            file.write(colors + _LOOP)
            begun = True
        image = Image.fromarray(part)
        image.putpalette(colors)
        how = {"duration": hundredths * 10, "transparency": SAME, "disposal": 1}
        file.writelines(GifImagePlugin.getdata(image, offset, **how))
    file.write(b";")


def _find_changes(
    frames: Iterable[FilmFrame], table: ColorTable
) -> Iterator[tuple[Indices, tuple[int, int], int]]:
    """Yield what each frame changes, from which corner on, and how long it is shown then.

    Frames that change nothing make the one before last longer.
    """
    before: Indices | None = None
    waiting: tuple[Indices, tuple[int, int]] | None = None
    begin = now = 0.0
    for frame in frames:
        after = table.find_indices(frame.pixels)
        change = _cut_change(before, after)
        if change is not None:
            if waiting is not None:
                yield *waiting, _count_hundredths(begin, now)
            waiting, begin, before = change, now, after
        now += frame.seconds
    if waiting is not None:
        yield *waiting, _count_hundredths(begin, now)


def _cut_change(before: Indices | None, after: Indices) -> tuple[Indices, tuple[int, int]] | None:
    """Return the smallest part that holds every change, and its corner; None without a change."""
    if before is None:
        return after, (0, 0)
    changed = before != after
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not len(rows):
        return None
    top, low, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    part = np.where(changed[top:low, left:right], after[top:low, left:right], np.uint8(SAME))
    return part, (int(left), int(top))


def _count_hundredths(begin: float, end: float) -> int:
    return min(_LONGEST, max(2, round(end * 100) - round(begin * 100)))
