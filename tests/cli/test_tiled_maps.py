import csv
from pathlib import Path

import pytest

from genagents_env.scenario import lay_out, load_scenario
from tests.cli.conftest import Run


@pytest.mark.parametrize("end", ["tmj", "tmx"])
def test_a_town_goes_out_and_in_by_two_commands(end: str, genagents: Run) -> None:
    code, out, _ = genagents("map", "export-tiled", "tiny", f"corner.{end}")
    assert (code, out.split()) == (0, [f"corner.{end}", "corner_tiles.png"])
    assert Path("corner_tiles.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = genagents("map", "import-tiled", f"corner.{end}", "corner")
    assert code == 0
    assert out.startswith("corner: 15 x 8 tiles, 1 sectors, 2 arenas, 4 objects on 4 tiles")
    assert genagents("validate", "corner") == (0, "corner: valid\n", "")
    plan, tiny = lay_out(load_scenario("corner")), lay_out(load_scenario("tiny"))
    assert plan.objects == tiny.objects
    assert plan.doors == tiny.doors
    assert genagents("run", "corner", "--hours", "0.05", "-q")[0] == 0


def test_a_new_scenario_goes_on_in_tiled(genagents: Run) -> None:
    genagents("new", "pond")
    plan = lay_out(load_scenario("pond"))
    assert genagents("map", "export-tiled", "./pond", "pond/town.tmj")[0] == 0
    Path("pond/map.txt").unlink()
    file = Path("pond/scenario.toml")
    file.write_text('map = "town.tmj"\n' + file.read_text())
    assert genagents("validate", "pond") == (0, "pond: valid\n", "")
    again = lay_out(load_scenario("pond"))
    assert again.objects == plan.objects
    assert (again.arena == plan.arena).all()


def test_csv_has_a_file_a_layer_and_names_in_it(genagents: Run) -> None:
    code, out, _ = genagents("map", "export-tiled", "tiny", "corner.csv")
    assert code == 0
    names = ("ground", "collisions", "sectors", "arenas", "objects", "doors", "spawns")
    assert out.split() == [f"corner_{name}.csv" for name in names]
    plan = lay_out(load_scenario("tiny"))
    rows = {
        name: list(csv.reader(Path(f"corner_{name}.csv").read_text().splitlines()))
        for name in names
    }
    for y in range(plan.height):
        for x in range(plan.width):
            index = int(plan.arena[y, x])
            assert rows["arenas"][y][x] == (plan.arena_id(index) if index else "-1")
            assert (rows["collisions"][y][x] == "closed") == plan.blocked[y, x]
            assert (rows["doors"][y][x] == "door") == ((x, y) in plan.doors)
    placed = {(x, y): rows["objects"][y][x] for x, y in (item.tile for item in plan.objects)}
    assert sorted(placed.values()) == sorted(plan.object_id(i) for i in range(len(plan.objects)))


def test_what_cannot_be_done_is_told_and_nothing_is_left_behind(genagents: Run) -> None:
    assert genagents("map", "export-tiled", "tiny", "corner.bmp")[::2] == (
        2,
        "genagents: corner.bmp has no end by which Tiled knows a map; allowed: .tmj, .tmx, .csv\n",
    )
    code, _, err = genagents("map", "import-tiled", "nothing.tmj", "corner")
    assert (code, err) == (2, "genagents: nothing.tmj:file: there is no such file\n")
    Path("bad.tmj").write_text("{")
    code, _, err = genagents("map", "import-tiled", "bad.tmj", "corner")
    assert code == 2
    assert err.startswith("genagents: bad.tmj:file: not JSON: ")
    assert not Path("corner").exists()
    genagents("map", "export-tiled", "tiny", "good.tmj")
    Path("corner").mkdir()
    code, _, err = genagents("map", "import-tiled", "good.tmj", "corner")
    assert code == 2
    assert "is there already" in err
    assert list(Path("corner").iterdir()) == []


def test_a_map_that_somebody_drew_on_is_not_written_over(genagents: Run) -> None:
    for _ in range(2):  # the same again is no harm
        assert genagents("map", "export-tiled", "tiny", "corner.tmj")[0] == 0
    file = Path("corner.tmj")
    file.write_text(drawn_on := file.read_text() + "\n")
    code, _, error = genagents("map", "export-tiled", "tiny", "corner.tmj")
    assert (code, file.read_text()) == (2, drawn_on)
    assert "corner.tmj is there already, and nothing is replaced" in error
