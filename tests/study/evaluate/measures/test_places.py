import math
from pathlib import Path

import numpy as np
import pytest

from genagents_env.study.evaluate.measures.diffusion import compute_curves
from genagents_env.study.evaluate.measures.places import count_waking_ticks, find_accompanied
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    SHOP,
    begins,
    goes,
    make_utterance,
    record_street,
    value,
)


def test_where_people_spend_their_time(tmp_path: Path) -> None:
    """Ada: home 10 minutes, cafe 30, shop 20. Ben: home all the hour, asleep for the last 30."""
    happenings = [
        goes(10, ADA, CAFE),
        goes(40, ADA, SHOP),
        (30, "sleep", BEN, {"cause": "action"}),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        assert record.arenas == (HOME, CAFE, SHOP)
        assert count_waking_ticks(record).tolist() == [[10, 30, 20], [30, 0, 0]]
        assert value(record, "at_home") == pytest.approx(40 / 90)
        assert value(record, "at_work") == pytest.approx(30 / 60)  # Ada's alone has a workplace
        assert value(record, "together") == pytest.approx(20 / 90)
        shares = np.array([40, 30, 20]) / 90
        by_hand = -(shares * np.log(shares)).sum() / math.log(5)  # four arenas and the open ground
        assert value(record, "place_entropy") == pytest.approx(by_hand)


def test_the_open_ground_is_no_company(tmp_path: Path) -> None:
    happenings = [begins(ADA, "outside"), begins(BEN, "outside"), goes(30, ADA, HOME)]
    with record_street(tmp_path, happenings, last=60) as record:
        assert record.scenario.outside == "outside"
        assert value(record, "together") == 0
        assert not find_accompanied(record).any()


def test_nobody_awake_is_nobody_anywhere(tmp_path: Path) -> None:
    happenings = [begins(ADA, asleep=True), begins(BEN, asleep=True)]
    with record_street(tmp_path, happenings, last=60) as record:
        for name in ("place_entropy", "at_home", "at_work", "together", "trespass"):
            assert value(record, name) is None, name
        assert value(record, "adherence") is None


def test_a_fact_spreads_over_time(tmp_path: Path) -> None:
    heard = {"fact": "cake", "cause": 0, "source": ADA}
    told = make_utterance(30, ADA, "There is cake for everybody.", to=[BEN])
    happenings, three = [told, (30, "learn", BEN, heard)], (ADA, BEN, "Cat Dole")
    with record_street(tmp_path, happenings, last=60, names=three) as record:
        assert compute_curves(record) == {"cake": [(0.0, 1), (1800.0, 2), (3600.0, 2)]}
        assert value(record, "heard") == {"cake": pytest.approx(2 / 3)}
        assert value(record, "received") == {"cake": 0.5}
        assert value(record, "half_time") == {"cake": 0.5}  # half of three is two
