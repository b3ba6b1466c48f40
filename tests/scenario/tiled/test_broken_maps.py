import base64
import tracemalloc
import zlib
from pathlib import Path
from typing import cast

import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.scenario.maps.tiled import merging
from tests.scenario.bad_folders import write
from tests.scenario.tiled.broken_maps import BROKEN
from tests.scenario.tiled.maps import SCENARIO, school, write_map


def test_the_base_of_the_corpus_is_valid(tmp_path: Path) -> None:
    assert validate_folder(write_map(tmp_path, school())) == []


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_map_is_named_with_layer_object_and_tile(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    files = {"scenario.toml": SCENARIO, **broken.files}
    folder = write(tmp_path / "folder", files)
    faults = validate_folder(folder)
    assert any(fault.startswith(broken.message) for fault in faults), faults
    assert len(faults) <= 3, faults
    with pytest.raises(ScenarioError) as caught:
        load_scenario(folder)
    assert caught.value.faults == faults


def test_a_map_of_too_many_pieces_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "MAP_LIMIT", 100)
    (fault,) = validate_folder(write_map(tmp_path, school()))
    assert fault.startswith("school.tmj:file: its places take ")
    assert "at most 100 are allowed: draw them fewer or plainer" in fault


def test_packed_tiles_in_the_place_of_a_shape_are_not_unpacked(tmp_path: Path) -> None:
    packed = base64.b64encode(zlib.compress(bytes(32 << 20), 9)).decode()
    layer = {"type": "tilelayer", "name": "bomb", "opacity": 1, "visible": True}
    layer |= {"width": 4, "height": 4, "encoding": "base64", "compression": "zlib", "data": packed}
    town = school()
    tilesets = cast("list[dict[str, list[object]]]", town["tilesets"])
    tilesets[0]["tiles"].append({"id": 0, "objectgroup": layer})
    folder = write_map(tmp_path, town)
    tracemalloc.start()
    try:
        assert validate_folder(folder) == []
        # reading any file takes a buffer of 16 MB; these tiles unpacked take more than 32 MB
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()
