"""The canvas of a picture: colours, rectangles that do not cover each other, the bar above it."""

from collections.abc import Iterable
from colorsys import hls_to_rgb
from dataclasses import dataclass, field
from datetime import datetime

from PIL import Image, ImageDraw

from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.show.render import format_clock
from genagents_env.show.render.fonts import AnyFont, Fonts, cut_to_fit

Color = tuple[int, int, int]

GRASS: Color = (214, 228, 199)
WALL: Color = (158, 146, 138)
SIGN: Color = (88, 80, 84)
HEDGE: Color = (137, 166, 124)
DOOR: Color = (176, 128, 84)
INK: Color = (58, 54, 60)
FAINT: Color = (128, 120, 124)
THING: Color = (252, 249, 242)
EDGE: Color = (190, 178, 164)
ICON: Color = (120, 92, 70)
PAPER: Color = (250, 247, 240)
BORDER: Color = (214, 206, 194)
NIGHT: Color = (52, 60, 110)


Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels


@dataclass(slots=True)
class Boxes:
    """Rectangles already drawn on a canvas of `width` by `height` pixels from (0, `top`)."""

    width: int
    height: int
    top: int = 0
    taken: list[Box] = field(default_factory=list)

    def measure_cover(self, box: Box) -> float:
        """Count the square pixels of `box` that are taken already."""
        total = 0.0
        for left, top, right, bottom in self.taken:
            wide = min(right, box[2]) - max(left, box[0])
            high = min(bottom, box[3]) - max(top, box[1])
            if wide > 0 and high > 0:
                total += wide * high
        return total

    def take(self, box: Box) -> Box:
        """Mark `box` as taken."""
        self.taken.append(box)
        return box

    def inside(self, box: Box) -> Box:
        """Return `box` shifted so that it lies on the canvas."""
        dx = max(0.0, -box[0]) - max(0.0, box[2] - self.width)
        dy = max(0.0, self.top - box[1]) - max(0.0, box[3] - self.height)
        return (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)

    def free(self, choices: Iterable[Box]) -> Box | None:
        """Take and return the first of `choices` that covers nothing, or None."""
        for box in choices:
            if self.inside(box) == box and not self.measure_cover(box):
                return self.take(box)
        return None

    def best(self, choices: Iterable[Box]) -> Box:
        """Take and return the choice that covers least, moved onto the canvas; first wins ties."""
        moved = [self.inside(box) for box in choices]
        return self.take(min(moved, key=self.measure_cover))


def list_around(
    x: float, y: float, gap: tuple[float, float], wide: float, high: float
) -> list[Box]:
    """Return boxes below, above, right and left of a point, `gap` pixels away down and across."""
    down, across = gap
    return [
        (x - wide / 2, y + down, x + wide / 2, y + down + high),
        (x - wide / 2, y - down - high, x + wide / 2, y - down),
        (x + across, y - high / 2, x + across + wide, y + high / 2),
        (x - across - wide, y - high / 2, x - across, y + high / 2),
    ]


def find_floor_color(plan: TownPlan, arena: int) -> Color:
    """Return the colour of the floor of an arena; of one sector's they are alike."""
    if arena == OUTSIDE:
        return GRASS
    spec = plan.arenas[arena]
    if spec.open_air:
        return (190, 219, 167)
    hue = spec.sector * 0.618034 % 1.0
    room = arena * 0.37 % 1.0
    red, green, blue = hls_to_rgb(hue, 0.875 + 0.035 * room, 0.42)
    return (round(red * 255), round(green * 255), round(blue * 255))


def measure_text(font: AnyFont, text: str) -> tuple[float, float]:
    """Measure the width and height of a text, in pixels."""
    box = font.getbbox(text, anchor="lt") if hasattr(font, "path") else font.getbbox(text)
    return box[2] - box[0], box[3] - box[1]


# After Petroff 2021 (arXiv 2107.02270), whose colours the colour-blind can distinguish, too; in
# place of its two greys, which would look like nothing, a green and a pink.
COLOURS = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#832db6",
    "#2f9e62",
    "#a96b59",
    "#92dadd",
    "#e78ac3",
    "#b9ac70",
    "#e76300",
)


def find_person_color(i: int) -> Color:
    """Return the colour of the person in row `i`; neighbouring rows differ most."""
    red, green, blue = hls_to_rgb((0.02 + i * 0.381966) % 1.0, 0.4 - 0.06 * (i % 3), 0.62)
    return (round(red * 255), round(green * 255), round(blue * 255))


def format_color(color: Color) -> str:
    """Return a colour as pages write it, such as `#faf7f0`."""
    red, green, blue = color
    return f"#{red:02x}{green:02x}{blue:02x}"


HEADER = 54
CLOCK: Color = (255, 226, 160)
QUIET: Color = (200, 196, 204)


def draw_header(
    canvas: Image.Image, fonts: Fonts, title: str, line: str, time: datetime, size: int = 24
) -> None:
    """Draw it over the whole width: the title, a line beside it where there is room, the time.

    Args:
        canvas: at whose upper edge it is drawn.
        fonts: to write with.
        title: cut where there is no room.
        line: left out where there is no room.
        time: of the town.
        size: of title and clock, in pixels.
    """
    pen, wide = ImageDraw.Draw(canvas), canvas.width
    pen.rectangle((0, 0, wide, HEADER - 1), fill=INK)
    big, small = fonts.text(size, "Bold"), fonts.text(15, "Medium")
    clock, middle = format_clock(time), HEADER / 2
    room = wide - 40 - big.getlength(clock)
    title = cut_to_fit(title, big, room)
    pen.text((16, middle), title, (255, 255, 255), big, anchor="lm")
    pen.text((wide - 16, middle), clock, CLOCK, big, anchor="rm")
    if big.getlength(title) + small.getlength(line) + 40 < room:
        left = 36 + big.getlength(title) if title else 16
        pen.text((left, middle + 1), line, QUIET, small, anchor="lm")
