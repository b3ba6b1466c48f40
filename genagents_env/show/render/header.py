"""The bar above a picture of a town: what it shows, and the clock."""

from datetime import datetime

from PIL import Image, ImageDraw

from genagents_env.show.render import format_clock
from genagents_env.show.render.canvas import INK, Color
from genagents_env.show.render.fonts import Fonts, cut_to_fit

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
