import shutil
from pathlib import Path

import pytest
from PIL import Image
from pytiled_parser import parse_map

from genagents_env.scenario import lay_out, list_scenario_names, load_scenario, validate_folder
from genagents_env.scenario.tiled import convert_map, export_town
from tests.scenario.bad_folders import write
from tests.scenario.large_town import GRID, LODGE
from tests.scenario.tiled.maps import SCENARIO, school, to_tmx, write_files, write_map
from tests.scenario.tiled.towns import assert_equal_towns

_QUICK = ("tiny", "simuverse_park", "murder_mystery")
TOWNS = [
    pytest.param(name, end, marks=() if name in _QUICK else pytest.mark.slow)
    for name in list_scenario_names()
    for end in ("tmj", "tmx")
]
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("name", "end"), TOWNS)
def test_a_shipped_town_goes_out_and_in_unchanged(name: str, end: str, tmp_path: Path) -> None:
    scenario = load_scenario(name)
    path, image = export_town(scenario, tmp_path / f"town.{end}")
    assert image.name == "town_tiles.png"
    assert parse_map(path).tilesets[1].image_width == Image.open(image).width
    folder = write_files(tmp_path / "again", convert_map(path, "again"))
    assert validate_folder(folder) == []
    assert_equal_towns(lay_out(scenario), lay_out(load_scenario(folder)))


@pytest.mark.parametrize("end", ["tmj", "tmx"])
def test_a_map_drawn_in_tiled_goes_in_and_out_unchanged(end: str, tmp_path: Path) -> None:
    """By reference, then exported, imported, exported again: always the same town, and map."""
    drawn = load_scenario(write_map(tmp_path / "drawn", school()))
    first = export_town(drawn, tmp_path / f"school.{end}")
    folder = write_files(tmp_path / "again", convert_map(first[0], "again"))
    again = load_scenario(folder)
    assert_equal_towns(lay_out(drawn), lay_out(again))
    (tmp_path / "second").mkdir()
    second = export_town(again, tmp_path / "second" / f"school.{end}")
    texts = [path.read_text().replace("Schooltown", "") for path in (first[0], second[0])]
    assert texts[0] == texts[1]
    assert [path.name for path in first] == [path.name for path in second]


def test_both_formats_of_one_map_are_one_town(tmp_path: Path) -> None:
    files = {"scenario.toml": SCENARIO.replace(".tmj", ".tmx"), "school.tmx": to_tmx(school())}
    other = load_scenario(write_files(tmp_path / "tmx", files))
    assert load_scenario(write_map(tmp_path / "tmj", school())) == other


def test_a_folder_with_an_exported_map_is_the_scenario_itself(tmp_path: Path) -> None:
    """What the map says as well as scenario.toml is said alike, so both may stay."""
    folder = tmp_path / "valentines_party"
    shutil.copytree(ROOT / "scenarios" / "valentines_party", folder)
    plan = lay_out(load_scenario("valentines_party"))
    export_town(load_scenario("valentines_party"), folder / "oak_hill.tmj")
    text = (folder / "scenario.toml").read_text()
    (folder / "scenario.toml").write_text(f'map = "oak_hill.tmj"\n{text}')
    assert_equal_towns(plan, lay_out(load_scenario(folder)))


@pytest.mark.parametrize("end", ["tmj", "tmx"])
def test_corridors_long_tables_and_spawn_tiles_go_out_and_in(end: str, tmp_path: Path) -> None:
    """Also where there is no way to some ground and some floor, which are closed as before."""
    lost = GRID.replace("closed]\n10*1", "closed]\n0 8*1 0").replace("e]\n10*0", "e]\n1 8*0 2")
    for name, grid in (("plain", GRID), ("lost", lost)):
        scenario = load_scenario(write(tmp_path / name, {**LODGE, "map.grid": grid}))
        assert lay_out(scenario).sealed == (((9, 0),) if name == "lost" else ())
        path, _, picture = export_town(scenario, tmp_path / name / f"town.{end}")
        assert picture.name == "ann_low.png"
        again = load_scenario(write_files(tmp_path / f"{name} again", convert_map(path, "again")))
        assert_equal_towns(lay_out(scenario), lay_out(again))


def test_the_shipped_map_is_the_town_of_the_party(tmp_path: Path) -> None:
    shipped = ROOT / "scenarios" / "valentines_party" / "oak_hill.tmj"
    folder = write_files(tmp_path, convert_map(shipped, "oak_hill"))
    assert_equal_towns(lay_out(load_scenario("valentines_party")), lay_out(load_scenario(folder)))
    assert shipped.with_name("oak_hill_tiles.png").is_file()
