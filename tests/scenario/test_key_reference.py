"""The reference of scenario keys is whole, true to the schema, and the one in the documents."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from genagents_env.errors import ConfigError
from genagents_env.scenario.faults import list_tables
from genagents_env.scenario.key_reference import (
    NONE,
    REQUIRED,
    KeyTable,
    find_key_tables,
    format_key_reference,
    list_key_tables,
)
from genagents_env.scenario.maps.tiled.places import KEYS, NEXT, PART
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Scenario, SectorSpec

TABLES = list_key_tables()
DOCS = Path(__file__).resolve().parents[2] / "docs"


def list_schema_models() -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = [Scenario]
    for model in found:
        within = [one for f in model.model_fields.values() for one in list_tables(f.annotation)]
        found += [one for one in dict.fromkeys(within) if one not in found]
    return found


def test_the_page_has_the_tables_there_are() -> None:
    """Written by `genagents list keys --markdown`, behind the words of the page."""
    assert (DOCS / "scenario_keys.md").read_text().endswith(format_key_reference())


def test_every_key_of_the_schema_is_in_it() -> None:
    keys = sum(len(table.keys) for table in list_key_tables())
    fields = sum(len(model.model_fields) for model in list_schema_models())
    assert keys == fields
    assert len(list_key_tables()) == len(list_schema_models()) > 25


@pytest.mark.parametrize("model", list_schema_models())
def test_meanings_are_of_keys_that_are_there(model: type[BaseModel]) -> None:
    _, _, told = (inspect.getdoc(model) or "").partition("Attributes:\n")
    names = re.findall(r"^    (\w+): ", told, re.M)
    assert names == list(model.model_fields)


@pytest.mark.parametrize("table", TABLES, ids=[table.paths[0] for table in TABLES])
def test_a_default_shown_is_the_one_that_holds(table: KeyTable) -> None:
    models = {model.__doc__: model for model in list_schema_models()}
    ours = [m for doc, m in models.items() if " ".join((doc or "").split()).startswith(table.text)]
    (model,) = (m for m in ours if {k.name for k in table.keys} <= set(m.model_fields))
    for key in table.keys:
        default = model.model_fields[key.name].get_default(call_default_factory=True)
        if key.default == REQUIRED:
            assert default is PydanticUndefined, key.name
        elif key.default == NONE:
            assert default is None, key.name
        else:
            shown = tomllib.loads(f"x = {key.default}")["x"]
            plain = {} if isinstance(default, BaseModel) else default
            assert shown == (list(plain) if isinstance(plain, tuple) else plain), key.name


def test_tables_are_found_by_where_they_stand() -> None:
    found, within = find_key_tables("rules")
    assert [table.heads for table in found] == [("[rules]",)]
    assert within == ("rules.conversation",)
    kinds = [table.heads[0] for table in find_key_tables("checks")[0]]
    assert '[[checks]] kind = "answer"' in kinds
    assert "[[checks.values]]" in kinds
    (memory,), _ = find_key_tables("people.past.memories")
    assert memory.heads == ("[[people.memories]]", "[[people.past.memories]]")
    with pytest.raises(ConfigError, match='no table "evnts" in a scenario; did you mean "events"'):
        find_key_tables("evnts")


PAGE = (Path(__file__).parents[2] / "docs" / "maps.md").read_text()
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
