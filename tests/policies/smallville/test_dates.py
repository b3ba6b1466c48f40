from datetime import date

import pytest

from genagents_env.policies.smallville.dates import read_clock, read_date

TODAY = date(2023, 2, 13)  # a Monday


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("today", "2023-02-13"),
        ("Tomorrow afternoon", "2023-02-14"),
        ("the day after tomorrow", "2023-02-15"),
        ("Tuesday", "2023-02-14"),
        ("Monday", "2023-02-13"),
        ("next Monday", "2023-02-20"),
        ("14 February", "2023-02-14"),
        ("Tuesday 14 February 2023", "2023-02-14"),
        ("the 14th", "2023-02-14"),
        ("the 2nd", "2023-03-02"),
        ("2023-02-14", "2023-02-14"),
        ("in two days", "2023-02-15"),
        ("in a week", "2023-02-20"),
        *((words, "") for words in ("", "some day", "30 February", "2023-13-01")),
    ],
)
def test_days_are_read_as_people_say_them(words: str, day: str) -> None:
    assert read_date(words, TODAY) == (date.fromisoformat(day) if day else None)


def test_a_date_long_past_is_one_of_next_year() -> None:
    assert read_date("2 January", date(2023, 12, 30)) == date(2024, 1, 2)


@pytest.mark.parametrize(
    ("words", "clock"),
    [
        ("17:00", "17:00"),
        ("5 pm", "17:00"),
        ("5:30 p.m.", "17:30"),
        ("from 5 to 7 pm", "17:00"),
        ("at five", "17:00"),
        ("8", "08:00"),
        ("8 in the evening", "20:00"),
        ("05:00", "05:00"),
        ("12 am", "00:00"),
        ("noon", "12:00"),
        ("in the afternoon", ""),
        ("25:00", ""),
        ("", ""),
    ],
)
def test_clocks_are_read_as_people_say_them(words: str, clock: str) -> None:
    assert read_clock(words) == clock
