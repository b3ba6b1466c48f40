import math
from pathlib import Path

import numpy as np
import pytest

from genagents_env.cognition.routine import find_entry
from genagents_env.record import RunReader
from genagents_env.scenario import Scenario, list_scenario_names, load_scenario
from genagents_env.scenario.profiles import make_profile
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, SectorSpec
from genagents_env.scenario.schema.scenario import arenas_of
from genagents_env.study.evaluate.measures.activities import load_customs, sum_doings
from genagents_env.study.evaluate.measures.diffusion import compute_curves
from genagents_env.study.evaluate.measures.grain import (
    count_reflections,
    list_activities,
    list_uses,
)
from genagents_env.study.evaluate.measures.places import (
    count_waking_ticks,
    find_accompanied,
    list_appointments,
)
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    SHOP,
    WASH,
    begins,
    does,
    goes,
    make_utterance,
    record_street,
    street,
    uses,
    value,
)
from tests.study.report.planted import plant


def test_keeping_to_the_routine(tmp_path: Path) -> None:
    """Two hours from eight: home until nine, then the cafe, where Ada comes five minutes late."""
    happenings = [goes(20, ADA, SHOP), goes(30, ADA, HOME), goes(65, ADA, CAFE)]
    with record_street(tmp_path, happenings, last=120) as record:
        first, second = list_appointments(record)
        assert first == (ADA, HOME, 0, 60, False)
        assert second == (ADA, CAFE, 60, 120, True)
        # Ten of the first sixty minutes away; the five on the way are left out.
        assert value(record, "adherence") == pytest.approx((120 - 10 - 5) / (120 - 5))


def test_time_to_travel_ends(tmp_path: Path) -> None:
    """Ada never comes: of the second hour the first twenty minutes are left out, no more."""
    with record_street(tmp_path, last=120) as record:
        assert value(record, "adherence") == pytest.approx(60 / 100)


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


def test_where_people_spend_their_time(tmp_path: Path) -> None:
    """Ada: home 10 minutes, cafe 30, shop 20. Ben: home all the hour, asleep for the last 30."""
    happenings = [
        goes(10, ADA, CAFE),
        goes(40, ADA, SHOP),
        (30, "sleep", BEN, {"cause": "action"}),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        assert record.arenas == (HOME, CAFE, SHOP)
        assert count_waking_ticks(record).tolist() == [[10, 30, 20], [30, 0, 0]]
        assert value(record, "at_home") == pytest.approx(40 / 90)
        assert value(record, "at_work") == pytest.approx(30 / 60)  # Ada's alone has a workplace
        assert value(record, "together") == pytest.approx(20 / 90)
        shares = np.array([40, 30, 20]) / 90
        by_hand = -(shares * np.log(shares)).sum() / math.log(5)  # four arenas and the open ground
        assert value(record, "place_entropy") == pytest.approx(by_hand)


def test_the_open_ground_is_no_company(tmp_path: Path) -> None:
    happenings = [begins(ADA, "outside"), begins(BEN, "outside"), goes(30, ADA, HOME)]
    with record_street(tmp_path, happenings, last=60) as record:
        assert record.scenario.outside == "outside"
        assert value(record, "together") == 0
        assert not find_accompanied(record).any()


def test_a_fact_spreads_over_time(tmp_path: Path) -> None:
    heard = {"fact": "cake", "cause": 0, "source": ADA}
    told = make_utterance(30, ADA, "There is cake for everybody.", to=[BEN])
    happenings, three = [told, (30, "learn", BEN, heard)], (ADA, BEN, "Cat Dole")
    with record_street(tmp_path, happenings, last=60, names=three) as record:
        assert compute_curves(record) == {"cake": [(0.0, 1), (1800.0, 2), (3600.0, 2)]}
        assert value(record, "heard") == {"cake": pytest.approx(2 / 3)}
        assert value(record, "received") == {"cake": 0.5}
        assert value(record, "half_time") == {"cake": 0.5}  # half of three is two


@pytest.mark.parametrize("name", list_scenario_names())
def test_the_routines_of_the_shipped_towns_are_usual(name: str) -> None:
    """Whoever wrote them meant ordinary days, so any entry called unusual is the data's fault."""
    scenario, by = load_scenario(name), load_customs()
    things = {one.id: [each.name for each in one.spec.objects] for one in arenas_of(scenario)}
    wrong = []
    for who in scenario.people:
        for entry in who.routine:
            activity = by.find_activity(entry.doing)
            arena = "/".join(entry.place.split("/")[:2])
            own = {"home": who.home, "work": who.workplace or ""}
            mine = [k for k, ref in own.items() if ref.split("/")[0] == arena.split("/")[0]]
            here = by.with_own(by.kinds_of(arena, things.get(arena, ())), *mine)
            if activity is not None and here and not by.usual[activity] & here:
                wrong.append((who.name, entry.doing, entry.place, activity))
    assert wrong == []


@pytest.mark.parametrize(
    ("doing", "activity"),
    [
        ("asleep in bed", "sleeping"),
        ("taking a shower", "washing oneself"),
        ("making breakfast", "cooking"),
        ("having lunch with Sam", "a meal of the day"),
        ("having a glass of wine", None),
        ("having a beer", "drinking"),
        ("attending a physics class", "attending lessons"),
        ("buying groceries", "shopping"),
        ("buying breakfast", "shopping"),
        ("walking to Hobbs Cafe for lunch", None),
        ("talking to Maria", None),
        ("thinking about dinner plans", "a meal of the evening"),
        ("reading", None),
    ],
)
def test_what_people_do_is_known_by_its_words(doing: str, activity: str | None) -> None:
    assert load_customs().find_activity(doing) == activity


@pytest.mark.parametrize(
    ("place", "objects", "kinds"),
    [
        ("The Rose and Crown Pub/bar room", ["beer taps"], {"pub"}),
        ("Dorm/bathroom", ["shower"], {"bathroom"}),
        ("Hobbs Cafe/washroom", ["toilet"], {"bathroom"}),
        ("Oak Hill College/library", ["book stacks"], {"library", "school"}),
        ("outside", [], {"outdoors"}),
        ("Nowhere/void", ["lamp"], set()),
    ],
)
def test_kinds_of_place(place: str, objects: list[str], kinds: set[str]) -> None:
    assert load_customs().kinds_of(place, objects) == kinds


def test_breakfast_in_the_washroom(tmp_path: Path) -> None:
    """Ten minutes of it; the shop decides of a walk, and nothing decides what is not known."""
    happenings = [
        begins(ADA, HOME, "having breakfast"),
        goes(20, ADA, WASH),
        goes(30, ADA, CAFE),
        does(40, ADA, "contemplating"),
        does(50, ADA, "having breakfast"),  # to the end
        begins(BEN, SHOP, "asleep in bed", asleep=True),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        minutes = {(ADA, HOME, True): 20, (ADA, CAFE, True): 20, (ADA, WASH, False): 10}
        assert sum_doings(record) == {key: 60 * n for key, n in minutes.items()}
        assert value(record, "unusual_places") == pytest.approx(10 / 50)


def test_leaving_town_ends_what_one_does(tmp_path: Path) -> None:
    happenings = [begins(ADA, CAFE, "having coffee"), (10, "part", ADA, {})]
    with record_street(tmp_path, happenings, last=60) as record:
        assert list(sum_doings(record).values()) == [600]


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


def test_of_those_asleep_nothing_is_told(tmp_path: Path) -> None:
    sleepers = [begins(name, asleep=True) for name in (ADA, BEN)]
    with record_street(tmp_path, sleepers, last=120) as record:
        for name in (
            *("walking", "activities", "things_used", "place_entropy", "at_home", "at_work"),
            *("together", "adherence"),
        ):
            assert value(record, name) is None, name
