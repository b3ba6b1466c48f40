"""Whatever a folder says, loading it gives a scenario or a ScenarioError."""

import tempfile
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.errors import ScenarioError
from genagents_env.scenario import Scenario, lay_out, load_scenario, validate_folder
from genagents_env.scenario.faults import Origins
from genagents_env.scenario.files import Folder
from genagents_env.scenario.loader import check_folder
from tests.scenario.bad_folders import CHECKED, DRAWN, GOOD, write

BASE = tomllib.loads(CHECKED["scenario.toml"])
BASE["people"] = [tomllib.loads(GOOD[f"people/{name}.toml"]) for name in ("una", "vic")]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**17), 10**17),
    st.floats(),
    st.datetimes(timezones=st.one_of(st.none(), st.timezones())),
    st.dates(),
    st.times(),
    st.text(max_size=20),
    st.sampled_from(
        ["Una Ash", "Inn", "Inn/attic", "Inn/taproom/hearth", "lit", "t", "feast", "#"]
    ),
    st.sampled_from(
        [0, 1, 2, 64, 512, "\ud800", "\x1b]0;x\x07", "everyone", "(", "a{99999999999}"]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def _spots(data: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(data, list):
        data = dict(enumerate(data))
    spots = [path] if path else []
    for key, value in data.items() if isinstance(data, dict) else ():
        spots += _spots(value, (*path, key))
    return spots


SPOTS = _spots(BASE)


@st.composite
def raws(draw: st.DrawFn) -> dict[str, Any]:
    """The good scenario with up to four values replaced, removed, doubled or renamed."""
    raw: dict[str, Any] = deepcopy(BASE)
    for _ in range(draw(st.integers(1, 4))):
        *path, key = draw(st.sampled_from(SPOTS))
        place: Any = raw
        for part in path:
            known = isinstance(place, dict) and part in place
            listed = isinstance(place, list) and isinstance(part, int) and part < len(place)
            place = place[part] if known or listed else None
        if isinstance(place, dict) and key in place:
            _mutate(draw, place, key)
        elif isinstance(place, list) and place:
            at = draw(st.integers(0, len(place) - 1))
            place[at] = draw(values) if draw(st.booleans()) else deepcopy(place[0])
            place += place[: draw(st.integers(0, 1))]
    if draw(st.booleans()):
        raw["map"] = draw(st.just(DRAWN["map.txt"]) | st.text("#.+ tahb\n?", max_size=80))
    return raw


def _mutate(draw: st.DrawFn, place: dict[str, Any], key: str) -> None:
    how = draw(st.sampled_from(["replace", "remove", "rename", "swap"]))
    value = place.pop(key)
    if how == "replace":
        place[key] = draw(values)
    elif how == "rename":
        place[draw(st.text(max_size=10))] = value
    elif how == "swap" and place:
        other = draw(st.sampled_from(sorted(place)))
        place[key], place[other] = place[other], value


@settings(max_examples=200, deadline=None)
@given(raws())
def test_mutated_data_gives_a_scenario_that_lays_out_or_faults_in_words(
    raw: dict[str, Any],
) -> None:
    checked = check_folder(Folder(raw, Origins([("p.toml", ""), ("q.toml", "")])))
    for fault in checked.faults:
        assert len(fault.split(":", 2)) == 3
        assert "\n" not in fault
        fault.encode()
    if not checked.faults:
        assert checked.scenario is not None
        lay_out(checked.scenario)
        data = checked.scenario.model_dump_json()
        assert Scenario.model_validate_json(data) == checked.scenario


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(DRAWN)), st.data())
def test_mutated_text_gives_a_scenario_or_a_scenario_error(name: str, data: st.DataObject) -> None:
    text = DRAWN[name]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    noise = data.draw(st.text(st.characters(codec="utf-8"), max_size=12))
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), {**DRAWN, name: text[:start] + noise + text[end:]})
        faults = validate_folder(path)
        if faults:
            with pytest.raises(ScenarioError):
                load_scenario(path)
        else:
            lay_out(load_scenario(path))
