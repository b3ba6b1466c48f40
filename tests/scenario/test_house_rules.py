"""The scenario that provokes the failures of Park et al.: what happens is what the page says."""

import re
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.study.evaluate.measure import take_measures
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.measures.doors import find_noon_guests, find_waits
from genagents_env.study.evaluate.measures.norms import find_attempts
from genagents_env.study.evaluate.run_data import RunData

PAGE = Path(__file__).parents[2] / "scenarios" / "house_rules" / "README.md"
BATH, SHOP = "Students' house/bathroom", "Corner shop/sales room"
KEYS = {
    "refused_full": [BATH],
    "refused_closed": [SHOP],
    "before_door": [BATH, SHOP],
    "after_hours": [SHOP],
    "overcrowded": [BATH],
    "bar_at_noon": ["came", "drank"],
}


def live(path: Path, policy: str) -> RunData:
    spec = RunSpec(TownConfig("house_rules"), policy=PolicySpec(policy))
    assert run(spec, path / "run.sqlite", RunOptions(interviews=False)).status == "finished"
    return RunData(RunReader(path / "run.sqlite"))


def measure_all(data: RunData) -> dict[str, list[float | None]]:
    values, faults = take_measures(data, [load_measure(name) for name in KEYS])
    assert faults == ()
    return {name: [values[f"{name}.{key}"] for key in keys] for name, keys in KEYS.items()}


def test_everyday_routines_bring_all_three_about(tmp_path: Path) -> None:
    data = live(tmp_path, "scripted")
    with data.reader:
        measured = measure_all(data)
        tried = {(one.agent, one.place) for one in find_attempts(data)}
        waited = {(one.agent, one.place) for one, _ in find_waits(data)}
        guests = find_noon_guests(data)
    shown = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\d., ]+) \|$", PAGE.read_text(), re.MULTILINE))
    assert {name: [float(n) for n in cells.split(", ")] for name, cells in shown.items()} == {
        name: [pytest.approx(value, abs=0.05) for value in values]
        for name, values in measured.items()
    }
    kilian, lotte, jette = "Kilian Voss", "Lotte Haas", "Jette Brandt"
    assert tried == {(kilian, BATH), (lotte, BATH), (kilian, SHOP), (lotte, SHOP)}
    assert waited == {(kilian, BATH), (lotte, BATH), (kilian, SHOP)}
    assert guests == (frozenset({jette, lotte}), frozenset({jette, lotte}))
