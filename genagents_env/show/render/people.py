"""People on a picture: discs or sprites, what they do, their names, and what they say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, hypot

from PIL import Image, ImageDraw
from scipy.spatial import cKDTree

from genagents_env.name_search import shorten_names
from genagents_env.scenario.sprites import decode_sprite, open_png
from genagents_env.show.render import RenderSnapshot, make_initials
from genagents_env.show.render.canvas import INK, PAPER, Box, Boxes, find_person_color, list_around
from genagents_env.show.render.fonts import AnyFont, Fonts, cut_to_fit

IN_LINE = 3  # people at one place; more stand in rows
STAYS = 0.5  # of a bubble: covered by so much more than elsewhere, it moves in a film
NAME_STAYS = 0.25  # likewise of a name
LEGIBLE = 0.4  # of a name that may be covered; else the initials must do
Spots = Mapping[int, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class BubbleStyle:
    """The layout of the words in a bubble.

    Attributes:
        width: pixels that a line takes at most.
        lines: at most; the rest is cut.
        size: of the letters, in pixels.
    """

    width: int = 250
    lines: int = 4
    size: int = 15


class PeoplePainter:
    """Draws people and their words.

    Args:
        names: of the N people.
        fonts: to write with.
        disc: pixels that a person takes.
        sprites: the picture of each as a scenario holds it, None for their initials on a disc; so
            is one that cannot be shown.
        bubble: how words are written.
    """

    def __init__(
        self,
        names: Sequence[str],
        fonts: Fonts,
        disc: int,
        sprites: Sequence[str | None] = (),
        *,
        bubble: BubbleStyle | None = None,
    ) -> None:
        self.names, self.fonts, self.disc = tuple(names), fonts, disc
        self.short = shorten_names(self.names)
        self.sprites = [
            None if sprite is None else open_png(decode_sprite(sprite)) for sprite in sprites
        ]
        self.colors = [find_person_color(i) for i in range(len(self.names))]
        self._style = bubble if bubble is not None else BubbleStyle()
        self._discs: dict[tuple[int, bool, int], Image.Image] = {}
        # Which choice names and bubbles took, while that is kept: by person and words.
        self._places: dict[tuple[int, str], int] | None = None

    def draw(
        self,
        canvas: Image.Image,
        snapshot: RenderSnapshot,
        spots: Spots,
        boxes: Boxes,
        spoken: Sequence[tuple[int, str]],
    ) -> None:
        """Draw those who have a spot, and what they say.

        Args:
            canvas: to draw on.
            snapshot: who sleeps and what everyone does.
            spots: the middle of each person's disc, in pixels.
            boxes: what is covered; what is drawn is added.
            spoken: who says what.
        """
        half = self.disc / 2
        for i, (x, y) in spots.items():
            boxes.take((x - half, y - half, x + half, y + half))
            disc = self.draw_disc(i, bool(snapshot.asleep[i]), self.disc)
            canvas.paste(disc, (int(x - disc.width / 2), int(y - disc.height / 2)), disc)
        pen = ImageDraw.Draw(canvas)
        crowded = self._find_crowded(spots)
        for i in spots:
            if i not in crowded:
                self._emoji(pen, snapshot, i, spots[i], boxes)
        for i in spots:
            self._name(pen, i, spots[i], boxes)
        for i, words in spoken:
            if i in spots:
                self._bubble(pen, i, words, spots[i], boxes)

    def keep_places(self, keep: bool) -> None:
        """Let names and words keep their place from picture to picture, as in a film, or not."""
        self._places = {} if keep else None

    def spread(
        self, here: Sequence[int], middles: Mapping[int, tuple[float, float]]
    ) -> dict[int, tuple[float, float]]:
        """Return the spot of each person.

        Those whose middle is the same stand side by side, and many of them in rows.
        """
        sharing: dict[tuple[float, float], list[int]] = {}
        for i in here:
            sharing.setdefault(middles[i], []).append(i)
        spots: dict[int, tuple[float, float]] = {}
        for (x, y), group in sharing.items():
            across = len(group) if len(group) <= IN_LINE else ceil((len(group) * 1.5) ** 0.5)
            apart = self.disc * (0.55 if len(group) <= IN_LINE else 0.8)
            rows = [group[at : at + across] for at in range(0, len(group), across)]
            for down, row in enumerate(rows):
                for along, i in enumerate(row):
                    dx, dy = along - (len(row) - 1) / 2, down - (len(rows) - 1) / 2
                    spots[i] = (x + dx * apart, y + dy * apart)
        return spots

    def _choose_place(
        self, key: tuple[int, str], choices: Sequence[Box], boxes: Boxes, stays: float
    ) -> Box:
        """Return the box that covers least, on the canvas; in a film the one before that.

        Args:
            key: whose it is, and what is written.
            choices: in the same order in every picture.
            boxes: what is covered.
            stays: the share of its area that it may cover more than elsewhere before it moves.
        """
        moved = [boxes.inside(box) for box in choices]
        cover = [boxes.measure_cover(box) for box in moved]
        at = min(range(len(choices)), key=cover.__getitem__)
        if self._places is not None:
            before = self._places.get(key, at)
            left, top, right, bottom = moved[before]
            if cover[before] <= cover[at] + stays * (right - left) * (bottom - top):
                at = before
            self._places[key] = at
        return moved[at]

    def _find_crowded(self, spots: Spots) -> set[int]:
        """Return those among so many that an emoji beside each would hide the others."""
        if len(spots) <= IN_LINE:
            return set()
        middles = cKDTree(list(spots.values()))
        near = middles.query_ball_point(middles.data, self.disc, return_length=True)
        return {i for i, count in zip(spots, near.tolist(), strict=True) if count > IN_LINE}

    def draw_disc(self, i: int, asleep: bool, size: int) -> Image.Image:
        """Return person `i`: the sprite, or a round badge, drawn large and scaled down."""
        sprite = self.sprites[i] if i < len(self.sprites) else None
        if sprite is not None and (i, asleep, size) not in self._discs:
            self._discs[i, asleep, size] = _fit_sprite(sprite, asleep, size)
        if (i, asleep, size) not in self._discs:
            scale = 4
            large = Image.new("RGBA", (size * scale, size * scale))
            pen, edge = ImageDraw.Draw(large), size * scale - 1
            fill = tuple((c + 2 * 150) // 3 for c in self.colors[i]) if asleep else self.colors[i]
            pen.ellipse((0, 0, edge, edge), fill=(*INK, 90))
            pen.ellipse((scale, scale, edge - scale, edge - scale), fill=(255, 255, 255, 255))
            ring = scale * max(2, size // 12)
            pen.ellipse((ring, ring, edge - ring, edge - ring), fill=(*fill, 255))
            text = make_initials(self.names[i])
            font = self.fonts.text(int(size * scale * (0.46 if len(text) > 1 else 0.56)), "Bold")
            pen.text((edge / 2, edge / 2), text, (255, 255, 255), font, anchor="mm")
            self._discs[i, asleep, size] = large.resize((size, size), Image.Resampling.LANCZOS)
        return self._discs[i, asleep, size]

    def _emoji(
        self,
        pen: ImageDraw.ImageDraw,
        snapshot: RenderSnapshot,
        i: int,
        spot: tuple[float, float],
        boxes: Boxes,
    ) -> None:
        sign = self.fonts.drawable("💤" if snapshot.asleep[i] else snapshot.emoji[i])
        if not sign:
            return
        size = max(15, int(self.disc * 0.66))
        x, y = spot[0] + self.disc * 0.48, spot[1] - self.disc * 0.48
        box = boxes.take((x - size / 2, y - size / 2, x + size / 2, y + size / 2))
        pen.ellipse(box, fill=(255, 255, 255), outline=self.colors[i])
        font = self.fonts.emoji(max(10, int(size * 0.68)))
        pen.text((x, y), sign, INK, font, anchor="mm")

    def _name(
        self, pen: ImageDraw.ImageDraw, i: int, spot: tuple[float, float], boxes: Boxes
    ) -> None:
        font = self.fonts.text(max(11, min(17, int(self.disc * 0.5))), "Bold")
        text = self.short[i]
        _, above, _, below = font.getbbox("Ag")
        wide, high = font.getlength(text) + 4, below - above + 2
        (x, y), gap = spot, self.disc / 2 + 1
        choices = list_around(x, y, (gap, gap), wide, high)
        box = self._choose_place((i, ""), choices, boxes, NAME_STAYS)
        if boxes.measure_cover(box) > LEGIBLE * wide * high:
            return
        boxes.take(box)
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        pen.text(middle, text, INK, font, anchor="mm", stroke_width=2, stroke_fill=PAPER)

    def _bubble(
        self,
        pen: ImageDraw.ImageDraw,
        i: int,
        words: str,
        spot: tuple[float, float],
        boxes: Boxes,
    ) -> None:
        style, down = self._style, round(self._style.size * 1.27)
        font = self.fonts.text(style.size, "Medium")
        lines = _wrap(words, font, style.width, style.lines)
        wide = max(font.getlength(line) for line in lines) + 20
        high, step = len(lines) * down + 12, self.disc / 2 + 14
        downs = (-step - high, step + 12, -high / 2, -2 * step - high, 2 * step + 12)
        lefts = [spot[0] + dx * wide - wide / 2 for dx in (0, 0.3, -0.3, 0.65, -0.65, 0.9, -0.9)]
        choices = [
            (left, spot[1] + dy, left + wide, spot[1] + dy + high) for dy in downs for left in lefts
        ]
        box = boxes.take(self._choose_place((i, words), choices, boxes, STAYS))
        pen.polygon(_find_tail(box, spot, self.disc / 2 + 2), fill=self.colors[i])
        pen.rounded_rectangle(box, 9, fill=(255, 255, 255), outline=self.colors[i], width=2)
        for row, line in enumerate(lines):
            middle = box[1] + 6 + (row + 0.5) * down
            pen.text((box[0] + 10, middle), line, INK, font, anchor="lm")


def _find_tail(box: Box, spot: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    """Return the corners of what points from a bubble to somebody, whose disc has that radius."""
    x, y = min(max(spot[0], box[0] + 14), box[2] - 14), min(max(spot[1], box[1] + 8), box[3] - 8)
    across, down = spot[0] - x, spot[1] - y
    away = max(1.0, hypot(across, down))
    across, down = across / away, down / away
    tip = (spot[0] - across * radius, spot[1] - down * radius)
    return [(x - down * 7, y + across * 7), (x + down * 7, y - across * 7), tip]


def _fit_sprite(sprite: Image.Image, asleep: bool, size: int) -> Image.Image:
    """Return a sprite on a square of `size` pixels, as large as fits, pale for the sleeping."""
    scale = size / max(sprite.size)
    wide, high = (max(1, round(side * scale)) for side in sprite.size)
    # Pixels of small pictures stay sharp.
    how = Image.Resampling.NEAREST if scale > 1 else Image.Resampling.LANCZOS
    shown = sprite.resize((wide, high), how)
    if asleep:
        shown.putalpha(shown.getchannel("A").point(lambda alpha: alpha // 2))
    square = Image.new("RGBA", (size, size))
    square.paste(shown, ((size - wide) // 2, size - high))
    return square


def _wrap(words: str, font: AnyFont, width: int, most: int) -> list[str]:
    """Return `words` in at most `most` lines of `width` pixels, the rest cut."""
    lines, line = [], ""
    for word in words.split():
        joined = f"{line} {word}".strip()
        if font.getlength(joined) <= width or not line:
            line = joined
        else:
            lines.append(line)
            line = word
    lines.append(line)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]}…"]
    return [cut_to_fit(line, font, width) for line in lines]
