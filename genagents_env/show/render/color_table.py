"""The 255 colours of a GIF, chosen from some of its pictures, and each pixel's place among them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

from genagents_env.show.render.words import Pixels

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
    step = max(1, -(-sum(one.shape[0] * one.shape[1] for one in samples) // _MOST))
    packed = np.concatenate([_pack(one).reshape(-1)[::step] for one in samples])
    found, counts = np.unique(packed, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    kept, rest = found[order[:EXACT]], found[order[EXACT:]]
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
