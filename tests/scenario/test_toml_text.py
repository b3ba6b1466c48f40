"""A scenario written as a folder is the same scenario when it is loaded again."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from genagents_env.scenario import Scenario, list_scenario_names, load_scenario, validate_folder
from genagents_env.scenario.sprites import encode_sprite
from genagents_env.scenario.toml_text import format_scenario
from genagents_env.train.tasks.layouts import draw_town


def write(scenario: Scenario, folder: Path) -> Path:
    for name, content in format_scenario(scenario, "# Written by a test.\n\n").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", list_scenario_names())
def test_every_shipped_scenario_is_the_same_after_writing_and_loading(
    name: str, tmp_path: Path
) -> None:
    scenario = load_scenario(name)
    folder = write(scenario, tmp_path / name)
    assert validate_folder(folder) == []
    assert load_scenario(folder) == scenario


@pytest.mark.parametrize("seed", [0, 7, 1_000_003])
def test_a_drawn_town_is_the_same_after_writing_and_loading(seed: int, tmp_path: Path) -> None:
    town = draw_town(seed)
    assert load_scenario(write(town, tmp_path / "town")) == town


def test_the_picture_of_a_person_is_a_file(tmp_path: Path) -> None:
    png = BytesIO()
    Image.new("RGB", (4, 4)).save(png, "PNG")
    tiny = load_scenario("tiny")
    ada = tiny.people[0].model_copy(update={"sprite": encode_sprite(png.getvalue())})
    scenario = tiny.model_copy(update={"people": (ada, *tiny.people[1:])})
    folder = write(scenario, tmp_path / "tiny")
    assert (folder / "person_1.png").read_bytes() == png.getvalue()
    assert load_scenario(folder) == scenario
