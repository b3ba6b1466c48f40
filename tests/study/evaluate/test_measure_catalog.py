import math
import re
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.evaluate.measure import Measure, measure, take_values
from genagents_env.study.evaluate.measures import (
    DEFAULT,
    MEASURES,
    find_measures,
    find_version,
    format_measure_table,
    list_measures,
    load_measure,
)
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import ADA, make_utterance, record_street, take_all

DOCS = Path(__file__).resolve().parents[3] / "docs" / "measures.md"

OWN = '''
"""Measures of my own."""
from genagents_env.study.evaluate.measure import measure

def silence(record):
    """Ticks without a word. More about it."""
    return record.ticks - len({event.tick for event in record.utterances})

@measure("Mine", "x", "me")
def mine(record):
    """What I count."""
    return {"a": 1, "b": None, 9: 2}

@measure("Another density", "x", "me")
def density(record):
    """What I count."""
    return 1.0

def broken(record):
    return record.nothing_of_the_kind

number = 5
'''


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


def test_every_shipped_measure_says_what_it_is() -> None:
    for one in list_measures():
        assert one.title
        assert one.unit
        assert one.source
        assert "\n" not in one.definition
        assert "none" in one.definition.lower() or "is 0" in one.definition, one.name
    found, faults = find_measures([])
    assert [one.name for one in found] == list(DEFAULT)
    assert faults == ()


def test_the_docs_have_the_table_there_is() -> None:
    """Written by `genagents list measures --markdown`, behind the words of the page."""
    assert DOCS.read_text().endswith(format_measure_table())


def test_the_measure_that_the_docs_show_works(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.S)
    (tmp_path / "own.py").write_text(block)
    found, faults = find_measures(["own.py:silence"], tmp_path)
    assert faults == ()
    with record_street(tmp_path, [make_utterance(1, ADA, "Hm")], last=4) as record:
        assert take_all(record, found) == ({"silence": 0.75}, ())


def test_a_wrong_name_is_told_with_the_right_one_and_the_study_goes_on() -> None:
    with pytest.raises(ConfigError, match=r"no measure 'densty'; did you mean 'density'\?"):
        load_measure("densty")
    found, faults = find_measures(["density", "densty", "verified.party", "density", "wat.x"])
    assert [one.label for one in found] == ["density", "verified.party"]
    assert len(faults) == 2
    assert "'wat.x'" in faults[1]


def test_a_measure_from_a_user_file(own: Path, tmp_path: Path) -> None:
    names = ["own.py:silence", "own.py:mine", "own.py:mine.a", "own.py:mine.c", "own.py:broken"]
    found, faults = find_measures(["density", *names, "own.py:density"], own)
    assert faults == ("measure 'own.py:density': 'density' is named 'density' already",)
    labels = ["density", "silence", "mine", "mine.a", "mine.c", "broken"]
    assert [one.label for one in found] == labels
    assert (found[1].title, found[1].source) == ("Ticks without a word", "own.py")
    with record_street(tmp_path, last=5) as record:
        values, (fault,) = take_all(record, found)
    assert values == {"density": 0.0, "silence": 5.0, "mine.a": 1.0, "mine.b": None, "mine.9": 2.0}
    assert "measure broken on run.sqlite: AttributeError" in fault


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("own.py:nothing", "has no 'nothing'; it has silence, mine, dens"),
        ("own.py:number", "has no 'number'"),
        ("none.py:x", "there is no file"),
        ("bad.py:x", "does not load: SyntaxError"),
        ("raises.py:x", "does not load: ZeroDivisionError"),
    ],
)
def test_what_a_file_does_not_have_is_told(own: Path, name: str, told: str) -> None:
    (own / "bad.py").write_text("def x(:\n")
    (own / "raises.py").write_text("1 / 0\n")
    found, faults = find_measures([name, "density"], own)
    assert [one.name for one in found] == ["density"]
    assert len(faults) == 1
    assert told in faults[0]


def _of(value: object) -> Measure:
    return Measure("m", "M", "x", "d", "s", lambda record: value)  # type: ignore[arg-type,return-value]  # wrong on purpose


def test_what_is_not_finite_is_none_and_what_is_no_number_is_told(tmp_path: Path) -> None:
    with record_street(tmp_path) as record:
        values, faults = take_all(record, [_of("much"), _of({"k": [1]}), _of(True)])
        for value in (math.nan, math.inf, -math.inf):
            assert _of({"k": value}).take(record) == {"m.k": None}
    assert values == {"m": 1.0}
    assert [fault.split(": ", 1)[1] for fault in faults] == [
        "TypeError: m is 'much', which is not a number",
        "TypeError: k is [1], which is not a number",
    ]


def test_a_number_that_two_measures_give_is_one_value(tmp_path: Path) -> None:
    found, _ = find_measures(["heard.cake", "heard"])
    with record_street(tmp_path, last=5) as record:
        values, faults = take_values(RunData.of(record), found)
    assert [one.name for one in values] == ["heard.cake"]
    assert faults == ()


def test_what_has_no_number_says_why(tmp_path: Path) -> None:
    found, _ = find_measures(["half_time", "verified", "turns"])
    with record_street(tmp_path, last=6) as record:
        values, _ = take_values(RunData.of(record), found)
        numbers, _ = take_all(RunData.of(record), found)
    why = {one.name: (one.value.number is None, one.value.why) for one in values}
    assert why["turns"] == (True, "not applicable")
    times = [one for one in values if one.measure == "half_time"]
    assert {one.value.why for one in times} <= {"reached", "not reached", "from the start"}
    cut = [one for one in times if one.value.censored]
    assert all(one.value.number is not None and numbers[one.name] is None for one in cut)
    asked = [one for one in values if one.measure == "verified"]
    assert all(one.value.why == "nobody asked" for one in asked)


def test_a_version_is_of_the_package_or_of_the_code(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def loud(data):\n    return 1.0\n")
    (own,), _ = find_measures(["own.py:loud"], tmp_path)
    (shipped,), _ = find_measures(["density"])
    before = find_version(own)
    assert find_version(shipped) == MEASURES != before
    (tmp_path / "own.py").write_text("def loud(data):\n    return 2.0\n")
    (again,), _ = find_measures(["own.py:loud"], tmp_path)
    assert find_version(again) != before


def test_a_name_has_its_form() -> None:
    with pytest.raises(ValueError, match="not '<lambda>'"):
        measure("t", "u", "s")(lambda _: None)
