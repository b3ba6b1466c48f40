from pathlib import Path

import pytest

from genagents_env.scenario import Scenario, load_scenario
from genagents_env.study.evaluate.measures.doors import find_noon_guests, find_waits
from genagents_env.study.evaluate.measures.norms import find_attempts
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    HOME,
    WASH,
    begins,
    does,
    fails,
    goes,
    record_street,
    street,
)
from tests.study.evaluate.measures.test_talk import value

CLOSED, FULL = f"{CAFE} is closed; open 08:00 to 10:00", f"{WASH} is full"
NAMES = (ADA, BEN, CAT)


def test_attempts_are_counted_place_by_place(tmp_path: Path) -> None:
    happenings = [
        *(fails(tick, BEN, CLOSED) for tick in (1, 3, 5)),  # one attempt that goes on
        fails(20, BEN, CLOSED),
        fails(30, ADA, FULL),
        fails(31, CAT, FULL),
        fails(31, ADA, "Shop is private"),
    ]
    with record_street(tmp_path, happenings, last=60, names=NAMES) as record:
        assert value(record, "refused_closed") == {CAFE: 2.0, WASH: 0.0}
        assert value(record, "refused_full") == {WASH: 2.0}


def test_a_full_conversation_is_no_place(tmp_path: Path) -> None:
    told = (5, "fail", ADA, {"action": "talk", "reason": "that conversation is full"})
    with record_street(tmp_path, [told], last=60) as record:
        assert find_attempts(record) == ()
        assert value(record, "broken_norms") == 0


def test_who_is_inside_at_closing_time_is_counted_but_for_the_staff(tmp_path: Path) -> None:
    """From half past nine on; the cafe closes at ten, and Ada works there."""
    happenings = [begins(ADA, CAFE), begins(BEN, CAFE), begins(CAT, HOME), goes(50, BEN, HOME)]
    with record_street(
        tmp_path, happenings, last=60, names=NAMES, start="2023-02-13T09:30:00"
    ) as record:
        assert value(record, "after_hours") == {CAFE: 20.0, WASH: 0.0}


def test_more_than_a_room_may_hold(tmp_path: Path) -> None:
    happenings = [begins(ADA, WASH), begins(BEN, HOME), goes(10, BEN, WASH), goes(25, ADA, HOME)]
    with record_street(tmp_path, happenings, last=60) as record:
        assert value(record, "overcrowded") == {WASH: 15.0}


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
    [("2023-02-13T11:30:00", True), ("2023-02-13T13:30:00", True), ("2023-02-13T14:00:00", False)],
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


def test_before_noon_is_not_at_noon(tmp_path: Path) -> None:
    happenings = [begins(BEN, "Cafe/bar"), goes(20, BEN, HOME)]
    with record_street(
        tmp_path, happenings, last=60, start="2023-02-13T11:30:00", scenario=with_bar()
    ) as record:
        assert find_noon_guests(record) == (frozenset(), frozenset())


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
    ]
    steps = [(10, ADA), (11, ADA), (12, ADA)]  # the third leads away
    with record_street(
        tmp_path, happenings, last=60, scenario=with_limits(), steps=steps
    ) as record:
        waits = [(one.agent, one.place, ticks) for one, ticks in find_waits(record)]
        assert value(record, "before_door") == {kitchen: 13.0, study: 0.0}
    assert waits == [(ADA, kitchen, 7), (BEN, kitchen, 6)]


def test_one_who_never_goes_away_waits_to_the_end(tmp_path: Path) -> None:
    happenings = [begins(ADA, "Cottage/study"), fails(5, ADA, "Cottage/kitchen is full")]
    with record_street(tmp_path, happenings, last=60, scenario=with_limits()) as record:
        assert [ticks for _, ticks in find_waits(record)] == [55]
