from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.report import figure_data
from genagents_env.report.comparing import ComparedCondition
from tests.report.planted_sweep import ADA, BEN, condition, pair, plot_data, run


def make_trials(folder: Path) -> figure_data.TrialsByCondition:
    side = ComparedCondition(condition("bare"), "bare")
    runs = [
        run(folder, "bare", 0, {}, plot_data=plot_data(told=2, heard=600)),
        run(folder, "bare", 1, {}, plot_data=plot_data(told=4, heard=1800)),
        run(folder, "bare", 2, {}, plot_data=plot_data(told=99), state="stopped"),
    ]
    return [(side, figure_data.find_counted(runs, side))]


def test_diffusion_is_the_mean_over_finished_seeds_at_each_moment(tmp_path: Path) -> None:
    (curve,) = figure_data.make_curves(make_trials(tmp_path))
    known = dict(zip(curve.hours, curve.mean, strict=True))
    assert (curve.fact, curve.label, curve.n) == ("crumbs", "bare", 2)
    assert known[0.0] == 1
    assert known[0.25] == 1.5
    assert known[1.0] == 2
    assert all(
        low <= mean <= high
        for low, mean, high in zip(curve.low, curve.mean, curve.high, strict=True)
    )


def test_a_run_that_ended_earlier_counts_with_its_last_number(tmp_path: Path) -> None:
    short = replace(plot_data(), seconds=900.0, curves={"crumbs": ((0.0, 1.0), (900.0, 1.0))})
    runs = [run(tmp_path, "bare", 0, {}, plot_data=short), run(tmp_path, "bare", 1, {})]
    (curve,) = figure_data.make_curves([(ComparedCondition(condition("bare"), "bare"), runs)])
    assert curve.hours[-1] == 1.0
    assert curve.mean[-1] == 1.5


def test_talk_is_summed_over_finished_seeds(tmp_path: Path) -> None:
    (network,) = figure_data.make_networks(make_trials(tmp_path))
    assert network.names == (ADA, BEN)
    assert network.counts == ((0, 6), (2, 0))
    assert network.n == 2


def test_time_at_places_is_a_share_of_the_agents_own(tmp_path: Path) -> None:
    (own,) = figure_data.make_place_shares(make_trials(tmp_path))
    assert own.places == ("kitchen", "study")
    assert own.shares == ((1.0, 0.0), (0.5, 0.5))


def test_cost_stands_against_the_outcome_of_the_same_run(tmp_path: Path) -> None:
    known = pair(tmp_path)
    conditions = [
        (side, figure_data.find_counted(known.runs, side)) for side in known.blocks[0].conditions
    ]
    cost, points = figure_data.make_tradeoff(conditions, known.cells, "heard.crumbs")
    assert cost == "tokens_per_hour"
    assert [point.label for point in points] == ["bare", "full"]
    assert points[0].costs == tuple(500.0 + seed for seed in range(8))
    assert points[1].outcome.mean == pytest.approx(0.53)


def test_of_nothing_nothing_is_drawn() -> None:
    side = ComparedCondition(condition("bare"), "bare")
    assert figure_data.make_curves([(side, [])]) == []
    assert figure_data.make_networks([(side, [])]) == []
    assert figure_data.make_place_shares([(side, [])]) == []
    assert figure_data.make_tradeoff([(side, [])], [], "heard") == ("", [])
