"""The resource `town`: the ground, as pictures draw it."""

from base64 import b64encode

import numpy as np

from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.scenario.town import lay_out
from genagents_env.show.render import canvas
from genagents_env.show.render.canvas import find_floor_color
from genagents_env.show.render.ground import find_walls
from genagents_env.show.render.palette import format_color
from genagents_env.show.render.symbols import find_emoji

_COLORS = {
    **{"grass": canvas.GRASS, "wall": canvas.WALL, "sign": canvas.SIGN, "hedge": canvas.HEDGE},
    **{"door": canvas.DOOR, "ink": canvas.INK, "faint": canvas.FAINT, "thing": canvas.THING},
    **{"edge": canvas.EDGE, "icon": canvas.ICON, "paper": canvas.PAPER, "night": canvas.NIGHT},
}
_HEDGE, _WALL = 1, 2


def make_town(run: RunReader) -> dict[str, JSON]:
    """Return the ground of the run's town: tiles, places, things and colours."""
    plan = lay_out(run.meta.scenario)
    blocked = plan.blocked.astype(np.uint8) * _HEDGE
    blocked[find_walls(plan)] = _WALL
    return {
        "width": plan.width,
        "height": plan.height,
        "arena": b64encode(plan.arena.astype("<u2").tobytes()).decode(),
        "blocked": b64encode(blocked.tobytes()).decode(),
        "doors": [list(tile) for tile in plan.doors],
        "sectors": [{"name": sector.name} for sector in plan.sectors],
        "arenas": [_describe_arena(plan, index) for index in range(len(plan.arenas))],
        "objects": [_describe_object(plan, index) for index in range(len(plan.objects))],
        "colors": {name: format_color(color) for name, color in _COLORS.items()},
    }


def _describe_arena(plan: TownPlan, index: int) -> dict[str, JSON]:
    arena = plan.arenas[index]
    return {
        "id": plan.arena_id(index),
        "name": arena.name,
        "sector": arena.sector,
        "openAir": arena.open_air or index == OUTSIDE,
        "color": format_color(find_floor_color(plan, index)),
    }


def _describe_object(plan: TownPlan, index: int) -> dict[str, JSON]:
    item = plan.objects[index]
    return {
        "id": plan.object_id(index),
        "name": item.name,
        "arena": item.arena,
        "tiles": [list(tile) for tile in item.tiles],
        "emoji": find_emoji(item.name),
        "state": item.state,
    }
