"""Maps of Tiled beside the towns that they show, by any way in: the same town."""

import re
import shutil
from pathlib import Path

import pytest

from genagents_env.scenario import TownPlan, lay_out, load_scenario, validate_folder
from genagents_env.scenario.maps.tiled import convert_map
from tests.scenario.bad_folders import GRID, LODGE, Files, write
from tests.scenario.tiled.maps import DRAWN as DRAWN
from tests.scenario.tiled.maps import TMX, school, write_map

PARTY = Path(__file__).parents[3] / "scenarios" / "valentines_party"
_PARTS = ("width", "height", "sectors", "arenas", "objects", "doors", "spawns", "sealed")


def assert_equal_towns(one: TownPlan, other: TownPlan) -> None:
    for part in _PARTS:
        assert getattr(one, part) == getattr(other, part), part
    assert (one.blocked == other.blocked).all()
    assert (one.arena == other.arena).all()


def import_map(file: Path, folder: Path) -> TownPlan:
    write(folder, convert_map(file, "again"))
    assert validate_folder(folder) == []
    return lay_out(load_scenario(folder))


@pytest.mark.parametrize("end", ["tmj", "tmx", "tmx of elements"])
def test_a_map_of_a_shipped_town_is_that_town(end: str, tmp_path: Path) -> None:
    file = DRAWN / f"tiny.{end}"
    if end == "tmx of elements":
        file = tmp_path / "tiny.tmx"
        file.write_text(re.sub('<data encoding="csv">(.*?)</data>', to_elements, TMX, flags=re.S))
    assert_equal_towns(lay_out(load_scenario("tiny")), import_map(file, tmp_path / "again"))


def to_elements(data: re.Match[str]) -> str:
    """Return the numbers of tiles as Tiled once wrote them."""
    tiles = (f'<tile gid="{gid}"/>' if int(gid) else "<tile/>" for gid in data[1].split(","))
    return f"<data>{''.join(tiles)}</data>"


def test_the_shipped_map_is_the_town_of_the_party_imported_or_beside_its_scenario(
    tmp_path: Path,
) -> None:
    """What the map says as well as scenario.toml is said alike, so both may stay."""
    town = lay_out(load_scenario("valentines_party"))
    assert_equal_towns(town, import_map(PARTY / "oak_hill.tmj", tmp_path / "again"))
    folder = tmp_path / "valentines_party"
    shutil.copytree(PARTY, folder)
    text = (folder / "scenario.toml").read_text()
    (folder / "scenario.toml").write_text(f'map = "oak_hill.tmj"\n{text}')
    assert_equal_towns(town, lay_out(load_scenario(folder)))
    assert (PARTY / "oak_hill_tiles.png").is_file()


LOST = GRID.replace("closed]\n10*1", "closed]\n0 8*1 0").replace("e]\n10*0", "e]\n1 8*0 2")


@pytest.mark.parametrize(
    ("file", "grid", "sealed"), [("lodge.tmj", GRID, ()), ("lost.tmx", LOST, ((9, 0),))]
)
def test_corridors_long_tables_and_spawn_tiles_are_read(
    file: str, grid: str, sealed: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    """Also where there is no way to some ground and some floor, which are closed as before."""
    files: Files = {**LODGE, "map.grid": grid}
    town = lay_out(load_scenario(write(tmp_path / "grid", files)))
    assert town.sealed == sealed
    drawn = load_scenario(write_map(tmp_path / "school", school()))
    assert_equal_towns(
        lay_out(drawn), import_map(tmp_path / "school" / "school.tmj", tmp_path / "same")
    )
    assert_equal_towns(town, import_map(DRAWN / file, tmp_path / "again"))
    assert (tmp_path / "again" / "ann_low.png").is_file()
