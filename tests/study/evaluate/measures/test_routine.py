from datetime import time
from pathlib import Path

import pytest

from genagents_env.cognition.routine import find_entry
from genagents_env.scenario import list_scenario_names, load_scenario
from genagents_env.scenario.profiles import make_profile
from genagents_env.scenario.schema import RoutineEntry
from genagents_env.study.evaluate.measures.routine import list_appointments
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    SHOP,
    begins,
    goes,
    person,
    record_street,
    street,
    value,
)


def test_keeping_to_the_routine(tmp_path: Path) -> None:
    """Two hours from eight: home until nine, then the cafe, where Ada comes five minutes late."""
    happenings = [goes(20, ADA, SHOP), goes(30, ADA, HOME), goes(65, ADA, CAFE)]
    with record_street(tmp_path, happenings, last=120) as record:
        first, second = list_appointments(record)
        assert (first.place, first.first, first.end, first.came) == (HOME, 0, 60, 0)
        assert (second.place, second.first, second.end, second.came) == (CAFE, 60, 120, 65)
        assert not first.moved
        assert second.moved
        assert not second.whole
        # Ten of the first sixty minutes away; the five on the way are left out.
        assert value(record, "adherence") == pytest.approx((120 - 10 - 5) / (120 - 5))
        assert value(record, "lateness") == pytest.approx(5)
        assert value(record, "missed") is None  # the record ends before the entry does


def test_time_to_travel_ends(tmp_path: Path) -> None:
    """Ada never comes: of the second hour the first twenty minutes are left out, no more."""
    with record_street(tmp_path, last=120) as record:
        assert value(record, "adherence") == pytest.approx(60 / 100)
        assert value(record, "lateness") is None


def test_a_whole_entry_may_be_missed(tmp_path: Path) -> None:
    day = tuple(
        RoutineEntry(at=time(hour), place=place, doing="being there")
        for hour, place in ((7, HOME), (9, CAFE), (10, "Shop"), (11, HOME))
    )
    scenario = street(people=(person(ADA, routine=day), person(BEN)))
    happenings = [goes(55, ADA, CAFE), goes(118, ADA, HOME)]
    with record_street(tmp_path, happenings, last=240, scenario=scenario) as record:
        assert [one.came for one in list_appointments(record)] == [0, 60, None, 180]
        assert value(record, "missed") == pytest.approx(1 / 2)
        assert value(record, "lateness") == 0  # early at the cafe, home long before eleven


def test_who_sleeps_is_nowhere_late(tmp_path: Path) -> None:
    with record_street(tmp_path, [begins(ADA, asleep=True)], last=120) as record:
        assert value(record, "adherence") is None
        assert value(record, "lateness") is None


@pytest.mark.parametrize("name", list_scenario_names())
def test_the_entry_in_force_is_the_one_that_minds_follow(name: str, tmp_path: Path) -> None:
    """From a quarter past five on for a day and a half, so that yesterday's last is among them."""
    scenario = load_scenario(name)
    people = [one for one in scenario.people if one.routine][:3]
    names = tuple(one.name for one in people)
    with record_street(
        tmp_path,
        last=36 * 6,
        names=names,
        seconds=600,
        start="2023-02-13T05:15:00",
        scenario=scenario,
    ) as record:
        for one in people:
            mine = [app for app in list_appointments(record) if app.agent == one.name]
            assert mine[0].first == 0
            assert mine[-1].end == record.ticks
            for app in mine:
                for tick in (app.first, app.end - 1):
                    entry = find_entry(
                        make_profile(one.name, one, scenario), record.reader.time(tick).time()
                    )
                    assert entry is not None
                    assert app.place == entry.place
