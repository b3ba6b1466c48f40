"""Commitments: one a moment and company, those ahead in order, and how a plan shows them."""

from dataclasses import replace
from datetime import datetime

import pytest

from genagents_env.policies.smallville.agenda import (
    add_commitment,
    format_commitment,
    format_commitments,
    has_begun_with,
    list_ahead,
)
from genagents_env.policies.smallville.mind import Commitment

HANG = Commitment("2023-02-13", "17:00", "hanging paper hearts", "Hobbs Cafe", "Maria Lopez")
PARTY = Commitment("2023-02-14", "17:00", "going to the party", "Hobbs Cafe")


def test_what_was_said_last_of_a_moment_holds() -> None:
    kept = [PARTY]
    assert add_commitment(kept, HANG)
    later = Commitment("2023-02-13", "17:00", "baking a cake", "", "Maria Lopez")
    assert not add_commitment(kept, later)
    assert kept == [later, PARTY]


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


def test_two_things_of_one_day_without_a_time_both_stay() -> None:
    kept = [Commitment("2023-02-13", "", "calling my mother")]
    assert add_commitment(kept, Commitment("2023-02-13", "", "listing quiet music"))
    assert [one.what for one in kept] == ["calling my mother", "listing quiet music"]


def test_two_things_of_one_day_both_stay() -> None:
    kept = [HANG]
    assert add_commitment(kept, Commitment("2023-02-13", "", "calling my mother"))
    assert [one.what for one in kept] == ["calling my mother", "hanging paper hearts"]


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="tomorrow"):
        add_commitment([], Commitment("tomorrow", "17:00", "going to the party"))


def test_what_is_over_for_an_hour_is_not_ahead() -> None:
    day = Commitment("2023-02-13", "", "calling my mother")
    kept = [day, HANG, PARTY]
    assert list_ahead(kept, datetime.fromisoformat("2023-02-13T17:59")) == [day, HANG, PARTY]
    assert list_ahead(kept, datetime.fromisoformat("2023-02-13T18:01")) == [day, PARTY]


def test_the_words_name_place_and_people_once() -> None:
    assert format_commitment(HANG) == "hanging paper hearts, at Hobbs Cafe, with Maria Lopez"
    told = Commitment("2023-02-13", "17:00", "meeting Maria at Hobbs Cafe", "Hobbs Cafe", "Maria")
    assert format_commitment(told) == "meeting Maria at Hobbs Cafe"
    assert format_commitments([PARTY]) == [
        ["promised", "Tuesday 14 February 17:00", "going to the party, at Hobbs Cafe"]
    ]


def test_what_was_agreed_with_somebody_begins_at_its_hour_and_not_again_after_a_talk() -> None:
    hang = Commitment("2023-02-14", "16:00", "hanging garlands", "Hobbs Cafe", "Maria Lopez")
    before, at, later = (datetime.fromisoformat(f"2023-02-14T{hour}:20") for hour in (15, 16, 17))
    assert has_begun_with([hang], "Maria Lopez", before, at)
    assert not has_begun_with([hang], "Klaus Mueller", before, at)
    assert not has_begun_with([hang], "Maria Lopez", at, at)
    assert not has_begun_with([hang], "Maria Lopez", before, later)
    assert not has_begun_with([replace(hang, time="")], "Maria Lopez", before, at)
