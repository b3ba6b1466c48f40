"""What the words for an activity mean: sleep, or no more than a way."""

import pytest

from genagents_env.policies.smallville.agenda import is_walk


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
