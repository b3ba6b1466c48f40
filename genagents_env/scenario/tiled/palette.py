"""The tileset of exported maps: plain tiles that say what they are, made here, so free to use."""

from colorsys import hls_to_rgb
from io import BytesIO

from genagents_env.scenario.tiled.document import TileKind

TILE = 32  # pixels
COLUMNS = 8
FLOORS = 11  # colours, one a sector in turn
CLOSED, OPEN, WALL, DOOR, NOTHING, FLOOR = 1, 2, 3, 4, 5, 6  # gids
NAMES = (
    "closed",
    "open ground",
    "wall",
    "door",
    "nothing",
    *(f"floor {i + 1}" for i in range(FLOORS)),
)
TILESET = "genagents"

_Color = tuple[int, int, int]
_OPEN: _Color = (150, 180, 112)
_WALL: _Color = (112, 104, 104)
_DOOR: _Color = (168, 116, 64)
_NOTHING: _Color = (58, 54, 60)
_CLOSED: _Color = (214, 48, 48)


def list_kinds() -> dict[int, TileKind]:
    """Return the tiles of the tileset by their numbers."""
    return {
        gid: TileKind(TILESET, gid - 1, "", {"name": name}) for gid, name in enumerate(NAMES, 1)
    }


def draw_tileset() -> bytes:
    """Return the picture of the tileset as PNG, `COLUMNS` tiles in a row."""
    from PIL import Image, ImageDraw

    rows = -(-len(NAMES) // COLUMNS)
    image = Image.new("RGBA", (COLUMNS * TILE, rows * TILE))
    pen = ImageDraw.Draw(image)
    fills = [None, _OPEN, _WALL, _DOOR, _NOTHING, *map(_floor, range(FLOORS))]
    for place, fill in enumerate(fills):
        x, y = place % COLUMNS * TILE, place // COLUMNS * TILE
        box = (x, y, x + TILE - 1, y + TILE - 1)
        if fill is None:  # seen through, so that one sees what is closed
            pen.rectangle(box, fill=(*_CLOSED, 70))
            pen.line((x + 4, y + 4, x + TILE - 5, y + TILE - 5), (*_CLOSED, 200), 3)
            pen.line((x + 4, y + TILE - 5, x + TILE - 5, y + 4), (*_CLOSED, 200), 3)
        else:
            edge = tuple(int(part * 0.93) for part in fill)
            pen.rectangle(box, fill=(*fill, 255), outline=(*edge, 255))
    content = BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def _floor(number: int) -> _Color:
    red, green, blue = hls_to_rgb((0.09 + number * 0.381966) % 1.0, 0.82, 0.38)
    return (round(red * 255), round(green * 255), round(blue * 255))
