"""What prompts of planning say of what is done now and promised; sleep and ways by their words."""

from dataclasses import replace

import pytest

from genagents_env.policies.smallville.agenda import (
    describe_commitments,
    describe_under_way,
    describe_upcoming,
    is_walk,
)
from genagents_env.policies.smallville.memo import format_tie, format_ties
from genagents_env.policies.smallville.mind import (
    Commitment,
    Piece,
    SmallvilleActivity,
    SmallvilleMind,
)
from tests.policies.percepts import STANDING, Moment
from tests.policies.smallville.minds import make_mind, moment

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
    "text",
    [
        "walking to the Park",
        "going to Hobbs Cafe",
        "walking home to the dorm with Klaus",
        "heading back to Oak Hill College",
        "going to Klaus under the garland in Hobbs Cafe with two cups",
        "setting out for Johnson Park",
        "going to the Willows Market and Pharmacy",
    ],
)
def test_a_way_ends_on_arrival(text: str) -> None:
    assert is_walk(text)


@pytest.mark.parametrize(
    "text",
    [
        "going to Maria at the piano of Hobbs Cafe to tell her",
        "walking to the Park to feed the ducks",
        "going to the counter and ordering a coffee",
        "going to bed",
        "going over the accounts",
    ],
)
def test_what_is_done_there_does_not(text: str) -> None:
    assert not is_walk(text)
