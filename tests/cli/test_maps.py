"""`genagents map`: a town from matrices or from Tiled in one command, and pictures of towns."""

from pathlib import Path

import pytest
from PIL import Image

from genagents_env.scenario import lay_out, load_scenario
from tests.cli.conftest import Run
from tests.scenario.bad_folders import write
from tests.scenario.tiled.test_towns import DRAWN
from tests.scenario.ville.matrices import VILLE


def test_matrices_become_a_town_that_runs(genagents: Run, tmp_path: Path) -> None:
    write(tmp_path / "matrices", VILLE)
    code, out, err = genagents("map", "import-ville", "matrices", "lodge", "--people", "2")
    assert (code, err) == (0, "")
    assert "lodge: 10 x 7 tiles, 2 sectors, 3 arenas, 4 objects on 7 tiles, 2 spawn tiles\n" in out
    assert "1 of its tiles is closed, since there is no way there: [8, 2]" in out
    assert "genagents run lodge --policy random" in out
    assert len(load_scenario("lodge").people) == 2
    code, out, _ = genagents("validate", "lodge")
    assert code == 0
    assert "[8, 2]" in out
    assert out.endswith("lodge: valid\n")
    run = ("run", "lodge", "--policy", "random", "--hours", "0.05", "--out", "lodge.sqlite", "-q")
    assert genagents(*run)[0] == 0


@pytest.mark.parametrize("end", ["tmj", "tmx"])
def test_a_map_of_tiled_becomes_a_town_in_one_command(end: str, genagents: Run) -> None:
    code, out, _ = genagents("map", "import-tiled", str(DRAWN / f"tiny.{end}"), "corner")
    assert code == 0
    assert out.startswith("corner: 15 x 8 tiles, 1 sectors, 2 arenas, 4 objects on 4 tiles")
    assert genagents("validate", "corner") == (0, "corner: valid\n", "")
    plan, tiny = lay_out(load_scenario("corner")), lay_out(load_scenario("tiny"))
    assert plan.objects == tiny.objects
    assert plan.doors == tiny.doors
    assert genagents("run", "corner", "--hours", "0.05", "-q")[0] == 0


def test_what_is_there_is_never_replaced_and_what_is_broken_not_made(
    genagents: Run, tmp_path: Path
) -> None:
    write(tmp_path / "matrices", VILLE)
    write(tmp_path / "shut", {**VILLE, "maze/collision_maze.csv": "1," * 70})
    (tmp_path / "lodge").mkdir()
    Path("bad.tmj").write_text("{")
    for command, source, name, said in (
        ("import-ville", "matrices", "lodge", "lodge is there already"),
        ("import-ville", "shut", "other", "nobody can stand at [1, 1]"),
        ("import-ville", "nowhere", "other", "maze_meta_info.json cannot be read"),
        ("import-tiled", "nothing.tmj", "other", "nothing.tmj:file: there is no such file\n"),
        ("import-tiled", "bad.tmj", "other", "bad.tmj:file: not JSON: "),
        ("import-tiled", str(DRAWN / "tiny.tmj"), "lodge", "is there already"),
        ("draw", "tiny", "--out=no/such/folder.png", "cannot be written"),
    ):
        code, _, err = genagents("map", command, source, name)
        assert (code, said in err) == (2, True)
    assert list(Path("lodge").iterdir()) == []
    assert not (tmp_path / "other").exists()
    code, out, _ = genagents("map", "draw", "tiny")
    with Image.open(tmp_path / "tiny.png") as picture:
        assert (code, out) == (0, f"tiny.png: {picture.width} x {picture.height} pixels\n")
