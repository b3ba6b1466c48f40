"""The array core does what towns by themselves do, bit for bit, in every task and shipped town."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from genagents_env.config import TownOptions
from genagents_env.scenario.loader import list_scenario_names
from genagents_env.train.core.core import Core
from genagents_env.train.tasks import TASKS, get_task
from genagents_env.train.tasks.task import shape_reward
from genagents_env.world.interventions import News
from tests.train.pairs import Pair

TASK_OPTIONS: TownOptions = {"ids": "indexed", "menu": "portable"}
MENUS = ("portable", "plain")


def make_pair(
    task: str, layouts: Sequence[int], towns: int, shaping: float | None = None, **options: Any
) -> Pair:
    drawn = [get_task(task).draw(layout) for layout in layouts]
    if shaping is not None:
        drawn = [shape_reward(scenario, shaping, 0.99) for scenario in drawn]
    return Pair(drawn, towns, **{**TASK_OPTIONS, **options})


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Collect what part of the towns did each tick by themselves."""
    parts: list[float] = []
    find = Core._find_alone

    def count(core: Core, *acts: Any) -> Any:
        found = find(core, *acts)
        parts.append(float(found.mean()))
        return found

    monkeypatch.setattr(Core, "_find_alone", count)
    return parts


@pytest.mark.parametrize(("task", "menu"), [(t, MENUS[k % 2]) for k, t in enumerate(TASKS)])
def test_a_task_is_in_arrays_what_it_is_in_towns(task: str, menu: str, alone: list[float]) -> None:
    pair = make_pair(task, range(3), 1 if TASKS[task].town else 2, menu=menu)
    pair.reset(3)
    for _ in range(30):
        pair.step()
    pair.compare_towns()
    assert np.mean(alone) < 0.05


@pytest.mark.parametrize(
    ("order", "shaping"),
    [(("errand", "queue"), 0.0), (("queue", "errand"), 1.0), (("gather", "culprit", "share"), 1.0)],
)
def test_towns_that_pay_otherwise_do_not_touch_one_another(
    order: tuple[str, ...], shaping: float
) -> None:
    drawn = [shape_reward(get_task(task).draw(0), shaping, 0.99) for task in order]
    pair = Pair(drawn, 2, **TASK_OPTIONS)
    pair.reset(3)
    for tick in range(60):
        pair.step(None if tick % 2 else np.ones(pair.vector.num_envs, dtype=np.int64))
    pair.compare_towns()


@pytest.mark.parametrize("task", TASKS)
def test_shaping_is_that_of_the_town(task: str) -> None:
    pair = make_pair(task, range(2), 1, shaping=1.0)
    pair.reset(11)
    for _ in range(15):
        pair.step()
    pair.compare_towns()


# Every task lives three episodes in eight layouts, those of each its own, and one in a single
# layout by the other menu; 128 at once are met by either menu and by two kinds of goals.
WHOLE = [
    *((task, MENUS[k % 2], range(8 * k, 8 * k + 8), 3) for k, task in enumerate(TASKS)),
    *((task, MENUS[1 - k % 2], range(k, k + 1), 1) for k, task in enumerate(TASKS)),
    *(("errand", "portable", range(128), 1), ("share", "plain", range(128), 1)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "menu", "layouts", "episodes"), WHOLE)
def test_whole_episodes_of_every_task(task: str, menu: str, layouts: range, episodes: int) -> None:
    pair = make_pair(task, layouts, 1, menu=menu)
    pair.reset(70)
    while pair.ends < episodes * len(pair.envs):
        pair.step()
    pair.compare_towns()


WHEN = [("07:50", "town"), ("12:00", "plain")]


@pytest.mark.parametrize(
    ("name", "start", "menu"),
    [(name, *WHEN[k % 2]) for k, name in enumerate(list_scenario_names())],
)
def test_a_shipped_town_is_in_arrays_what_it_is_by_itself(name: str, start: str, menu: str) -> None:
    pair = Pair(name, 2, start=start, hours=0.5, max_cycles=14, menu=menu)
    pair.reset(2)
    for _ in range(30):
        pair.step()
    pair.compare_towns()
    assert pair.ends == 4


def test_a_town_that_was_alone_for_a_tick_goes_on_in_arrays(alone: list[float]) -> None:
    pair = make_pair("meet", range(2), 1)
    pair.reset(0)
    for tick in range(30):
        if tick == 5:
            for env in (pair.vector.envs[1], pair.envs[1]):
                env.intervene(News("The mill is closed."))
        pair.step()
    pair.compare_towns()
    assert [part for part in alone if part] == [0.5]
