from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from genagents_env.scenario.plan import SpawnPlan, TownPlan
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.ground import GroundImage
from genagents_env.show.render.map_picture import HEADER, MARGIN, RULER, SPAWN, draw_map
from tests.show.render.towns import town


@pytest.mark.parametrize("noto", [True, False])
def test_a_map_is_drawn_in_the_asked_size_with_rulers_around(noto: bool) -> None:
    picture = draw_map(town(), title="An inn", tile=20, fonts=Fonts(noto))
    assert picture.size == (14 * 20 + 2 * RULER, 6 * 20 + HEADER + 2 * RULER)
    ruler = np.asarray(picture)[HEADER : HEADER + RULER]
    assert len(np.unique(ruler.reshape(-1, 3), axis=0)) > 1, "the ruler has numbers"


def test_ground_that_nobody_reaches_is_cut_off() -> None:
    plan = town()
    blocked, arena = np.ones((40, 60), np.bool_), np.zeros((40, 60), np.int16)
    blocked[20:26, 30:44], arena[20:26, 30:44] = plan.blocked, plan.arena
    large = replace(town(), width=60, height=40, blocked=blocked, arena=arena, objects=(), doors=())
    ys, xs = np.nonzero(~blocked)
    wide, high = int(np.ptp(xs)) + 1 + 2 * MARGIN, int(np.ptp(ys)) + 1 + 2 * MARGIN
    assert draw_map(large, tile=8).size == (wide * 8 + 2 * RULER, high * 8 + HEADER + 2 * RULER)


def test_spawn_tiles_are_marked_where_they_are() -> None:
    spawn = SpawnPlan("Inn/hall/bench", 1, (4, 3))
    plain, marked = (draw_map(replace(town(), spawns=s), tile=24) for s in ((), (spawn,)))
    changed = np.argwhere((np.asarray(plain) != np.asarray(marked)).any(axis=2))
    below = changed[changed[:, 0] >= HEADER]
    corner = np.array([HEADER + RULER + 3 * 24, RULER + 4 * 24])
    dots = [tuple(marked.getpixel((x, y))) for y, x in below.tolist()]  # type: ignore[arg-type]
    assert SPAWN in dots
    assert (np.abs(below - corner - 12) <= 48).all(), "nothing else in the map changes"


def paint(plan: TownPlan) -> Image.Image:
    return GroundImage(plan, 24, Fonts()).image


def test_a_thing_is_drawn_over_all_its_tiles() -> None:
    plan = town()
    stove = plan.objects[0]
    longer = tuple((x, 2) for x in range(stove.tile[0], stove.tile[0] + 2))
    wide = replace(town(), objects=(replace(stove, tiles=longer), *plan.objects[1:]))
    changed = (np.asarray(paint(plan)) != np.asarray(paint(wide))).any(axis=2)
    second = changed[2 * 24 : 3 * 24, longer[1][0] * 24 : (longer[1][0] + 1) * 24]
    assert second.mean() > 0.5
