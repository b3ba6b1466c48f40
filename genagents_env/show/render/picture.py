"""One tick as a picture: the town from above, its people, what they do and what they say."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from genagents_env.scenario.plan import TownPlan
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.canvas import (
    BORDER,
    FAINT,
    HEADER,
    INK,
    NIGHT,
    PAPER,
    Boxes,
    draw_header,
)
from genagents_env.show.render.fonts import Fonts, cut_to_fit
from genagents_env.show.render.ground import GroundImage
from genagents_env.show.render.people import PeoplePainter

MAP_WIDTH, MAP_HEIGHT = 1800, 1500  # pixels the map may take
SMALLEST, LARGEST = 10, 48  # pixels a tile
SIDE = 380
Positions = npt.NDArray[np.integer] | npt.NDArray[np.floating]


class Picture:
    """Draws the ticks of one town.

    The picture is a header with title and clock, the map, and beside it a list of the people.
    Its size depends on the plan alone, so that the frames of an episode make a film.

    Args:
        plan: the town.
        names: of the N people, in the snapshots' order.
        title: shown in the header.
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
        fonts: Fonts | None = None,
        sprites: Sequence[str | None] = (),
    ) -> None:
        self.plan, self.names, self.title = plan, tuple(names), title
        self.fonts = fonts if fonts is not None else Fonts()
        fitting = min(MAP_WIDTH // plan.width, MAP_HEIGHT // plan.height)
        self.tile = max(SMALLEST, min(LARGEST, fitting))
        self.ground = GroundImage(plan, self.tile, self.fonts)
        wide, high = self.ground.image.size
        rows = min(len(self.names), 12)
        self.size = (wide + SIDE, HEADER + max(high, 24 + rows * 44))
        disc = max(20, min(40, int(self.tile * 1.15)))
        self.people = PeoplePainter(self.names, self.fonts, disc, sprites)

    def draw(
        self,
        snapshot: RenderSnapshot,
        positions: Positions | None = None,
        spoken: Sequence[tuple[int, str]] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Return the tick as an RGB picture, shape (height, width, 3).

        Args:
            snapshot: of the tick.
            positions: columns and rows of everyone, shape (N, 2), which may lie between two tiles
                (`motion.Motion`); None stands them on their tiles.
            spoken: who says what; None is what the snapshot has.
        """
        if positions is None:
            positions = np.stack([snapshot.x, snapshot.y], axis=1)
        canvas = Image.new("RGB", self.size, PAPER)
        canvas.paste(shade_ground(self.ground.image, snapshot.time), (0, HEADER))
        here = np.flatnonzero(snapshot.present).tolist()
        asleep = np.count_nonzero(snapshot.asleep & snapshot.present)
        line = f"{len(here)} in town, {asleep} asleep · tick {snapshot.tick}"
        draw_header(canvas, self.fonts, self.title, line, snapshot.time)
        at, t = positions.tolist(), self.tile
        middles = {i: ((at[i][0] + 0.5) * t, HEADER + (at[i][1] + 0.5) * t) for i in here}
        boxes = Boxes(self.ground.image.width, self.ground.image.height + HEADER, HEADER)
        words = snapshot.spoken if spoken is None else spoken
        self.people.draw(canvas, snapshot, self.people.spread(here, middles), boxes, words)
        self._list(canvas, snapshot, here)
        return np.asarray(canvas).copy()

    def find_seen(self, snapshot: RenderSnapshot, positions: Positions | None = None) -> set[int]:
        """Return the indices of everybody in town: all are in the picture."""
        return set(np.flatnonzero(snapshot.present).tolist())

    def _list(self, canvas: Image.Image, snapshot: RenderSnapshot, here: Sequence[int]) -> None:
        """Write beside the map who is where, doing what."""
        pen, left, high = ImageDraw.Draw(canvas), self.ground.image.width, self.size[1]
        pen.line((left, HEADER, left, high), fill=BORDER, width=2)
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
        disc = self.people.draw_disc(i, bool(snapshot.asleep[i]), min(36, row - 2))
        canvas.paste(disc, (x, y + (row - disc.height) // 2), disc)
        text, room = x + 50, SIDE - 50 - 28
        doing = "asleep" if snapshot.asleep[i] else snapshot.doing[i]
        bold, plain = self.fonts.text(15, "Bold"), self.fonts.text(13, "Regular")
        if row < 36:
            name = self.people.short[i]
            pen.text((text, y + row / 2), name, INK, bold, anchor="lm")
            text += int(bold.getlength(name)) + 8
            line = cut_to_fit(doing, plain, room - (text - x - 50))
            pen.text((text, y + row / 2), line, FAINT, plain, anchor="lm")
            return
        place = self.plan.arena_id(int(snapshot.arena[i])).replace("/", ", ")
        pen.text((text, y + row * 0.27), self.names[i], INK, bold, anchor="lm")
        where = text + bold.getlength(self.names[i]) + 8
        tail = cut_to_fit(place, plain, room - (where - text))
        pen.text((where, y + row * 0.28), tail, FAINT, plain, anchor="lm")
        sign = self.fonts.drawable("💤" if snapshot.asleep[i] else snapshot.emoji[i])
        if sign:
            pen.text(
                (text, y + row * 0.7),
                sign,
                self.people.colors[i],
                self.fonts.emoji(16),
                anchor="lm",
            )
            text, room = text + 24, room - 24
        pen.text((text, y + row * 0.7), cut_to_fit(doing, plain, room), INK, plain, anchor="lm")


def shade_ground(ground: Image.Image, time: datetime) -> Image.Image:
    """Return the ground as it looks at that hour; at day it is the same image.

    Dusk is from 19 to 21 o'clock, dawn from 5 to 7.
    """
    hour = time.hour + time.minute / 60
    shade = 0.28 * max(0.0, min(1.0, ((hour - 19) if hour > 12 else (7 - hour)) / 2))
    return Image.blend(ground, Image.new("RGB", ground.size, NIGHT), shade) if shade else ground
