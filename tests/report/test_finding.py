from pathlib import Path

from genagents_env.report.finding import describe_finding
from tests.report.planted_sweep import pair, run, sweep


def test_a_difference_is_told_with_its_size_interval_and_p(tmp_path: Path) -> None:
    told = pair(tmp_path).finding
    assert told.startswith("Heard: crumbs was higher with full than with bare, by 0.315 [0.3")
    assert "p = 0.00781 after Holm's correction, n = 8" in told


def test_a_lower_one_too_with_bounds_in_order(tmp_path: Path) -> None:
    told = pair(tmp_path, gap=-0.1).finding
    assert "was lower with full than with bare, by 0.085 [0.07" in told


def test_none_found_is_not_told_as_none_there(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, arm, seed, {"heard.crumbs": 0.1 * ((seed + k) % 2)})
        for seed in range(8)
        for k, arm in enumerate(("bare", "full"))
    ]
    told = sweep(tmp_path, runs).finding
    assert told == (
        "With 8 seeds, no difference was found; that is not a finding of no difference."
    )


def test_too_few_seeds_are_told(tmp_path: Path) -> None:
    told = pair(tmp_path, seeds=3).finding
    assert told.startswith("With 3 seeds, no difference was found; that is not")
    assert "so few seeds cannot show one after correction" in told


def test_some_differ_and_some_do_not(tmp_path: Path) -> None:
    told = pair(tmp_path, primary=("heard.crumbs", "words")).finding
    assert "Heard: crumbs was higher" in told
    assert told.endswith(
        "with 8 seeds, no difference was found in the other 1 of 2 primary comparisons; that is "
        "not a finding of no difference."
    )


def test_nothing_finished_nothing_named_nothing_to_compare(tmp_path: Path) -> None:
    assert (
        describe_finding((), {}, 0, named=True)
        == "No run has finished yet, so nothing can be said."
    )
    assert "exploratory" in pair(tmp_path, primary=()).finding
    alone = sweep(tmp_path, [run(tmp_path, "bare", 0, {"heard.crumbs": 0.5})])
    assert "nothing could be compared" in alone.finding
