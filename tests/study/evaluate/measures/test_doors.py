from pathlib import Path

import pytest

from genagents_env.scenario import Scenario, load_scenario
from genagents_env.study.evaluate.measures.doors import find_noon_guests, find_waits
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAT,
    HOME,
    begins,
    does,
    fails,
    goes,
    record_street,
    street,
    value,
)

NAMES = (ADA, BEN, CAT)


def with_bar() -> Scenario:
    """Return the street with a bar in place of the cafe, which is Ada's."""
    cafe = next(sector for sector in street().sectors if sector.name == "Cafe")
    arenas = tuple(
        arena.model_copy(update={"name": "bar" if arena.name == "cafe" else arena.name})
        for arena in cafe.arenas
    )
    bar = cafe.model_copy(update={"hours": (), "arenas": arenas})
    others = [sector for sector in street().sectors if sector.name != "Cafe"]
    return street(sectors=(bar, *others))


@pytest.mark.parametrize(
    ("start", "counted"),
    [
        ("2023-02-13T10:59:00", False),
        ("2023-02-13T11:30:00", True),
        ("2023-02-13T13:30:00", True),
        ("2023-02-13T14:00:00", False),
    ],
)
def test_who_comes_to_a_bar_at_noon(start: str, counted: bool, tmp_path: Path) -> None:
    """Cat comes for a tick and has lunch; Ben drinks; Ada works there and drinks, too."""
    happenings = [
        begins(ADA, "Cafe/bar", doing="having a beer"),
        begins(BEN, "Cafe/bar", doing="having a beer"),
        begins(CAT, HOME, doing="having a beer"),
        does(20, CAT, "having lunch"),
        goes(29, CAT, "Cafe/bar"),
        goes(31, CAT, HOME),
    ]
    with record_street(
        tmp_path, happenings, last=60, names=NAMES, start=start, scenario=with_bar()
    ) as record:
        guests = find_noon_guests(record)
        measured = value(record, "bar_at_noon")
    assert guests == ((frozenset({BEN, CAT}), frozenset({BEN})) if counted else None)
    assert measured == ({"came": 2, "drank": 1} if counted else {"came": None, "drank": None})


def with_limits() -> Scenario:
    """Return the cottage with rooms for one; its kitchen begins at (1, 1), its study at (8, 1)."""
    tiny = load_scenario("tiny")
    (cottage,) = tiny.sectors
    arenas = tuple(arena.model_copy(update={"capacity": 1}) for arena in cottage.arenas)
    return tiny.model_copy(update={"sectors": (cottage.model_copy(update={"arenas": arenas}),)})


def test_one_waits_before_a_door_until_one_is_in_or_has_gone(tmp_path: Path) -> None:
    """Both stand at (0, 0): close to the kitchen, far from the study."""
    kitchen, study = "Cottage/kitchen", "Cottage/study"
    happenings = [
        begins(ADA, study),
        begins(BEN, study),
        fails(5, ADA, f"{kitchen} is full"),
        fails(11, ADA, f"{kitchen} is full"),  # she still stands there
        fails(5, BEN, f"{study} is full"),
        fails(20, BEN, f"{kitchen} is full"),
        goes(26, BEN, kitchen),
        goes(30, BEN, study),
        fails(45, BEN, f"{kitchen} is full"),  # and waits to the end
    ]
    steps = [(10, ADA), (11, ADA), (12, ADA)]  # the third leads away
    with record_street(
        tmp_path, happenings, last=60, scenario=with_limits(), steps=steps
    ) as record:
        waits = [(one.agent, one.place, ticks) for one, ticks in find_waits(record)]
        assert value(record, "before_door") == {kitchen: 28.0, study: 0.0}
    assert waits == [(ADA, kitchen, 7), (BEN, kitchen, 6), (BEN, kitchen, 15)]
