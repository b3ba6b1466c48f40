"""A Tiled map as typed data, whichever of Tiled's two formats it was saved in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import cos, pi, radians, sin

from genagents_env.scenario.tiled.tile_data import Gids

PropertyValue = str | int | float | bool
Properties = Mapping[str, PropertyValue]
Point = tuple[float, float]  # in tiles, from the upper left corner of the map
Outline = tuple[Point, ...]
_ELLIPSE = 32  # corners of the polygon that stands for one


@dataclass(frozen=True, slots=True)
class TileKind:
    """A tile of a tileset: what is painted with. `name` and the rest are its own properties."""

    tileset: str
    number: int
    class_: str = ""
    properties: Properties = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PaintedLayer:
    """A tile layer. `gids`: shape (height, width), indexed [y, x], keys of `tiles`; 0 is none."""

    name: str
    gids: Gids
    properties: Properties


@dataclass(frozen=True, slots=True)
class Shape:
    """An object of an object layer: a polygon, or a point where `outline` has one corner."""

    number: int
    name: str
    class_: str
    outline: Outline
    properties: Properties


@dataclass(frozen=True, slots=True)
class ShapeLayer:
    """An object layer, its objects in the order in which they were drawn."""

    name: str
    shapes: tuple[Shape, ...]
    properties: Properties


@dataclass(frozen=True, slots=True)
class TiledDocument:
    """All layers from bottom to top, groups resolved; the tiles that may be painted, by gid."""

    width: int
    height: int
    layers: tuple[PaintedLayer | ShapeLayer, ...]
    tiles: Mapping[int, TileKind]
    properties: Properties


def outline_rectangle(size: Point) -> Outline:
    """Return the corners of a rectangle at (0, 0); of one without a size its point."""
    width, height = size
    if width == height == 0:
        return ((0.0, 0.0),)
    return ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))


def outline_ellipse(size: Point) -> Outline:
    """Return corners around the ellipse that fills a rectangle at (0, 0)."""
    a, b = size[0] / 2, size[1] / 2
    turns = [2 * pi * i / _ELLIPSE for i in range(_ELLIPSE)]
    return tuple((a + a * cos(turn), b + b * sin(turn)) for turn in turns)


def turn_outline(outline: Outline, degrees: float) -> Outline:
    """Return an outline turned clockwise around (0, 0), as Tiled turns objects."""
    if not degrees % 360:
        return outline
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return tuple((x * c - y * s, x * s + y * c) for x, y in outline)
