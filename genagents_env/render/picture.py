"""One tick as a picture: the town from above, its people, what they do and what they say."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from genagents_env.render import RenderSnapshot, format_clock, make_initials, shorten
from genagents_env.render.boxes import Box, Boxes
from genagents_env.render.canvas import FAINT, INK, NIGHT, PAPER
from genagents_env.render.fonts import AnyFont, Fonts
from genagents_env.render.ground import GroundImage
from genagents_env.render.palette import find_person_color
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.sprites import decode_sprite, open_png

MAP_WIDTH, MAP_HEIGHT = 1800, 1500  # pixels the map may take
SMALLEST, LARGEST = 10, 48  # pixels a tile
HEADER, SIDE = 54, 380
Positions = npt.NDArray[np.integer] | npt.NDArray[np.floating]


class Picture:
    """Draws the ticks of one town.

    The picture is a header with title and clock, the map, and beside it a list of the people.
    Its size depends on the plan alone, so that the frames of an episode make a film.

    Args:
        plan: the town.
        names: of the N people, in the snapshots' order.
        title: shown in the header.
        tile: pixels a tile; None chooses by the size of the town.
        fonts: None takes the Noto fonts where installed.
        sprites: the picture of each of the N people as a scenario holds it, None for their
            initials on a disc; so is one that cannot be shown.
    """

    def __init__(
        self,
        plan: TownPlan,
        names: Sequence[str],
        *,
        title: str = "",
        tile: int | None = None,
        fonts: Fonts | None = None,
        sprites: Sequence[str | None] = (),
    ) -> None:
        self.plan, self.names, self.title = plan, tuple(names), title
        self.sprites = [None if one is None else open_png(decode_sprite(one)) for one in sprites]
        self.fonts = fonts if fonts is not None else Fonts()
        fitting = min(MAP_WIDTH // plan.width, MAP_HEIGHT // plan.height)
        self.tile = tile if tile is not None else max(SMALLEST, min(LARGEST, fitting))
        self.ground = GroundImage(plan, self.tile, self.fonts)
        wide, high = self.ground.image.size
        rows = min(len(self.names), 12)
        self.size = (wide + SIDE, HEADER + max(high, 24 + rows * 44))
        self.disc = max(20, min(40, int(self.tile * 1.15)))
        self.colors = [find_person_color(i) for i in range(len(self.names))]
        self._discs: dict[tuple[int, bool, int], Image.Image] = {}

    def draw(
        self, snapshot: RenderSnapshot, positions: Positions | None = None
    ) -> npt.NDArray[np.uint8]:
        """Return the tick as an RGB picture, shape (height, width, 3).

        Args:
            snapshot: of the tick.
            positions: columns and rows of everyone, shape (N, 2), which may lie between two tiles
                (`motion.Motion`); None stands them on their tiles.
        """
        if positions is None:
            positions = np.stack([snapshot.x, snapshot.y], axis=1)
        canvas = Image.new("RGB", self.size, PAPER)
        shade = _night(snapshot.time)
        ground = self.ground.image
        if shade:
            ground = Image.blend(ground, Image.new("RGB", ground.size, NIGHT), shade)
        canvas.paste(ground, (0, HEADER))
        here = np.flatnonzero(snapshot.present).tolist()
        self._header(canvas, snapshot, here)
        self._people(canvas, snapshot, here, positions)
        self._list(canvas, snapshot, here)
        return np.asarray(canvas).copy()

    def _header(self, canvas: Image.Image, snapshot: RenderSnapshot, here: Sequence[int]) -> None:
        pen, (wide, _) = ImageDraw.Draw(canvas), self.size
        pen.rectangle((0, 0, wide, HEADER - 1), fill=INK)
        big, small = self.fonts.text(24, "Bold"), self.fonts.text(15, "Medium")
        time, middle = format_clock(snapshot.time), HEADER / 2
        room = wide - 40 - big.getlength(time)
        title = _cut_to_fit(self.title, big, room)
        pen.text((16, middle), title, (255, 255, 255), big, anchor="lm")
        pen.text((wide - 16, middle), time, (255, 226, 160), big, anchor="rm")
        asleep = int(np.count_nonzero(snapshot.asleep[here])) if here else 0
        line = f"{len(here)} in town, {asleep} asleep · tick {snapshot.tick}"
        if big.getlength(title) + small.getlength(line) + 40 < room:
            left = 36 + big.getlength(title) if title else 16
            pen.text((left, middle + 1), line, (200, 196, 204), small, anchor="lm")

    def _people(
        self,
        canvas: Image.Image,
        snapshot: RenderSnapshot,
        here: Sequence[int],
        positions: Positions,
    ) -> None:
        boxes = Boxes(self.ground.image.width, self.ground.image.height + HEADER, HEADER)
        spots = self._spots(positions, here)
        half = self.disc / 2
        for i in here:
            x, y = spots[i]
            boxes.take((x - half, y - half, x + half, y + half))
            disc = self._disc(i, bool(snapshot.asleep[i]), self.disc)
            canvas.paste(disc, (int(x - disc.width / 2), int(y - disc.height / 2)), disc)
        pen = ImageDraw.Draw(canvas)
        for i in here:
            self._emoji(pen, snapshot, i, spots[i], boxes)
        for i in here:
            self._name(pen, i, spots[i], boxes)
        for i, words in snapshot.spoken:
            if i in spots:
                self._bubble(pen, i, words, spots[i], boxes)

    def _spots(
        self,
        positions: Positions,
        here: Sequence[int],
    ) -> dict[int, tuple[float, float]]:
        """Return the centre of each person's disc; those at one place stand side by side."""
        at = positions.tolist()
        sharing: dict[tuple[float, float], list[int]] = {}
        for i in here:
            sharing.setdefault((at[i][0], at[i][1]), []).append(i)
        spots: dict[int, tuple[float, float]] = {}
        for (x, y), group in sharing.items():
            for place, i in enumerate(group):
                shift = (place - (len(group) - 1) / 2) * self.disc * 0.55
                spots[i] = ((x + 0.5) * self.tile + shift, HEADER + (y + 0.5) * self.tile)
        return spots

    def _disc(self, i: int, asleep: bool, size: int) -> Image.Image:
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
        text = self.names[i].split()[0]
        wide, high = font.getlength(text) + 4, _line(font)
        (x, y), gap = spot, self.disc / 2 + 1
        box = boxes.best(
            (x + dx - wide / 2, y + dy - high / 2, x + dx + wide / 2, y + dy + high / 2)
            for dx, dy in (
                (0, gap + high / 2),
                (0, -gap - high / 2),
                (gap + wide / 2, 0),
                (-gap - wide / 2, 0),
            )
        )
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
        font = self.fonts.text(15, "Medium")
        lines = _wrap(words, font, 250, 4)
        wide = max(font.getlength(line) for line in lines) + 20
        high, step = len(lines) * 19 + 12, self.disc / 2 + 14
        (x, y), box = spot, (0.0, 0.0, wide, float(high))
        box = boxes.best(
            _at(box, x + dx * wide - wide / 2, y + dy)
            for dy in (-step - high, step + 12, -high / 2, -2 * step - high, 2 * step + 12)
            for dx in (0.0, 0.3, -0.3, 0.65, -0.65, 0.9, -0.9)
        )
        foot = min(max(x, box[0] + 14), box[2] - 14)
        edge = box[3] - 2 if box[3] < y else box[1] + 2 if box[1] > y else (box[1] + box[3]) / 2
        tip = (x, y - self.disc / 2 - 2 if edge < y else y + self.disc / 2 + 2)
        pen.polygon(((foot - 7, edge), (foot + 7, edge), tip), fill=self.colors[i])
        pen.rounded_rectangle(box, 9, fill=(255, 255, 255), outline=self.colors[i], width=2)
        for row, line in enumerate(lines):
            pen.text((box[0] + 10, box[1] + 15.5 + row * 19), line, INK, font, anchor="lm")

    def _list(self, canvas: Image.Image, snapshot: RenderSnapshot, here: Sequence[int]) -> None:
        """Write beside the map who is where, doing what."""
        pen, left, high = ImageDraw.Draw(canvas), self.ground.image.width, self.size[1]
        pen.line((left, HEADER, left, high), fill=(214, 206, 194), width=2)
        row = min(44, max(18, (high - HEADER - 24) // max(1, len(here))))
        shown = here[: (high - HEADER - 24) // row]
        for place, i in enumerate(shown):
            top = HEADER + 12 + place * row
            self._entry(canvas, pen, snapshot, i, (left + 14, top), row)
        if len(shown) < len(here):
            rest = f"and {len(here) - len(shown)} more"
            pen.text((left + 14, high - 14), rest, FAINT, self.fonts.text(12), anchor="lm")

    def _entry(
        self,
        canvas: Image.Image,
        pen: ImageDraw.ImageDraw,
        snapshot: RenderSnapshot,
        i: int,
        corner: tuple[int, int],
        row: int,
    ) -> None:
        x, y = corner
        disc = self._disc(i, bool(snapshot.asleep[i]), min(36, row - 2))
        canvas.paste(disc, (x, y + (row - disc.height) // 2), disc)
        text, room = x + 50, SIDE - 50 - 28
        doing = "asleep" if snapshot.asleep[i] else snapshot.doing[i]
        bold, plain = self.fonts.text(15, "Bold"), self.fonts.text(13, "Regular")
        if row < 36:
            name = self.names[i].split()[0]
            pen.text((text, y + row / 2), name, INK, bold, anchor="lm")
            text += int(bold.getlength(name)) + 8
            line = _cut_to_fit(doing, plain, room - (text - x - 50))
            pen.text((text, y + row / 2), line, FAINT, plain, anchor="lm")
            return
        place = self.plan.arena_id(int(snapshot.arena[i])).replace("/", ", ")
        pen.text((text, y + row * 0.27), self.names[i], INK, bold, anchor="lm")
        where = text + bold.getlength(self.names[i]) + 8
        tail = _cut_to_fit(place, plain, room - (where - text))
        pen.text((where, y + row * 0.28), tail, FAINT, plain, anchor="lm")
        sign = self.fonts.drawable("💤" if snapshot.asleep[i] else snapshot.emoji[i])
        if sign:
            pen.text((text, y + row * 0.7), sign, self.colors[i], self.fonts.emoji(16), anchor="lm")
            text, room = text + 24, room - 24
        pen.text((text, y + row * 0.7), _cut_to_fit(doing, plain, room), INK, plain, anchor="lm")


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


def _night(moment: datetime) -> float:
    """Return how dark it is, 0 to 0.28: dusk from 19 to 21 o'clock, dawn from 5 to 7."""
    hour = moment.hour + moment.minute / 60
    dark = max(0.0, min(1.0, (hour - 19) / 2, 1.0)) if hour > 12 else min(1.0, (7 - hour) / 2)
    return 0.28 * max(0.0, dark)


def _at(box: Box, x: float, y: float) -> Box:
    return (x, y, x + box[2] - box[0], y + box[3] - box[1])


def _line(font: AnyFont) -> float:
    box = font.getbbox("Ag")
    return box[3] - box[1] + 2


def _cut_to_fit(text: str, font: AnyFont, room: float) -> str:
    """Return `text`, cut so that it takes at most `room` pixels."""
    if font.getlength(text) <= room:
        return text
    limit = len(text)
    while limit > 1 and font.getlength(shorten(text, limit)) > room:
        limit -= max(1, limit // 16)
    return shorten(text, limit) if font.getlength(shorten(text, limit)) <= room else ""


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
    return [_cut_to_fit(line, font, width) for line in lines]
