import signal
from pathlib import Path

import pytest

from genagents_env.record import Degradation
from genagents_env.study.sweep.lives import find_reason_to_stop
from genagents_env.study.sweep.progress import TrialCounts
from genagents_env.study.sweep.stop_rule import StopRule
from genagents_env.study.sweep.worker import TrialResult
from tests.study.report.planted import change
from tests.study.report.planted_study import measured
from tests.study.sweep.small_sweeps import load


def end(status: str) -> TrialResult:
    return TrialResult("t", status, 1)


def test_three_outages_in_a_row_end_what_needs_a_model() -> None:
    halt = StopRule(lambda: None, lambda: None)
    for status in ("paused", "paused", "finished", "paused", "paused"):
        halt.note(end(status), needs_model=True)
    assert halt.allows(needs_model=True)
    halt.note(end("finished"), needs_model=False)  # says nothing about the endpoint
    halt.note(end("paused"), needs_model=True)
    assert not halt.allows(needs_model=True)
    assert halt.allows(needs_model=False)
    halt.note(end("finished"), needs_model=True)  # had begun before
    assert not halt.allows(needs_model=True)
    assert halt.conclude(TrialCounts(9, 5, 0, 0, 1))[0] == 75


def test_a_used_up_budget_lets_those_begin_that_cost_nothing() -> None:
    halt = StopRule(lambda: "tokens", lambda: None)
    assert not halt.allows(needs_model=True)
    assert halt.allows(needs_model=False)
    code, why = halt.conclude(TrialCounts(9, 7, 0, 0, 0))
    assert code == 3
    assert "tokens" in why
    assert not StopRule(lambda: "seconds", lambda: None).allows(needs_model=False)


def test_the_exit_code_names_the_first_reason() -> None:
    whole, failed, left = (TrialCounts(3, n, 0, 0, bad) for n, bad in ((3, 0), (1, 2), (0, 2)))
    own = StopRule(lambda: None, lambda: None)
    assert [own.conclude(counts) for counts in (whole, failed)] == [(0, ""), (1, "")]
    assert own.conclude(TrialCounts(3, 3, 1, 0, 0))[0] == 4
    assert StopRule(lambda: "calls", lambda: signal.SIGTERM).conclude(left)[0] == 143
    assert StopRule(lambda: "calls", lambda: signal.SIGINT).conclude(whole)[0] == 0
    own.note(end("budget_exhausted"), needs_model=True)
    assert own.conclude(left)[0] == 3


FOUR = [("bare", "2"), ("full", "2"), ("bare", "8"), ("full", "8")]
MINDS = {"bare": {"policy": "idle"}, "full": {"policy": "scripted"}}
FACTORS = {"mind": MINDS, "rules.vision_radius": {"2": 2, "8": 8}}


def look(folder: Path, lives: str, *primary: str, factors: object = FACTORS, **more: object) -> str:
    """Return why a study stops whose first seed has these lives, a letter for each cell."""
    experiment = load(folder, arms=None, factors=factors, primary=primary)
    cells = FOUR if len(experiment.levels) == 2 else [("bare",), ("full",)]
    values = {"heard.ferry": 1.0, "heard.tea": 0.5, "reach.a": 1.0}
    taken = dict.fromkeys(("heard", "came", "folder/mine.py:reach"), "1")
    runs = {
        cell: change(measured(values, life, taken=taken), more if life == "x" else {})
        for cell, life in zip(cells, lives, strict=False)
    }
    return find_reason_to_stop(experiment, len(cells), runs)


def test_levels_of_equal_lives_are_told_with_where_they_were_equal(tmp_path: Path) -> None:
    told = look(tmp_path, "aabb")
    assert told.startswith("mind: bare and full led the same life in all 2 pairs of runs")
    alone = look(tmp_path, "aa", factors={"mind": MINDS})
    assert "in the one pair of runs of the first seed" in alone
    assert look(tmp_path, "aabc") == ""


def test_a_level_whose_runs_are_all_degraded_is_told(tmp_path: Path) -> None:
    bad = {"degradation": Degradation(fallbacks=9, calls=10)}
    told = look(tmp_path, "axbx", **bad)
    assert told.startswith("with full (mind) every finished run of the first seed is degraded (9")
    assert look(tmp_path, "xxxx", **bad).startswith("every finished run of the first seed is")
    assert look(tmp_path, "axbc", **bad) == ""


@pytest.mark.parametrize(
    ("primary", "told"),
    [
        ("heard", ""),
        ("heard.tea", ""),
        ("density", ""),  # which was not taken
        ("heard.party", "of heard.party, which is `primary`; there is heard.ferry, heard.tea"),
        ("came", "came has none at all"),
        ("folder/mine.py:reach.b", "there is reach.a"),
    ],
)
def test_a_primary_value_that_no_run_has_is_told_with_those_there_are(
    tmp_path: Path, primary: str, told: str
) -> None:
    found = look(tmp_path, "abcd", primary)
    assert found.endswith(told)
    assert bool(found) == bool(told)
    assert look(tmp_path, "abc", primary) == "", "one of the first seed may have it yet"
