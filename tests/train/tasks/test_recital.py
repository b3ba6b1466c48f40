"""A small part of the campaign: reciting a task's words earns nothing."""

import pytest

from tests.campaigns import recital


@pytest.mark.slow
@pytest.mark.parametrize("task", ["spread", "culprit"])
def test_reciting_earns_no_more_than_chance(task: str) -> None:
    found = recital.judge(task, 6)
    assert float(found["recital"]) < float(found["random"])
    assert float(found["random"]) < float(found["solution"])
