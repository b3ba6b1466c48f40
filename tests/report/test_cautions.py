from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from genagents_env.record import Degradation, PromptCuts
from genagents_env.record.notes import SectionCut
from genagents_env.report.results import SweepResults, compare_trials
from tests.report.planted import change
from tests.report.planted_sweep import measure, pair, run, sweep


def about(known: SweepResults, words: str) -> list[str]:
    return [caution for caution in known.cautions if words in caution]


def test_a_sound_sweep_has_none(tmp_path: Path) -> None:
    assert pair(tmp_path).cautions == ()


def test_few_seeds(tmp_path: Path) -> None:
    assert about(pair(tmp_path, seeds=5), "only 5 finished runs")
    assert not about(pair(tmp_path, seeds=6), "Few seeds")


def test_more_primary_comparisons_than_the_seeds_can_carry(tmp_path: Path) -> None:
    primary = ("heard.crumbs", "words", "tokens_per_hour")
    (told,) = about(pair(tmp_path, seeds=6, primary=primary), "after Holm's correction")
    assert "3 primary comparisons over at most 6 pairs" in told
    assert "no p below 0.0938" in told
    assert not about(pair(tmp_path, seeds=8, primary=primary), "after Holm's correction")


def test_not_paired_by_design_and_in_fact(tmp_path: Path) -> None:
    assert about(pair(tmp_path, paired=False), "Not paired by design")
    runs = [
        run(tmp_path, arm, seed + 10 * k, {"heard.crumbs": 0.1 * seed})
        for k, arm in enumerate(("bare", "full"))
        for seed in range(6)
    ]
    assert about(sweep(tmp_path, runs), "1 comparison had no seed in both")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"degradation": Degradation((), 9, 21, 100)},
            "Degraded: in 1 finished run more than 20% of the model calls had no usable reply: ",
        ),
        (
            {"prompt_cuts": PromptCuts(100, 2, (SectionCut("plan", 2, 3),))},
            "Cut: in 1 run more than 1 % of the prompts had no room for all lines of a section "
            "(plan), 2.0% over these runs",
        ),
        ({"scenario": "d" * 64}, "Scenario cake changed between runs: 2 contents"),
        ({"versions": {"genagents-env": "1.3"}}, "several versions of genagents-env: 1.2.3, 1.3"),
        ({"unmeasured": ("measure echo on x: KeyError",)}, "1 measurement failed"),
        ({"state": "stopped"}, "1 of 16 runs are not finished (1 stopped)"),
        ({"state": "damaged"}, "(1 damaged)"),
    ],
)
def test_one_run_that_is_not_like_the_others(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    first, *rest = pair(tmp_path).runs
    assert about(sweep(tmp_path, [change(first, changes), *rest]), words)


def test_strangers_unknown_measures_and_a_primary_one_without_values(tmp_path: Path) -> None:
    known = pair(tmp_path)
    assert known.plan is not None
    strangers = [tmp_path / f"runs/old-s{k}.sqlite" for k in range(10)]
    main = [measure("heard", key="tea")]
    found = compare_trials(
        tmp_path, known.plan, known.runs, known.measures, main, strangers, ["no measure 'x'"]
    )
    assert about(found, "10 run files in the folder belong to no trial")
    assert about(found, "and 2 more")
    assert about(found, "no measure 'x'")
    assert about(found, "The primary measure heard.tea has no value")


def test_a_missing_library_is_a_problem_for_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    assert pair(tmp_path).problems == ()
    monkeypatch.setattr("genagents_env.report.cautions.version", absent)
    known = pair(tmp_path)
    assert known.problems[0].startswith("no figures: matplotlib is not installed: pip install")
    assert len(known.problems) == 3
    assert known.versions["pandas"] == "not installed"
