from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.scenario import Scenario
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, SectorSpec
from genagents_env.study.evaluate.measures.grain import (
    compute_distances,
    count_reflections,
    list_activities,
    list_uses,
)
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    HOME,
    begins,
    does,
    record_street,
    street,
    uses,
    value,
)
from tests.study.report.planted import plant

STOVE, BED = f"{HOME}/stove", f"{HOME}/bed"


def furnished() -> Scenario:
    """Return the street with a stove and a bed in the kitchen."""
    things = (
        ObjectSpec(name="stove", states=("off", "on", "hot"), state="off"),
        ObjectSpec(name="bed", states=("made", "slept in"), state="made", sleep_state="slept in"),
    )
    kitchen = SectorSpec(name="Brook house", arenas=(ArenaSpec(name="kitchen", objects=things),))
    return street(sectors=(kitchen, *street().sectors[1:]))


def test_walking_is_the_share_of_waking_ticks_on_another_tile(tmp_path: Path) -> None:
    """Ada walks for 3 of 10 minutes; Ben walks 5, of which 4 asleep, and is awake for 2."""
    asleep = [begins(BEN, asleep=True), (8, "wake", BEN, {"cause": "hour"})]
    steps = [*((tick, ADA) for tick in (2, 3, 4)), *((tick, BEN) for tick in (3, 4, 5, 6, 9))]
    with record_street(tmp_path, asleep, last=10, steps=steps) as record:
        assert value(record, "walking") == pytest.approx(4 / 12)


def test_a_town_asleep_has_no_grain(tmp_path: Path) -> None:
    sleepers = [begins(name, asleep=True) for name in (ADA, BEN)]
    with record_street(tmp_path, sleepers, last=5) as record:
        names = ("walking", "activities", "things_used")
        assert [value(record, name) for name in names] == [None] * 3


def test_activities_are_what_is_begun_between_walks_and_talks(tmp_path: Path) -> None:
    happenings = [
        does(1, ADA, "making coffee"),
        does(2, ADA, "talking with Ben Carver"),
        does(3, ADA, "making coffee"),  # taken up again
        does(4, ADA, "walking to Cafe, cafe"),
        does(5, ADA, "at Cafe, cafe"),
        does(6, ADA, "standing around"),
        does(7, ADA, "waiting for a guest"),
        does(8, ADA, "going home to bed"),
        does(9, ADA, "going over the accounts"),
        does(10, ADA, "atoning"),
        (11, "sleep", ADA, {"cause": "action"}),
        does(11, ADA, "dreaming"),
        does(12, BEN, "making coffee"),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        assert [(event.agent, event.data["doing"]) for event in list_activities(record)] == [
            (ADA, "making coffee"),
            (ADA, "going over the accounts"),
            (ADA, "atoning"),
            (BEN, "making coffee"),
        ]
        assert value(record, "activities") == pytest.approx(4 / (11 / 60 + 1))


def test_on_and_off_of_one_use_count_once_and_beds_never(tmp_path: Path) -> None:
    happenings = [
        uses(0, None, STOVE, "off"),
        uses(1, ADA, STOVE, "on"),
        uses(2, ADA, BED, "slept in"),
        uses(3, ADA, STOVE, "off"),
        uses(4, ADA, STOVE, "on"),
        uses(5, None, STOVE, "off"),  # the town does it
        uses(6, BEN, STOVE, "on"),
        uses(7, BEN, STOVE, "hot"),
        uses(8, ADA, STOVE, "off"),  # what she turned on is long over: but this ends it
    ]
    with record_street(tmp_path, happenings, last=60, scenario=furnished()) as record:
        assert [(event.tick, event.agent) for event in list_uses(record)] == [
            (1, ADA),
            (4, ADA),
            (6, BEN),
            (7, BEN),
        ]
        assert value(record, "things_used") == 2


def test_reflections_are_occasions_and_not_calls(tmp_path: Path) -> None:
    """Ada reflects twice, an hour apart, by four calls; ticks are of ten seconds."""
    calls = [
        (ADA, 10, "reflect.questions", 1, 1),
        (ADA, 16, "reflect.insights", 1, 1),
        (ADA, 16, "reflect.insights", 1, 1),
        (ADA, 370, "reflect.questions", 1, 1),
        (BEN, 20, "plan.day", 1, 1),
    ]
    with RunReader(plant(tmp_path / "run.sqlite", 720, (), calls)) as run:
        data = RunData(run)
        assert count_reflections(data) == 2
        assert value(data, "reflections") == pytest.approx(2 / (2 * 2 / 24))


def test_who_walks_how_far(tmp_path: Path) -> None:
    """Ada takes three steps, Ben one; Ben is put elsewhere by one that is none of his."""
    put = {**begins(BEN)[3], "place": HOME}
    happenings = [(30, "put", BEN, put)]
    steps = [(5, ADA), (6, ADA), (50, ADA), (10, BEN), (30, BEN)]
    with record_street(tmp_path, happenings, last=60, steps=steps) as record:
        assert compute_distances(record).tolist() == [3, 1]
        assert value(record, "distance") == pytest.approx(4 / 2)
