"""What prompts of planning say of what is done now and promised; sleep and ways by their words."""

from dataclasses import replace
from datetime import datetime

import pytest

from genagents_env.policies.smallville.agenda import (
    add_commitment,
    describe_commitments,
    describe_under_way,
    describe_upcoming,
    format_commitment,
    has_begun_with,
    is_walk,
    list_ahead,
)
from genagents_env.policies.smallville.memo import format_tie, format_ties
from genagents_env.policies.smallville.mind import (
    Commitment,
    Piece,
    SmallvilleActivity,
    SmallvilleMind,
)
from tests.policies.harness import moment
from tests.policies.percepts import STANDING, Moment
from tests.policies.smallville.minds import make_mind

WALK = Piece(0, 300, "walking to the park", "Park")


def list_lines(mind: SmallvilleMind, percept: Moment, start: int = 3600) -> list[object]:
    return list(describe_under_way(mind, moment(mind, percept), start).lines)


def test_what_begins_at_this_very_moment_is_under_way() -> None:
    mind = make_mind()
    mind.activity = SmallvilleActivity(text="serving coffee", place="Cafe", until=0)  # just over
    mind.day.pieces = [WALK, Piece(300, 900, "feeding ducks", "Park")]
    assert list_lines(mind, Moment()) == [
        ["under way", "until 08:05", "walking to the park, at Park (still on the way there)"],
        ["then", "08:05 to 08:15", "feeding ducks, at Park"],
    ]
    there = Moment(me=replace(STANDING, place="Park/lawn"))
    first = list_lines(mind, there)[0]
    assert first == ["under way", "until 08:05", "walking to the park, at Park"]


def test_a_reaction_goes_before_the_plan_and_what_goes_on_stands_where_nothing_is_planned() -> None:
    mind = make_mind()
    mind.activity = SmallvilleActivity(text="waiting", place="Cafe", until=120, reaction=True)
    mind.day.pieces = [replace(WALK)]
    assert list_lines(mind, Moment())[0] == ["under way", "until 08:02", "waiting, at Cafe"]
    mind.day.pieces = []
    mind.activity.reaction = False
    assert list_lines(mind, Moment())[0] == ["under way", "until 08:02", "waiting, at Cafe"]


@pytest.mark.parametrize("text", ["", "sleeping"])
def test_nothing_is_under_way_for_one_who_sleeps_or_does_nothing(text: str) -> None:
    mind = make_mind()
    mind.day.pieces = [Piece(0, 900, text, "Ann's house")] if text else []
    assert list_lines(mind, Moment()) == []


def test_a_promise_that_a_tie_shows_is_shown_once() -> None:
    mind = make_mind()
    both = Commitment("2023-02-14", "17:00", "a party", "Cafe", "Bob Birch and Cid Cedar")
    mind.commitments = [both, Commitment("2023-02-14", "20:00", "calling Dan")]
    now = moment(mind, Moment())
    tie = format_tie(mind, "Bob Birch", 0)
    assert len(tie) == 1
    assert format_ties(mind, ["Bob Birch", "Cid Cedar"], 0) == tie
    assert len(describe_commitments(mind, now).lines) == 2
    promised = describe_upcoming(mind, now, tie)[-1]
    assert [line[2] for line in promised.lines] == ["calling Dan"]  # type: ignore[index]


# What the words for an activity mean.


@pytest.mark.parametrize(
    ("text", "walk"),
    [
        ("walking home to the dorm with Klaus", True),
        ("heading back to Oak Hill College", True),
        ("going to Klaus under the garland in Hobbs Cafe with two cups", True),
        ("setting out for Johnson Park", True),
        ("going to the Willows Market and Pharmacy", True),
        ("going to Maria at the piano of Hobbs Cafe to tell her", False),
        ("going to the counter and ordering a coffee", False),
        ("going to bed", False),
        ("going over the accounts", False),
    ],
)
def test_a_way_ends_on_arrival_and_what_is_done_there_does_not(text: str, walk: bool) -> None:
    assert is_walk(text) is walk


HANG = Commitment("2023-02-13", "17:00", "hanging paper hearts", "Hobbs Cafe", "Maria Lopez")
PARTY = Commitment("2023-02-14", "17:00", "going to the party", "Hobbs Cafe")


def test_what_was_said_last_of_a_moment_holds() -> None:
    kept = [PARTY]
    assert add_commitment(kept, HANG)
    later = replace(HANG, what="baking a cake", where="")
    assert not add_commitment(kept, later)
    assert kept == [later, PARTY]
    with pytest.raises(ValueError, match="tomorrow"):
        add_commitment(kept, replace(PARTY, date="tomorrow"))


def test_one_thing_agreed_with_two_people_is_one_promise_with_both() -> None:
    first = Commitment("2023-02-14", "16:30", "hanging garlands", "Hobbs Cafe", "Klaus Mueller")
    second = replace(first, what="hanging garlands for the party", with_whom="Maria Lopez")
    kept = [first]
    assert not add_commitment(kept, second)
    assert kept == [replace(second, with_whom="Klaus Mueller and Maria Lopez")]
    assert not add_commitment(kept, first)  # it was said again
    assert kept[0].with_whom == "Klaus Mueller and Maria Lopez"
    other = replace(first, what="meeting the mayor", with_whom="Sam Moore")
    assert add_commitment(kept, other)
    assert len(kept) == 2


@pytest.mark.parametrize("clock", ["", "17:00"])
def test_two_things_of_one_day_both_stay(clock: str) -> None:
    kept = [replace(HANG, time=clock)]
    assert add_commitment(kept, Commitment("2023-02-13", "", "calling my mother"))
    assert {one.what for one in kept} == {"calling my mother", HANG.what}


def test_what_is_over_for_an_hour_is_not_ahead() -> None:
    day = Commitment("2023-02-13", "", "calling my mother")
    kept = [day, HANG, PARTY]
    assert list_ahead(kept, datetime.fromisoformat("2023-02-13T17:59")) == [day, HANG, PARTY]
    assert list_ahead(kept, datetime.fromisoformat("2023-02-13T18:01")) == [day, PARTY]


def test_the_words_name_place_and_people_once() -> None:
    assert format_commitment(HANG) == "hanging paper hearts, at Hobbs Cafe, with Maria Lopez"
    told = replace(HANG, what="meeting Maria at Hobbs Cafe", with_whom="Maria")
    assert format_commitment(told) == "meeting Maria at Hobbs Cafe"


def test_what_was_agreed_with_somebody_begins_at_its_hour_and_not_again_after_a_talk() -> None:
    hang = Commitment("2023-02-14", "16:00", "hanging garlands", "Hobbs Cafe", "Maria Lopez")
    before, at, later = (datetime.fromisoformat(f"2023-02-14T{hour}:20") for hour in (15, 16, 17))
    assert has_begun_with([hang], "Maria Lopez", before, at)
    assert not has_begun_with([hang], "Klaus Mueller", before, at)
    assert not has_begun_with([hang], "Maria Lopez", at, at)
    assert not has_begun_with([hang], "Maria Lopez", before, later)
    assert not has_begun_with([replace(hang, time="")], "Maria Lopez", before, at)
