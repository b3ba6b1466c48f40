"""`genagents map`: a town from matrices in one command, and pictures of towns."""

from pathlib import Path

from PIL import Image

from genagents_env.scenario import load_scenario
from tests.cli.conftest import Run
from tests.scenario.ville.matrices import VILLE, write_ville


def test_matrices_become_a_town_that_lives_in_one_command(genagents: Run, tmp_path: Path) -> None:
    write_ville(tmp_path / "matrices")
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


def test_what_is_there_is_never_replaced_and_what_is_broken_not_made(
    genagents: Run, tmp_path: Path
) -> None:
    write_ville(tmp_path / "matrices")
    (tmp_path / "lodge").mkdir()
    code, _, err = genagents("map", "import-ville", "matrices", "lodge")
    assert code == 2
    assert "lodge is there already" in err
    write_ville(tmp_path / "shut", {**VILLE, "maze/collision_maze.csv": "1," * 70})
    code, _, err = genagents("map", "import-ville", "shut", "other")
    assert code == 2
    assert "nobody can stand at [1, 1]" in err
    assert not (tmp_path / "other").exists()
    code, _, err = genagents("map", "import-ville", "nowhere", "other")
    assert code == 2
    assert "maze_meta_info.json cannot be read" in err


def test_any_scenario_is_drawn(genagents: Run, tmp_path: Path) -> None:
    code, out, _ = genagents("map", "draw", "tiny")
    assert code == 0
    with Image.open(tmp_path / "tiny.png") as picture:
        assert out == f"tiny.png: {picture.width} x {picture.height} pixels\n"
    code, _, err = genagents("map", "draw", "tiny", "--out", "no/such/folder.png")
    assert code == 2
    assert "cannot be written" in err
