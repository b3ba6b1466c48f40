"""Whatever is in a map, its faults are listed: nothing is raised, and nothing takes long."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.scenario import lay_out, load_scenario, validate_folder
from tests.scenario.bad_folders import write
from tests.scenario.tiled.maps import FILE, SCENARIO, TMX, school

STRANGE: list[object] = [
    *(None, True, -1, 0, 3, 10**9, 10**30, 1.5, 1e308, "", "a/b", "\u0000", "x" * 5000, "ß"),
    *([], [[]], {}, {"x": 1}, [1, 2, 3], "objectgroup", "tilelayer", "group", "base64", "zlib"),
    *("outside", "nobody", "School", "library", "Ann Lee", 0xFFFFFFFF, [{"x": 0, "y": 0}] * 2),
]


def list_places(node: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every key and index of the map; of tiles only the first, which stand for the others."""
    entries = node.items() if isinstance(node, dict) else enumerate(node)  # type: ignore[arg-type]
    for key, value in entries:
        if isinstance(key, int) and isinstance(value, int) and key > 2:
            return
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from list_places(value, (*path, key))


def mutate(dice: random.Random, places: list[tuple[str | int, ...]]) -> object:
    table: object = school()
    for _ in range(dice.choice((1, 1, 2, 3))):
        place, *_ = dice.choices(places)
        node: object = table
        try:
            for part in place[:-1]:
                node = node[part]  # type: ignore[index]
            if dice.random() < 0.2:
                del node[place[-1]]  # type: ignore[attr-defined]
            else:
                node[place[-1]] = dice.choice(STRANGE)  # type: ignore[index]
        except (LookupError, TypeError):  # an earlier change took this place away
            continue
    return table


def check(folder: Path) -> bool:
    faults = validate_folder(folder)
    for fault in faults:
        assert fault.isprintable()
        assert len(fault) <= 1000
    if not faults:
        lay_out(load_scenario(folder))
    return not faults


def test_any_value_anywhere_gives_a_town_or_faults(tmp_path: Path) -> None:
    dice, places = random.Random(0), list(list_places(school()))  # noqa: S311 - a test's dice
    valid = 0
    for _ in range(40):
        text = json.dumps(mutate(dice, places))
        valid += check(write(tmp_path, {"scenario.toml": SCENARIO, FILE: text}))
    assert 1 < valid < 39


@pytest.mark.parametrize("end", ["tmj", "tmx"])
def test_any_bytes_give_a_town_or_faults(end: str, tmp_path: Path) -> None:
    dice = random.Random(7)  # noqa: S311 - a test's dice
    good = (json.dumps(school()) if end == "tmj" else TMX).encode()
    scenario = SCENARIO.replace(".tmj", f".{end}")
    if end == "tmx":  # of another town
        scenario = scenario.replace("School/class room", "Cottage/kitchen")
        scenario = scenario.replace("School/library", "Cottage/study")
    valid = 0
    for _ in range(40):
        data = bytearray(good)
        for _ in range(dice.choice((1, 2, 8))):
            place = dice.randrange(len(data))
            change = dice.choice(("put", "cut", "copy"))
            if change == "put":
                data[place] = dice.choice(b'0123456789"<>[]{},./-x \xff\x00')
            elif change == "cut":
                del data[place : place + dice.randrange(1, 30)]
            else:
                data[place:place] = data[place : place + dice.randrange(1, 60)]
        files: dict[str, str | bytes] = {"scenario.toml": scenario}
        files[f"school.{end}"] = bytes(data)
        valid += check(write(tmp_path, files))
    assert valid < 38
