"""A part of a town as a picture: large enough to read what is said, as wide as a page has room."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from genagents_env.scenario.plan import TownPlan
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.canvas import BORDER, FAINT, HEADER, INK, PAPER, Boxes, draw_header
from genagents_env.show.render.fonts import Fonts, cut_to_fit
from genagents_env.show.render.ground import GroundImage
from genagents_env.show.render.people import BubbleStyle, PeoplePainter
from genagents_env.show.render.picture import shade_ground
from genagents_env.show.render.views import MapView, Positions

LARGEST = 48  # pixels a tile
READABLE = 20  # pixels a tile from which on people and words have room
MOST_GROUND = 60_000_000  # pixels of the whole map, of which the part is cut
ROW, EDGE = 30, 8  # pixels of a line below the map, and above and below all of them


class Closeup:
    """Draws a part of one town, tick by tick.

    The picture is a header with title and clock, the part of the map, and below it what some of the
    people in it are doing.

    Args:
        plan: the town.
        names: of the N people, in the snapshots' order.
        view: which part.
        width: of the picture, in pixels.
        title: shown in the header.
        line: shown beside it.
        listed: number of people whose activities are written below.
        first: who comes first among them, by index.
        fonts: None takes the Noto fonts where installed.
        sprites: as of `Picture`.
    """

    def __init__(
        self,
        plan: TownPlan,
        names: Sequence[str],
        view: MapView,
        *,
        width: int = 900,
        title: str = "",
        line: str = "",
        listed: int = 0,
        first: Sequence[int] = (),
        fonts: Fonts | None = None,
        sprites: Sequence[str | None] = (),
    ) -> None:
        self.plan, self.names, self.view = plan, tuple(names), view
        self.title, self.line = title, line
        self.listed, self.first = min(listed, len(self.names)), frozenset(first)
        self.fonts = fonts if fonts is not None else Fonts()
        most = int((MOST_GROUND / (plan.width * plan.height)) ** 0.5)
        self.tile = max(1, min(LARGEST, most, int(width / view.columns)))
        self.ground = GroundImage(plan, self.tile, self.fonts)
        high = min(round(view.rows * self.tile), self.ground.image.height)
        self.part = (min(width, self.ground.image.width), high)
        below = self.listed * ROW + 2 * EDGE if self.listed else 0
        self.size = (width, HEADER + high + below)
        disc = max(16, min(40, int(self.tile * 1.15)))
        style = BubbleStyle(300, 9) if self.tile >= READABLE else BubbleStyle(230, 5, 13)
        self.people = PeoplePainter(self.names, self.fonts, disc, sprites, bubble=style)

    def draw(
        self,
        snapshot: RenderSnapshot,
        positions: Positions | None = None,
        spoken: Sequence[tuple[int, str]] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Return the tick as an RGB picture, shape (height, width, 3); arguments: `Picture`."""
        if positions is None:
            positions = np.stack([snapshot.x, snapshot.y], axis=1)
        (wide, high), (left, top), aside = self.part, self._find_corner(positions), self._aside
        canvas = Image.new("RGB", self.size, PAPER)
        ground = self.ground.image.crop((left, top, left + wide, top + high))
        canvas.paste(shade_ground(ground, snapshot.time), (aside, HEADER))
        spots = self._find_spots(snapshot, positions)
        boxes = Boxes(self.size[0], HEADER + high, HEADER)
        words = snapshot.spoken if spoken is None else spoken
        self.people.draw(canvas, snapshot, spots, boxes, words)
        draw_header(canvas, self.fonts, self.title, self.line, snapshot.time, 20)
        if self.listed:
            self._tell(canvas, snapshot, list(spots))
        return np.asarray(canvas).copy()

    def find_seen(self, snapshot: RenderSnapshot, positions: Positions | None = None) -> set[int]:
        """Return the indices of those in the picture that `draw` makes of the same."""
        if positions is None:
            positions = np.stack([snapshot.x, snapshot.y], axis=1)
        return set(self._find_spots(snapshot, positions))

    @property
    def _aside(self) -> int:
        """Pixels of paper left of a map that is narrower than the picture."""
        return (self.size[0] - self.part[0]) // 2

    def _find_corner(self, positions: Positions) -> tuple[int, int]:
        """Return the upper left corner of the part, in pixels of the whole map."""
        x, y = self.view.find_middle(positions)
        (wide, high), (most_x, most_y) = self.part, self.ground.image.size
        left = max(0, min(round(x * self.tile - wide / 2), most_x - wide))
        return left, max(0, min(round(y * self.tile - high / 2), most_y - high))

    def _find_spots(
        self, snapshot: RenderSnapshot, positions: Positions
    ) -> dict[int, tuple[float, float]]:
        """Return the spots of those who are in the part."""
        (wide, high), (left, top), t = self.part, self._find_corner(positions), self.tile
        here, at = np.flatnonzero(snapshot.present).tolist(), positions.tolist()
        middles = {i: ((at[i][0] + 0.5) * t - left, (at[i][1] + 0.5) * t - top) for i in here}
        inside = [i for i in here if 0 <= middles[i][0] < wide and 0 <= middles[i][1] < high]
        spots = self.people.spread(inside, middles)
        return {i: (x + self._aside, y + HEADER) for i, (x, y) in spots.items()}

    def _tell(self, canvas: Image.Image, snapshot: RenderSnapshot, seen: Sequence[int]) -> None:
        """Write below the map who does what; those named first come first."""
        pen, (wide, low) = ImageDraw.Draw(canvas), self.size
        top = low - self.listed * ROW - 2 * EDGE
        pen.rectangle((0, top, wide, low), fill=PAPER)
        pen.line((0, top, wide, top), fill=BORDER, width=2)
        bold, plain = self.fonts.text(15, "Bold"), self.fonts.text(14, "Regular")
        shown = sorted(seen, key=lambda i: (i not in self.first, i))[: self.listed]
        for place, i in enumerate(shown):
            middle = top + EDGE + (place + 0.5) * ROW
            disc = self.people.draw_disc(i, bool(snapshot.asleep[i]), ROW - 4)
            canvas.paste(disc, (16, round(middle - disc.height / 2)), disc)
            pen.text((52, middle), self.names[i], INK, bold, anchor="lm")
            x = 52 + bold.getlength(self.names[i]) + 12
            sign = self.fonts.drawable("💤" if snapshot.asleep[i] else snapshot.emoji[i])
            if sign:
                pen.text(
                    (x, middle), sign, self.people.colors[i], self.fonts.emoji(16), anchor="lm"
                )
                x += 26
            more = len(seen) - len(shown) if place == len(shown) - 1 else 0
            rest = f"and {more} more" if more else ""
            room = wide - 16 - x - (plain.getlength(rest) + 16 if rest else 0)
            doing = "asleep" if snapshot.asleep[i] else snapshot.doing[i]
            pen.text((x, middle), cut_to_fit(doing, plain, room), INK, plain, anchor="lm")
            pen.text((wide - 16, middle), rest, FAINT, plain, anchor="rm")
