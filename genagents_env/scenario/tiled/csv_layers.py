"""A town as Tiled exports layers to CSV: a file a layer, a line a row, names in place of numbers.

Tiled writes -1 where there is no tile, and a tile's property `name` where it has one.
Source: https://doc.mapeditor.org/en/stable/manual/export-generic/
"""

import csv
import io
from collections.abc import Iterable

from genagents_env.scenario.grid import Tile
from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.scenario.tiled.document import PaintedLayer, TiledDocument

EMPTY = "-1"
_Rows = list[list[str]]


def format_layers(document: TiledDocument, plan: TownPlan) -> dict[str, str]:
    """Return the text of each layer's file, by the layer's name."""
    layers = {
        layer.name: [
            [str(document.tiles[gid].properties["name"]) if gid else EMPTY for gid in row]
            for row in layer.gids.tolist()
        ]
        for layer in document.layers
        if isinstance(layer, PaintedLayer)
    }
    arenas = plan.arena.tolist()
    sectors = [plan.sectors[arena.sector].name for arena in plan.arenas]
    names = [plan.arena_id(i) for i in range(len(plan.arenas))]
    layers["sectors"] = [[_name(sectors, i) for i in row] for row in arenas]
    layers["arenas"] = [[_name(names, i) for i in row] for row in arenas]
    objects = ((tile, plan.object_id(i)) for i, o in enumerate(plan.objects) for tile in o.tiles)
    layers["objects"] = _place(plan, objects)
    layers["doors"] = _place(plan, ((tile, "door") for tile in plan.doors))
    layers["spawns"] = _place(plan, ((spawn.tile, spawn.id) for spawn in plan.spawns))
    return {name: _format(rows) for name, rows in layers.items()}


def _name(names: list[str], index: int) -> str:
    return EMPTY if index == OUTSIDE else names[index]


def _place(plan: TownPlan, things: Iterable[tuple[Tile, str]]) -> _Rows:
    rows = [[EMPTY] * plan.width for _ in range(plan.height)]
    for (x, y), name in things:
        rows[y][x] = name
    return rows


def _format(rows: _Rows) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
