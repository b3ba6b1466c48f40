"""Here and now, as the observer reads it."""

import pytest

from genagents_env.cognition.prompts import HERE, describe_here_and_now
from tests.policies.percepts import Moment, person


@pytest.mark.parametrize(
    ("doing", "told"),
    [
        ("talking with Ann Ash", "talking with you"),
        ("talking with Ann Ash and Cid Cedar", "talking with you and Cid Cedar"),
        ("waiting at Ann Ash's house", "waiting at your house"),
        ("talking with Joann Ashton", "talking with Joann Ashton"),
        ("reading 'Ann Ash and Cid' to Ann Ash's cat", "reading 'Ann Ash and Cid' to your cat"),
    ],
)
def test_who_is_there_does_it_with_you(doing: str, told: str) -> None:
    sections = describe_here_and_now(Moment(people=(person("Bob", doing=doing),)))
    here = next(section for section in sections if section.name == HERE)
    assert here.lines == [["here with you", "Bob", told]]


def test_one_who_sleeps_is_asleep() -> None:
    sections = describe_here_and_now(Moment(people=(person("Bob", asleep=True),)))
    assert sections[-1].lines == [["here with you", "Bob", "asleep"]]
