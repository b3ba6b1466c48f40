from pathlib import Path

import pytest

from genagents_env.study.evaluate.measures.distance import compute_distances
from tests.study.evaluate.measures.street import ADA, BEN, HOME, begins, record_street
from tests.study.evaluate.measures.test_talk import value


def test_who_walks_how_far(tmp_path: Path) -> None:
    """Ada takes three steps, Ben one; Ben is put elsewhere by one that is none of his."""
    put = {**begins(BEN)[3], "place": HOME}
    happenings = [(30, "put", BEN, put)]
    steps = [(5, ADA), (6, ADA), (50, ADA), (10, BEN), (30, BEN)]
    with record_street(tmp_path, happenings, last=60, steps=steps) as record:
        assert compute_distances(record).tolist() == [3, 1]
        assert value(record, "distance") == pytest.approx(4 / 2)


def test_before_any_time_has_passed_there_is_no_rate(tmp_path: Path) -> None:
    with record_street(tmp_path) as record:
        assert compute_distances(record).tolist() == [0, 0]
        assert value(record, "distance") is None
