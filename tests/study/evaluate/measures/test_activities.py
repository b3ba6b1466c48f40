from pathlib import Path

import pytest

from genagents_env.scenario import list_scenario_names, load_scenario
from genagents_env.study.evaluate.measures.activities import find_doings, load_customs
from genagents_env.study.evaluate.measures.places import list_places
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
    record_street,
    value,
)


@pytest.mark.parametrize("name", list_scenario_names())
def test_the_routines_of_the_shipped_towns_are_usual(name: str) -> None:
    """Whoever wrote them meant ordinary days, so any entry called unusual is the data's fault."""
    scenario, by = load_scenario(name), load_customs()
    things = {place.id: place.things for place in list_places(scenario)}
    wrong = []
    for person in scenario.people:
        for entry in person.routine:
            activity = by.activity(entry.doing)
            arena = "/".join(entry.place.split("/")[:2])
            own = {"home": person.home, "work": person.workplace or ""}
            mine = [k for k, ref in own.items() if ref.split("/")[0] == arena.split("/")[0]]
            here = by.with_own(by.kinds_of(arena, things.get(arena, ())), *mine)
            if activity is not None and here and not activity.usual & here:
                wrong.append((person.name, entry.doing, entry.place, activity.name))
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
    found = load_customs().activity(doing)
    assert (None if found is None else found.name) == activity


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
        begins(BEN, SHOP, "asleep in bed", asleep=True),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        found = [
            (one.agent, one.place, one.verdict, one.seconds / 60) for one in find_doings(record)
        ]
        assert found == [
            (ADA, HOME, "usual", 20),
            (ADA, CAFE, "usual", 10),
            (ADA, WASH, "unusual", 10),
        ]
        assert value(record, "unusual_places") == pytest.approx(10 / 40)


def test_leaving_town_ends_what_one_does(tmp_path: Path) -> None:
    happenings = [begins(ADA, CAFE, "having coffee"), (10, "part", ADA, {})]
    with record_street(tmp_path, happenings, last=60) as record:
        assert [one.seconds for one in find_doings(record)] == [600]
