"""Pictures of people: named by scenario or map, kept in the scenario, drawn, and in no hash."""

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from genagents_env import town_v0
from genagents_env.scenario import Scenario, load_scenario, validate_folder
from genagents_env.scenario.digest import digest_scenario
from genagents_env.scenario.maps.tiled import convert_map
from genagents_env.scenario.sprites import decode_sprite
from tests.scenario.bad_folders import write
from tests.scenario.tiled.maps import (
    FILE,
    SCENARIO,
    Table,
    change,
    properties,
    school,
    write_map,
)

PINK = (255, 0, 200, 255)


def png(side: int = 8) -> bytes:
    content = BytesIO()
    Image.new("RGBA", (side, side), PINK).save(content, "PNG")
    return content.getvalue()


def named(sprite: str, file: bytes | None = None, name: str = "ann.png") -> dict[str, str | bytes]:
    """The school whose Ann Lee has a picture by scenario.toml."""
    text = SCENARIO.replace('name = "Ann Lee"', f'name = "Ann Lee"\nsprite = "{sprite}"')
    files: dict[str, str | bytes] = {"scenario.toml": text, FILE: json.dumps(school())}
    return files if file is None else {**files, name: file}


def by_map(sprite: str = "ann.png") -> Table:
    own = properties(person="Ann Lee", sprite=sprite)
    return change((("layers", 6, "objects", 0, "properties"), own))


def test_the_scenario_holds_the_picture_and_no_hash_does(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", named("ann.png", png()))
    assert validate_folder(folder) == []
    scenario = load_scenario(folder)
    sprite = scenario.people[0].sprite
    assert sprite is not None
    assert decode_sprite(sprite) == png()
    assert scenario.people[1].sprite is None
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    plain = load_scenario(write_map(tmp_path / "b", school()))
    assert digest_scenario(scenario) == digest_scenario(plain)
    assert "sprite" not in plain.model_dump_json()


def test_a_map_may_name_it_and_takes_it_along(tmp_path: Path) -> None:
    write_map(tmp_path / "drawn", by_map())
    (tmp_path / "drawn" / "ann.png").write_bytes(png())
    scenario = load_scenario(tmp_path / "drawn")
    files = convert_map(tmp_path / "drawn" / FILE, "again")
    assert files["ann.png"] == png()
    again = load_scenario(write(tmp_path / "in", files))
    assert again.people[0].sprite == scenario.people[0].sprite is not None


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (named("ann.png"), '"ann.png": there is no such file in the folder'),
        (named("../ann.png", png(), "../ann.png"), '"../ann.png": leads out of the scenario fold'),
        (named("/etc/hostname"), '"/etc/hostname": leads out of the scenario folder'),
        (named("ann.png", b"GIF89a"), '"ann.png": a PNG of at most 256 x 256 pixels and 32768'),
        (named("ann.png", png()[:40]), '"ann.png": a PNG of at most 256 x 256'),
        (named("ann.png", png(257)), '"ann.png": a PNG of at most 256 x 256'),
        (named("ann.png", png() + bytes(40_000)), '"ann.png": '),
        (named("", png()), '"": '),
    ],
)
def test_files_that_are_no_picture_are_faults(
    files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    faults = validate_folder(write(tmp_path / "folder", files))
    assert [fault for fault in faults if f"scenario.toml:people[0].sprite: {message}" in fault]
    assert len(faults) == 1


def test_a_grid_may_name_it_and_a_picture_of_nobody_is_at_fault(tmp_path: Path) -> None:
    write_map(tmp_path / "drawn", school())
    files = convert_map(tmp_path / "drawn" / FILE, "grid")
    layer = "[layer closed]"
    grid = str(files["map.grid"]).replace(layer, f"[sprites]\nAnn Lee = a.png\n\n{layer}")
    folder = write(tmp_path / "grid", {**files, "map.grid": grid, "a.png": png()})
    assert validate_folder(folder) == []
    assert load_scenario(folder).people[0].sprite is not None
    (folder / "map.grid").write_text(grid.replace("Ann Lee = a", "Cy Day = a"))
    assert validate_folder(folder) == ['map.grid:sprites: no person "Cy Day" in the scenario']
    spawn: tuple[str | int, ...] = ("layers", 6, "objects", 0)
    table = change(((*spawn, "properties"), properties(sprite="a.png")), ((*spawn, "name"), "x"))
    (fault,) = validate_folder(write_map(tmp_path / "nobody", table))
    assert 'object 9 "x": property "sprite" without "person"; say whose picture it is' in fault


def test_the_picture_shows_it(tmp_path: Path) -> None:
    def count_pink(folder: Path) -> int:
        env = town_v0.parallel_env(scenario=folder, render_mode="rgb_array")
        env.reset(seed=1)
        frame = env.render()
        env.close()
        assert isinstance(frame, np.ndarray)
        return int((frame == np.array(PINK[:3])).all(axis=2).sum())

    write_map(tmp_path / "plain", school())
    write(tmp_path / "sprite", named("ann.png", png()))
    assert count_pink(tmp_path / "plain") == 0
    assert count_pink(tmp_path / "sprite") > 400  # on the map, and in the list beside it
