"""Broken maps in layers of numbers: each fault names file, line, tile and what is allowed."""

from pathlib import Path

import pytest

from genagents_env.scenario import validate_folder
from tests.scenario.bad_folders import Bad, Files, read_rows, write
from tests.scenario.large_town import GRID, LODGE

DOORS: Files = {**LODGE, "map.grid": GRID.replace("[layer closed]", "[doors]\n1 1\n[layer closed]")}
ONE_BED: Files = {**LODGE, "map.grid": GRID.replace("1 1 1 0 0 0 3 0", "1 1 1 5*0")}

M, S = "map.grid", "scenario.toml"
BAD = {
    **read_rows("lodge", LODGE),
    **read_rows("lodge_with_doors", DOORS),
    "empty": Bad(M, GRID.partition("\n")[2], "", 'map.grid:line 2: "" is no size; such as', LODGE),
    "object not drawn": Bad(M, "8*0 3 0", "10*0", '"Lodge/room/bed"', ONE_BED),
    "start in another's corridor": Bad(
        S,
        'name = "Lodge"\ncommon = true',
        'name = "Lodge"\nusers = ["Ann Low"]',
        'start: Bob Mey is not among the users of "Lodge"',
        {**LODGE, S: LODGE[S].replace('"4,3"', '"4,4"')},
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_grid_faults_name_their_place(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    faults = validate_folder(write(tmp_path, bad.files()))
    assert any(bad.message in fault for fault in faults), faults
    rows = 18 if name == "another size" else 0
    assert len(faults) <= 4 + rows, "one slip is not told as many"


def test_unchanged_grids_are_valid(tmp_path: Path) -> None:
    for name, files in {"plain": LODGE, "doors": DOORS, "bed": ONE_BED}.items():
        assert validate_folder(write(tmp_path / name, files)) == []
