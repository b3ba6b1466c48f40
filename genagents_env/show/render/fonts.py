"""The fonts of the picture: Noto where its package is installed, otherwise Pillow's own.

Fonts of the system are left alone, so that a picture looks the same on every machine.
"""

from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from genagents_env.show.render import shorten

_PACKAGE = "manimgx_fonts"  # Noto Sans and Noto Emoji, SIL Open Font License
_JOINERS = ("\u200d", "\ufe0f", "\ufe0e")  # parts of an emoji that draw nothing by themselves

AnyFont = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Fonts:
    """Fonts by size, opened once. `noto` false leaves only Pillow's own font and no emoji."""

    def __init__(self, noto: bool = True) -> None:
        spec = find_spec(_PACKAGE) if noto else None
        folder = Path(spec.origin).parent if spec is not None and spec.origin else None
        self._text = _find_file(folder, "NotoSans[wght].ttf")
        self._emoji = _find_file(folder, "NotoEmoji[wght].ttf")
        self._opened: dict[tuple[str | None, int, str], AnyFont] = {}
        self._drawable: dict[str, bool] = {}

    def text(self, size: int, weight: str = "Medium") -> AnyFont:
        """Return the text font at `size` pixels; `weight` is Regular, Medium, SemiBold or Bold."""
        return self._open(self._text, size, weight)

    def emoji(self, size: int) -> AnyFont | None:
        """Return the emoji font at `size` pixels, or None where there is none."""
        return None if self._emoji is None else self._open(self._emoji, size, "Bold")

    def drawable(self, emoji: str) -> str:
        """Return the first character of `emoji` that the font can draw, or an empty string.

        A sequence, such as a person with a profession, is reduced to that: joined emoji come
        apart at the border where text is cleaned.
        """
        if self._emoji is None:
            return ""
        return next((c for c in emoji if c not in _JOINERS and self._has(c)), "")

    def _open(self, path: str | None, size: int, weight: str) -> AnyFont:
        key = (path, size, weight)
        if key not in self._opened:
            if path is None:
                self._opened[key] = ImageFont.load_default(size)
            else:
                font = ImageFont.truetype(path, size)
                font.set_variation_by_name(weight)
                self._opened[key] = font
        return self._opened[key]

    def _has(self, sign: str) -> bool:
        if sign not in self._drawable:
            missing = self._draw_sign("\U0010fffd")
            self._drawable[sign] = self._draw_sign(sign) not in (missing, b"")
        return self._drawable[sign]

    def _draw_sign(self, sign: str) -> bytes:
        """Return the picture of `sign`, to compare with the box that stands for no picture."""
        font = self.emoji(16)
        canvas = Image.new("L", (24, 24))
        ImageDraw.Draw(canvas).text((0, 0), sign, 255, font)
        return canvas.tobytes() if canvas.getbbox() else b""


def cut_to_fit(text: str, font: AnyFont, room: float) -> str:
    """Return `text`, cut so that it takes at most `room` pixels."""
    if font.getlength(text) <= room:
        return text
    limit = len(text)
    while limit > 1 and font.getlength(shorten(text, limit)) > room:
        limit -= max(1, limit // 16)
    return shorten(text, limit) if font.getlength(shorten(text, limit)) <= room else ""


def _find_file(folder: Path | None, name: str) -> str | None:
    path = folder / name if folder is not None else None
    return str(path) if path is not None and path.is_file() else None
