from collections.abc import Mapping
from pathlib import Path

import pytest

from genagents_env.report.comparing import ConditionBlock, make_blocks, make_cells, make_contrasts
from genagents_env.report.trial import MeasuredTrial
from genagents_env.sweep.design.trials import Condition
from tests.report.planted_sweep import condition, pair, run, sweep


def arms(folder: Path, values: Mapping[str, Mapping[int, float | None]]) -> list[MeasuredTrial]:
    return [
        run(folder, arm, seed, {"heard.crumbs": value})
        for arm, own in values.items()
        for seed, value in own.items()
    ]


def names(blocks: tuple[ConditionBlock, ...]) -> list[tuple[str, list[str]]]:
    return [(block.name, [side.label for side in block.conditions]) for block in blocks]


def test_arms_are_compared_within_a_scenario_and_a_model() -> None:
    found = make_blocks(
        [condition(arm, town) for town in ("cake", "fair") for arm in ("bare", "full")]
    )
    assert names(found) == [("cake", ["bare", "full"]), ("fair", ["bare", "full"])]


def test_models_are_compared_where_there_is_one_arm() -> None:
    found = make_blocks([condition("bare", "cake", model) for model in ("small", "large", None)])
    assert names(found) == [("cake", ["small", "large", "default model"])]


def test_a_block_is_called_by_what_tells_it_from_the_others() -> None:
    found = make_blocks(
        [
            Condition(f"{arm} / {cast}", arm, "cake", cast, None)
            for cast in ("two", "three")
            for arm in ("bare", "full")
        ]
    )
    assert [block.name for block in found] == ["two", "three"]


def test_a_mean_is_over_finished_runs_that_have_a_value(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "bare", 0, {"heard.crumbs": 0.2}),
        run(tmp_path, "bare", 1, {"heard.crumbs": 0.6}),
        run(tmp_path, "bare", 2, {"heard.crumbs": None}),
        run(tmp_path, "bare", 3, {"heard.crumbs": 9.0}, state="stopped"),
        run(tmp_path, "bare", 4, {"heard.crumbs": 9.0}, state="failed"),
    ]
    (cell,) = make_cells(make_blocks([condition("bare")]), runs, ["heard.crumbs"])
    assert cell.values == {0: 0.2, 1: 0.6}
    assert cell.mean is not None
    assert cell.mean.mean == pytest.approx(0.4)
    assert cell.mean.n == 2


def test_a_difference_is_paired_by_seed_and_of_the_planted_size(tmp_path: Path) -> None:
    (one, *rest) = pair(tmp_path).contrasts
    assert (one.measure, one.first, one.second, one.n) == ("heard.crumbs", "bare", "full", 8)
    assert one.paired
    assert one.difference == pytest.approx(0.315)
    assert one.family == "primary"
    assert one.p == one.p_holm == pytest.approx(2 / 2**8)
    assert {other.family for other in rest} == {"exploratory"}
    assert all(other.p_holm is None for other in rest)


def test_a_run_that_stopped_early_drops_out_of_its_pair(tmp_path: Path) -> None:
    runs = arms(tmp_path, {"bare": dict.fromkeys(range(8), 0.1), "full": {0: 0.9}})
    stopped = run(tmp_path, "full", 1, {"heard.crumbs": 0.9}, state="stopped")
    found = sweep(tmp_path, [*runs, stopped]).contrasts
    assert [(one.n, one.p) for one in found] == [(1, None)]


@pytest.mark.parametrize(
    ("baseline", "expected"),
    [
        (None, [("a", "b"), ("a", "c"), ("b", "c")]),
        ("b", [("b", "a"), ("b", "c")]),
        ("elsewhere", [("a", "b"), ("a", "c"), ("b", "c")]),
    ],
)
def test_every_arm_is_compared_with_the_baseline_or_with_each_other(
    tmp_path: Path, baseline: str | None, expected: list[tuple[str, str]]
) -> None:
    runs = arms(tmp_path, {arm: {0: 0.1, 1: 0.2} for arm in ("a", "b", "c")})
    known = sweep(tmp_path, runs, baseline=baseline)
    assert [(one.first, one.second) for one in known.contrasts] == expected


def test_holm_is_over_the_primary_measures_alone(tmp_path: Path) -> None:
    known = pair(tmp_path, primary=("heard.crumbs", "words"))
    main = [one for one in known.contrasts if one.family == "primary"]
    assert [one.measure for one in main] == ["heard.crumbs", "words"]
    assert main[0].p_holm == pytest.approx(2 * (main[0].p or 0))


def test_without_statsmodels_differences_stand_uncorrected_and_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "statsmodels.stats.multitest", None)
    known = pair(tmp_path)
    found, told = make_contrasts(known.blocks, known.cells, None, known.primary)
    assert "[lab]" in told
    assert found[0].p is not None
    assert found[0].p_holm is None
    assert any("not corrected" in one for one in known.cautions)
