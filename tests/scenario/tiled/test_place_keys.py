"""The properties of places: the page names them all, and they are keys of the schema."""

import re
from pathlib import Path

import pytest

from genagents_env.scenario.maps.tiled.places import KEYS, NEXT, PART
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, SectorSpec

PAGE = (Path(__file__).parents[3] / "docs" / "maps.md").read_text()
ROWS = dict(re.findall(r"^\| `(\w+)s` \|(.+)$", PAGE, re.M))
_DRAWN = {"name", "arenas", "objects", "spawns", "symbol", "size", "at", "tiles", "next"}


@pytest.mark.parametrize("kind", KEYS)
def test_the_page_names_every_property(kind: str) -> None:
    said = set(re.findall(r"`([a-z_]+)`", ROWS[kind].split("|")[1]))
    assert {key for key in KEYS[kind] if key != PART} == said - {"collisions"}
    assert (f"`{NEXT}STATE`" in ROWS[kind]) == (kind == "object")
    assert f"`{PART}`" in PAGE


@pytest.mark.parametrize(
    ("kind", "model", "else_"),
    [
        ("sector", SectorSpec, {"open_air"}),
        ("arena", ArenaSpec, {"sector"}),
        ("object", ObjectSpec, {"arena"}),
    ],
)
def test_all_that_a_scenario_says_of_a_place_a_map_may_say(
    kind: str, model: type[SectorSpec | ArenaSpec | ObjectSpec], else_: set[str]
) -> None:
    assert {*KEYS[kind]} - {PART} - else_ == {*model.model_fields} - _DRAWN
