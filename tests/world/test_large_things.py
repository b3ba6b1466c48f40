"""Things on several tiles, corridors, and starts on one tile: what a large map says, lived in."""

from pathlib import Path

import pytest

from genagents_env.actions import Interact, Move
from genagents_env.percept import SeenObject
from genagents_env.scenario import Scenario, load_scenario
from tests.scenario.bad_folders import LODGE, write
from tests.world.conftest import TownDriver

NIGHT = "start = 2023-02-13T02:00:00"


def lodge(folder: Path, old: str = "", new: str = "") -> Scenario:
    """The lodge, with `old` replaced by `new` in its scenario.toml."""
    text = LODGE["scenario.toml"]
    assert old in text
    return load_scenario(write(folder, {**LODGE, "scenario.toml": text.replace(old, new, 1)}))


@pytest.fixture
def town(tmp_path: Path) -> TownDriver:
    return TownDriver(lodge(tmp_path))


def see(town: TownDriver, who: str, name: str) -> SeenObject:
    return next(item for item in town.percept(who).objects if item.name == name)


@pytest.mark.parametrize("spot", [(1, 1), (3, 1), (4, 3)])
def test_a_table_is_used_from_beside_any_of_its_tiles(
    spot: tuple[int, int], town: TownDriver
) -> None:
    town.place("Bob", *spot)
    town.step()
    table = see(town, "Bob", "table")
    assert (table.distance, table.usable) == (1, True)
    assert table.tiles == ((2, 2), (3, 2), (4, 2))
    assert table.is_beside(spot)
    assert not see(town, "Ann", "bed").is_beside((5, 3))
    town.step(Bob=Interact("Lodge/hall/table", "laid"))
    assert see(town, "Bob", "table").state == "laid"
    town.place("Bob", 4, 4)
    town.step(Bob=Interact("Lodge/hall/table", "bare"))
    assert not town.percept("Bob").result.ok


def test_a_corridor_is_the_sectors(town: TownDriver) -> None:
    town.place("Bob", 4, 4)
    town.step()
    assert town.percept("Bob").me.place == "Lodge"
    assert "Lodge/hall" in town.percept("Bob").exits
    assert "Lodge" in town.world.town.places.ids
    for _ in range(4):
        town.step(Bob=Move("Lodge/room"))
    assert town.percept("Bob").me.place == "Lodge/room"
    town.step(Bob=Move("Lodge"))
    assert town.percept("Bob").result.ok


def test_who_may_not_enter_the_sector_may_not_enter_its_corridor(tmp_path: Path) -> None:
    text = LODGE["scenario.toml"].replace("common = true", 'users = ["Ann Low"]', 1)
    text = text.replace('home = "Lodge/room"\nstart = "4,3"', 'home = "Shed"')
    text += '\n[[sectors]]\nname = "Shed"\narenas = [{ name = "Shed" }]\n'
    grid = LODGE["map.grid"].replace("7 Lodge/room", "7 Lodge/room\n8 Shed")
    grid = grid.replace("5*0 1 4*0", "5*0 8 4*0")
    town = TownDriver(
        load_scenario(write(tmp_path, {**LODGE, "scenario.toml": text, "map.grid": grid}))
    )
    plan = town.world.plan
    corridor = next(a for a, arena in enumerate(plan.arenas) if arena.ground)
    assert town.world.state.access.enter[:, corridor].tolist() == [True, False]
    for _ in range(8):
        town.step(Bob=Move("4,4"), Ann=Move("4,4"))
    assert town.percept("Bob").me.place == "Shed"
    assert town.percept("Ann").me.place == "Lodge"


def test_who_starts_in_a_room_stands_on_its_spawn_tile_while_it_is_free(tmp_path: Path) -> None:
    scenario = lodge(tmp_path, '"4,3"', '"Lodge/hall"')
    for seed in range(5):
        env = TownDriver(scenario).env
        env.reset(seed=seed)
        assert (env.world.snapshot.x[1], env.world.snapshot.y[1]) == (1, 2)
