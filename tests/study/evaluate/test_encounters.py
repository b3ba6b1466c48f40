from pathlib import Path

import pytest

from genagents_env.study.evaluate.encounters import are_together
from tests.study.evaluate.measures.street import ADA, BEN, CAFE, HOME, begins, goes, record_street


def test_two_are_together_from_the_tick_at_which_one_comes_to_the_others_room(
    tmp_path: Path,
) -> None:
    happenings = [begins(ADA), begins(BEN, place=CAFE), goes(4, ADA, CAFE)]
    with record_street(tmp_path, happenings, last=6) as data:
        found = [are_together(data, ADA, BEN, tick) for tick in (0, 3, 4, 6)]
        assert found == [False, False, True, True]
        assert not are_together(data, ADA, "Zed", 6)


@pytest.mark.parametrize(
    ("place", "asleep", "met"),
    [(HOME, False, True), (HOME, True, False), ("outside", False, False)],
)
def test_a_sleeper_meets_nobody_and_the_open_ground_is_no_room(
    tmp_path: Path, place: str, asleep: bool, met: bool
) -> None:
    happenings = [begins(ADA, place=place, asleep=asleep), begins(BEN, place=place)]
    with record_street(tmp_path, happenings, last=3) as data:
        assert data.scenario.outside == "outside"
        assert are_together(data, ADA, BEN, 3) == met
        assert are_together(data, BEN, ADA, 3) == (place == HOME)  # one sees who sleeps
