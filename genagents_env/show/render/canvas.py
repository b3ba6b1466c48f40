"""The canvas of a town's ground: the image, what is covered on it, its colours and its labels."""

from colorsys import hls_to_rgb
from dataclasses import dataclass

from PIL import Image, ImageDraw

from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.show.render.boxes import Boxes
from genagents_env.show.render.fonts import AnyFont, Fonts

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


@dataclass(frozen=True, slots=True)
class Canvas:
    """What parts of the ground are drawn on: plan.width x plan.height tiles of `tile` pixels.

    `boxes`: what labels and things cover.
    """

    plan: TownPlan
    tile: int
    fonts: Fonts
    image: Image.Image
    draw: ImageDraw.ImageDraw
    boxes: Boxes


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
    """Return how wide and how high a text is."""
    box = font.getbbox(text, anchor="lt") if hasattr(font, "path") else font.getbbox(text)
    return box[2] - box[0], box[3] - box[1]
