"""Films as GIF: one table of colours for all frames, and of each frame only what has changed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
from PIL import GifImagePlugin, Image

from genagents_env.show.render.film import FilmFrame, Pixels

EXACT, COLORS = 96, 255  # colours kept as they are, and in all
_MOST = 4_000_000  # pixels that are looked at
_BLOCK = 4096  # colours compared at once
Indices = npt.NDArray[np.uint8]
Packed = npt.NDArray[np.uint32]


class ColorTable:
    """Colours for pictures like the samples.

    What is most frequent in them is kept exactly. Of the rest small things count for more than by
    the room they take: the disc of a person as well as a lawn.

    Attributes:
        colors: shape (255, 3).
    """

    def __init__(self, samples: Sequence[Pixels]) -> None:
        self.colors = _choose_colors(samples)
        self._index = np.zeros(1 << 24, np.uint8)  # of each colour, once it is known
        self._known = np.zeros(1 << 24, np.bool_)

    def find_indices(self, pixels: Pixels) -> Indices:
        """Return the index of the nearest colour of each pixel, shape (height, width)."""
        packed = _pack(pixels)
        new = packed[~self._known[packed]]
        if len(new):
            new = np.unique(new)
            for part in np.split(new, range(_BLOCK, len(new), _BLOCK)):
                away = _unpack(part)[:, None].astype(np.int32) - self.colors
                self._index[part] = (away**2).sum(axis=2).argmin(axis=1)
            self._known[new] = True
        return self._index[packed]


def _choose_colors(samples: Sequence[Pixels]) -> Pixels:
    step = max(1, -(-sum(sample.shape[0] * sample.shape[1] for sample in samples) // _MOST))
    packed = np.concatenate([_pack(sample).reshape(-1)[::step] for sample in samples])
    distinct, counts = np.unique(packed, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    kept, rest = distinct[order[:EXACT]], distinct[order[EXACT:]]
    colors = _unpack(kept)
    if len(rest):
        weights = np.ceil(np.sqrt(counts[order[EXACT:]])).astype(np.int64)
        line = Image.fromarray(_unpack(np.repeat(rest, weights))[None])
        mixed = line.quantize(COLORS - EXACT, Image.Quantize.MEDIANCUT).getpalette() or []
        colors = np.concatenate([colors, np.array(mixed, np.uint8).reshape(-1, 3)])[:COLORS]
    return np.concatenate([colors, np.repeat(colors[:1], COLORS - len(colors), axis=0)])


def _pack(pixels: Pixels) -> Packed:
    packed: Packed = pixels[..., 2].astype(np.uint32)
    packed |= pixels[..., 1].astype(np.uint32) << 8
    packed |= pixels[..., 0].astype(np.uint32) << 16
    return packed


def _unpack(packed: Packed) -> Pixels:
    return np.stack([packed >> 16 & 255, packed >> 8 & 255, packed & 255], axis=-1).astype(np.uint8)


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
