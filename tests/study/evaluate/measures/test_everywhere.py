"""Every measure on every shipped town, and on records that no town would write."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario import list_scenario_names, load_scenario
from genagents_env.study.evaluate.measures import list_measures
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    HOME,
    SHOP,
    WASH,
    Happening,
    begins,
    does,
    fails,
    goes,
    joins,
    leaves,
    make_utterance,
    record_street,
    take_all,
)

SHARES = {one.name for one in list_measures() if one.unit in ("share", "0..1", "0 or 1")}


def sound(values: Mapping[str, float | None], faults: tuple[str, ...]) -> None:
    """Fail where a measure raised, is not finite, is below 0, or a share is above 1."""
    assert faults == ()
    for label, value in values.items():
        if value is not None:
            name = label.split(".")[0]
            assert math.isfinite(value), label
            assert value >= 0, label
            if name in SHARES:
                assert value <= 1, label


@pytest.mark.parametrize("scenario", list_scenario_names())
def test_every_measure_on_every_shipped_town(scenario: str, tmp_path: Path) -> None:
    """Of five people, the first twelve ticks."""
    loaded, path = load_scenario(scenario), tmp_path / "run.sqlite"
    names = [person.name for person in loaded.people][:5]
    town = TownConfig(scenario, hours=12 * loaded.seconds_per_tick / 3600, people=names)
    spec = RunSpec(town, policy=PolicySpec("scripted"))
    assert run(spec, path, RunOptions()).status == "finished"
    with RunReader(path) as reader:
        sound(*take_all(RunData(reader), list_measures()))


PEOPLE = st.sampled_from([ADA, BEN, CAT])
TICKS = st.integers(0, 30)
WORDS = st.sampled_from(
    ["", "Would you like to come?", "No.", "Yes, sure!", "the cake is on the table", "\u2603", "a"]
)


def happenings() -> st.SearchStrategy[list[Happening]]:
    """Return lists of events of all kinds, in conversations that may never have begun."""
    talk = st.integers(0, 2)
    one = st.one_of(
        st.builds(goes, TICKS, PEOPLE, st.sampled_from([HOME, CAFE, WASH, SHOP, "outside", "?"])),
        st.builds(does, TICKS, PEOPLE, st.sampled_from(["having lunch", "asleep", "", "musing"])),
        st.builds(fails, TICKS, PEOPLE, st.sampled_from(["Shop is private", "no", " is full"])),
        st.builds(lambda tick, id_, who: joins(tick, id_, who)[0], TICKS, talk, PEOPLE),
        st.builds(leaves, TICKS, talk, PEOPLE, st.sampled_from(["said_so", "silence", "alone"])),
        st.builds(
            make_utterance,
            TICKS,
            PEOPLE,
            WORDS,
            st.lists(PEOPLE, unique=True),
            st.one_of(st.none(), talk),
            st.lists(st.just("cake"), max_size=1),
        ),
        st.builds(
            lambda tick, who, cause: (tick, cause, who, {"cause": "hour"}),
            TICKS,
            PEOPLE,
            st.sampled_from(["sleep", "wake", "part"]),
        ),
        st.builds(
            lambda who, source: (3, "learn", who, {"fact": "cake", "cause": 0, "source": source}),
            PEOPLE,
            st.one_of(st.none(), PEOPLE),
        ),
        st.builds(lambda who, asleep: begins(who, CAFE, "eating", asleep), PEOPLE, st.booleans()),
    )
    return st.lists(one, max_size=40)


def among(names: Sequence[str], told: Happening) -> Happening:
    """Return the same event with nobody in it but these people: a town knows no others."""
    tick, kind, agent, data = told
    kept = {
        key: [name for name in value if name in names] if isinstance(value, list) else value
        for key, value in data.items()
        if key in ("addressed", "heard_by", "members")
    }
    return tick, kind, agent, {**data, **kept}


@settings(max_examples=20)
@given(happenings(), st.integers(0, 30), st.integers(1, 3), st.sampled_from([1, 60, 3600]))
def test_no_record_is_too_strange(
    told: list[Happening], last: int, people: int, seconds: int
) -> None:
    names = (ADA, BEN, CAT)[:people]
    told = [among(names, one) for one in told if one[2] in names]
    with (
        TemporaryDirectory() as folder,
        record_street(Path(folder), told, last=last, names=names, seconds=seconds) as record,
    ):
        sound(*take_all(record, list_measures()))
