"""What pytiled-parser reads for us: objects, properties and tilesets, in both formats.

It is an extra. What it raises about a file that breaks the format becomes a refusal; it is given
parts of files that were read and bounded before, and opens none itself.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from genagents_env.extras import format_install_command, list_missing_modules
from genagents_env.scenario.faults import quote
from genagents_env.scenario.tiled.document import (
    Outline,
    Point,
    Properties,
    PropertyValue,
    Shape,
    outline_ellipse,
    outline_rectangle,
    turn_outline,
)
from genagents_env.scenario.tiled.refusal import TiledRefusal

if TYPE_CHECKING:
    from pytiled_parser.tiled_object import TiledObject

_Found = TypeVar("_Found")
_BROKEN = (
    *(KeyError, TypeError, ValueError, AttributeError, IndexError, AssertionError),
    *(NotImplementedError, RuntimeError),
)


def load_parser(name: str) -> Callable[..., object]:
    """Return the function `parse` of a module of the library, such as `json.tiled_object`.

    Raises:
        TiledRefusal: the library is not installed; its text says how it is.
    """
    if "pytiled_parser" in list_missing_modules("tiled"):
        how = format_install_command("tiled")
        raise TiledRefusal(f"to read a map of Tiled, install its reader: {how}", "file")
    parse: Callable[..., object] = import_module(f"pytiled_parser.parsers.{name}").parse
    return parse


def guard(read: Callable[[], _Found], what: str) -> _Found:
    """Return what `read` does, its errors about the file as refusals; `what` names the part."""
    try:
        return read()
    except KeyError as error:
        raise TiledRefusal(f"{what} lacks {quote(error.args[0])}, which Tiled writes") from None
    except _BROKEN as error:
        raise TiledRefusal(f"{what} is not as Tiled writes it: {quote(error, 120)}") from None


def convert_properties(found: Mapping[str, object] | None) -> Properties:
    """Return custom properties, files as their paths; colours and classes, unused here, as text."""
    return {str(name): _convert_value(value) for name, value in (found or {}).items()}


def _convert_value(value: object) -> PropertyValue:
    if isinstance(value, Path):
        return value.as_posix()
    return value if isinstance(value, str | int | float | bool) else str(value)


def convert_shape(found: "TiledObject", tile: Point, offset: Point) -> Shape:
    """Return an object of an object layer.

    Args:
        found: the object as the library has it, in pixels.
        tile: the size of a tile in pixels.
        offset: pixels by which its layer is shifted.

    Raises:
        TiledRefusal: it is a line or a text, which cover no tiles, or has no place.
    """
    outline = turn_outline(_outline(found), float(found.rotation))
    x, y = found.coordinates.x + offset[0], found.coordinates.y + offset[1]
    corners = tuple(((x + a) / tile[0], (y + b) / tile[1]) for a, b in outline)
    if not corners or not all(isfinite(a) and isfinite(b) for a, b in corners):
        raise TiledRefusal("it has no place; numbers of pixels are wanted")
    properties = convert_properties(found.properties)
    return Shape(int(found.id), str(found.name), str(found.class_ or ""), corners, properties)


def _outline(found: "TiledObject") -> Outline:
    kind, size = type(found).__name__, (float(found.size.width), float(found.size.height))
    if kind == "Point":
        return ((0.0, 0.0),)
    if kind == "Ellipse":
        return outline_ellipse(size)
    if kind == "Polygon":
        return tuple((float(p.x), float(p.y)) for p in getattr(found, "points", ()))
    if kind == "Tile":  # placed by its lower left corner
        return tuple((x, y - size[1]) for x, y in outline_rectangle(size))
    if kind == "Rectangle":
        return outline_rectangle(size)
    text = f"it is a {kind.lower()}; a rectangle, an ellipse, a polygon, a tile or a point is"
    raise TiledRefusal(f"{text} wanted")
