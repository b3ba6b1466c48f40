"""The measures that tell what the report of a run tells: their keys, and where they have none."""

from pathlib import Path

import pytest

from genagents_env.record import JudgementRow, RunReader
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    gathering,
    goes,
    record_street,
    street,
    value,
)
from tests.study.report.planted import ASKED, cake, judgement

VALUES: dict[str, object] = {
    "heard": {"crumbs": 1.0},
    "verified": {},  # no question asks for the fact
    "received": {"crumbs": 1.0},
    "stored": {"crumbs": 1.0},
    "retrieved": {"crumbs": 0.0},
    "success": {"solved": 1.0, "equal": 1.0},
    "success_majority": {"solved": 1.0, "equal": 1.0},
    "judge_agreement": {"suspect": 0.5},
    "changed": {"suspect": 1.0},
    "hallucinated": None,
    "uncited": None,
    "acquainted": None,
    "calls_per_hour": pytest.approx(12),
    "tokens_per_hour": pytest.approx(1320),
    "dollars_per_hour": pytest.approx(0.00048 * 3),
    "dollars_per_human_hour": pytest.approx(0.00048 * 30),
    "fallbacks": 0,
    "policy_errors": 0,
    "wall_seconds": None,  # nobody noted it
}


def test_a_run_with_something_of_everything(tmp_path: Path) -> None:
    with RunReader(cake(tmp_path / "run.sqlite")) as run:
        record = RunData(run)
        for name, expected in VALUES.items():
            assert value(record, name) == expected, name


def test_no_model_costs_nothing_and_no_price_is_not_nothing(tmp_path: Path) -> None:
    with record_street(tmp_path, last=60, model=None, price=None) as record:
        for name in ("calls_per_hour", "tokens_per_hour", "dollars_per_human_hour"):
            assert value(record, name) == 0
        assert value(record, "fallbacks") is None
    with RunReader(cake(tmp_path / "cake.sqlite", price=None)) as run:
        assert value(RunData(run), "dollars_per_hour") is None
        assert value(RunData(run), "calls_per_hour") == pytest.approx(12)


def test_the_runs_own_model_judges_before_others(tmp_path: Path) -> None:
    """Of two judges the run's own counts; of two others none does."""
    own = JudgementRow("toy", "suspect", 60, ADA, ASKED, 0, "Ada", "", 1, 1)
    other = JudgementRow("third", "suspect", 60, ADA, ASKED, 0, "Ben", "", 1, 1)
    with RunReader(cake(tmp_path / "a.sqlite", judged=(judgement(ADA, 60, 0, "Ben"), own))) as run:
        assert value(RunData(run), "judge_agreement") == {"suspect": 0.0}
    both = (judgement(ADA, 60, 0, "Ben"), other)
    with RunReader(cake(tmp_path / "b.sqlite", judged=both)) as run:
        assert value(RunData(run), "judge_agreement") == {"suspect": None}


def test_who_came_to_the_cake(tmp_path: Path) -> None:
    """Ada hosts; Ben heard of it before and comes for ten minutes; Cat passes by for five."""
    scenario = street(gatherings=(gathering(),))
    happenings = [
        (5, "learn", BEN, {"fact": "cake", "cause": 0, "source": ADA}),
        goes(40, BEN, CAFE),
        goes(50, BEN, "Brook house/kitchen"),
        goes(55, CAT, CAFE),
    ]
    with record_street(
        tmp_path, happenings, last=60, names=(ADA, BEN, CAT), scenario=scenario
    ) as record:
        assert value(record, "invited") == {"treat": 1.0}
        assert value(record, "came") == {"treat": 1.0}
        assert value(record, "attendance") == {"treat": 2.0}


@pytest.mark.parametrize(("last", "invited"), [(20, None), (60, 0.0)])
def test_before_a_gathering_nothing_is_told_and_nobody_invited_is_nobody_to_come(
    last: int, invited: float | None, tmp_path: Path
) -> None:
    with record_street(tmp_path, last=last, scenario=street(gatherings=(gathering(),))) as record:
        assert value(record, "invited") == {"treat": invited}
        assert value(record, "came") == {"treat": None}
        assert value(record, "attendance") == {"treat": invited}
