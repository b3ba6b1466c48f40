"""Each sentence at the top of a study's page follows from the tables it stands over."""

from itertools import product
from pathlib import Path

from genagents_env.study.evaluate.measure import MeasuredValue
from genagents_env.study.judge.verdicts import Verdicts
from tests.study.report.planted import change
from tests.study.report.planted_study import (
    Number,
    degraded,
    make_runs,
    measured,
    pair,
    run,
    study,
    unfinished,
)
from tests.study.report.test_judging import rating


def test_a_finding_is_what_was_seen_with_either_then_how_sure(tmp_path: Path) -> None:
    (line,) = pair(tmp_path).headlines
    assert line.startswith(
        "With full, 53 of 100 heard of crumbs; with bare, 21.5 of 100 (difference 31.5 of 100 ["
    )
    assert line.endswith("p = 0.00781 after Holm's correction, 8 seeds).")
    (words,) = pair(tmp_path, gap=0.0, primary=("tokens_per_hour",)).headlines
    assert "No difference was found" in words or "equal" in words


def test_none_found_is_not_told_as_none_there(tmp_path: Path) -> None:
    runs = make_runs(tmp_path, lambda k, seed: {"heard.crumbs": 0.1 * ((seed * (3 + k)) % 7)})
    (line,) = study(tmp_path, runs).headlines
    assert line.startswith("No difference was found (Heard: crumbs) with 8 seeds; that is not a")


def test_few_seeds_and_one_seed_say_what_they_can(tmp_path: Path) -> None:
    (few,) = pair(tmp_path, seeds=4).headlines
    assert "so few seeds cannot show one after correction, however large it is" in few
    (one,) = pair(tmp_path, seeds=1).headlines
    assert "one seed of each, the numbers for Heard: crumbs say what happened once" in one
    runs = make_runs(tmp_path, lambda k, s: {"heard.crumbs": k / 2, "words": k * (9.0 + s)}, 6)
    (many,) = study(tmp_path, runs, primary=("heard.crumbs", "words")).cautions
    assert many.startswith("2 primary comparisons are many for 6 seeds: with 7 seeds, or fewer")


def test_a_primary_measure_without_values_is_told_with_why(tmp_path: Path) -> None:
    (unknown,) = study(
        tmp_path, list(pair(tmp_path).runs), primary=("judge.believability",)
    ).headlines
    assert unknown.startswith("judge.believability has no value in any finished run")
    values: tuple[Number, ...] = (MeasuredValue(None, "nobody asked"), 0.5)
    runs = make_runs(tmp_path, lambda k, _: {"heard.crumbs": values[k]})
    (gap,) = study(tmp_path, runs).headlines
    assert gap.startswith("Heard: crumbs has no value of one seed in all levels (8 nobody asked)")


def test_ratings_of_judges_are_a_primary_measure(tmp_path: Path) -> None:
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed in range(8):
            for condition, value in (("bare", 2), ("full", 4 + seed % 2)):
                verdicts.add(rating(seed, condition, value))
    (line,) = study(tmp_path, pair(tmp_path).runs, primary=("judge.believability",)).headlines
    assert line.startswith("Rating: believability: 4.5 with full, 2 with bare (difference 2.5 [")


def test_what_a_judge_read_once_counts_once_however_many_seeds_say_it(tmp_path: Path) -> None:
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed in range(8):
            for condition, value in (("bare", 2), ("full", 4)):
                verdicts.add(rating(seed, condition, value, contents=(condition,)))
    runs = list(pair(tmp_path).runs)
    found = study(tmp_path, runs, primary=("judge.believability",))
    assert found.headlines == (
        "Judges read the same in all seeds: Rating: believability is what they thought once, no "
        "more.",
    )
    told = "Rating: believability: 14 of 16 ratings were given to the very same words elsewhere."
    assert any(line.startswith(told) for line in found.cautions)
    runs[0] = degraded(runs[0])  # what is in no mean is no earlier seed of others
    (effect,) = study(tmp_path, runs, primary=("judge.believability",)).effects[:1]
    assert (effect.measure, effect.n) == ("judge.believability", 1)


def test_seeds_are_read_alike_by_what_is_compared(tmp_path: Path) -> None:
    """A third condition with other words in each seed makes nothing of two that are the same."""
    levels = {"mind": ("bare", "full", "odd")}
    cells = product(range(8), levels["mind"])
    runs = [run(tmp_path, [one], seed, {"talk": 1.0}) for seed, one in cells]
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed in range(8):
            for condition, value in (("bare", 2), ("full", 4)):
                verdicts.add(rating(seed, condition, value, contents=(condition,)))
            verdicts.add(rating(seed, "odd", 1 + seed % 5, contents=(f"odd{seed}",)))
    found = study(tmp_path, runs, primary=("judge.believability",), levels=levels)
    rated = [one for one in found.effects if one.measure == "judge.believability"]
    seeds = {(one.contrast.first, one.contrast.second): one.n for one in rated}
    assert seeds[("bare",), ("full",)] == 1
    assert seeds[("bare",), ("odd",)] == seeds[("full",), ("odd",)] == 8


def test_a_level_that_failed_throughout_is_told_with_its_reason(tmp_path: Path) -> None:
    runs = [run(tmp_path, ["bare"], seed, {"heard.crumbs": 0.5}) for seed in range(8)]
    runs += [unfinished(tmp_path, "full", seed, "failed", "no such library") for seed in range(8)]
    lines = study(tmp_path, runs).headlines
    assert (
        "No run with full (mind) counts (8 failed: no such library), so it was "
        "compared with nothing." in lines
    )
    assert any("so they were not compared" in line for line in lines)


def test_equal_lives_are_told_instead_of_a_null(tmp_path: Path) -> None:
    runs = [
        change(one, {"measured": measured({"heard.crumbs": 0.1 * one.seed}, f"life {one.seed}")})
        for one in pair(tmp_path).runs
    ]
    (line,) = study(tmp_path, runs).headlines
    assert line.startswith("mind: bare and full led the same life in all 8 pairs of runs: nothing")
    (once,) = study(tmp_path, [run for run in runs if run.seed == 0]).headlines
    assert "in the one pair of runs: nothing that happened there depended" in once
    assert "Other seeds may differ where chance decides" in once


def test_some_equal_lives_are_a_caution_with_their_share(tmp_path: Path) -> None:
    runs = [
        change(one, {"measured": change(one.measured, {"life": "same"})}) if one.seed < 3 else one
        for one in pair(tmp_path).runs
    ]
    found = study(tmp_path, runs)
    assert any("led the same life in 3 of 8 pairs of runs" in line for line in found.cautions)
    assert found.headlines[0].startswith("With full")


def test_unusable_replies_and_nothing_finished_are_told(tmp_path: Path) -> None:
    (line,) = study(tmp_path, [degraded(one) for one in pair(tmp_path).runs]).headlines
    assert line.startswith("Every finished run is degraded (a policy failed, or the model gave")
    due = [unfinished(tmp_path, level, 0, "due") for level in ("bare", "full")]
    (line,) = study(tmp_path, due).headlines
    assert line == "No run has finished yet (2 due), so nothing can be said."


def test_without_a_primary_measure_all_is_exploratory(tmp_path: Path) -> None:
    found = pair(tmp_path, primary=())
    assert found.headlines == (
        "No primary measure was named beforehand, so all that follows is exploratory.",
    )
    assert {one.family for one in found.effects} == {"exploratory"}


def test_a_study_that_varies_nothing_tells_its_means(tmp_path: Path) -> None:
    runs = [run(tmp_path, [], seed, {"heard.crumbs": 0.2 + 0.1 * seed}) for seed in range(3)]
    (line,) = study(tmp_path, runs, levels={}).headlines
    assert line == "Heard: crumbs: 0.3 [0.0516, 0.548], mean of 3 runs."


def test_primary_effects_may_be_named_and_interactions_are_told(tmp_path: Path) -> None:
    levels = {"sight": ("2", "8"), "first": ("host", "student")}
    runs = [
        run(
            tmp_path,
            cell,
            seed,
            {"heard.crumbs": 0.1 + 0.4 * (cell == ("8", "student")) + 0.01 * ((seed * 7) % 5)},
        )
        for seed in range(8)
        for cell in product(*levels.values())
    ]
    every = study(tmp_path, runs, levels=levels)
    assert sum(one.family == "primary" for one in every.effects) == 3
    only = study(tmp_path, runs, levels=levels, primary=("heard.crumbs: sight x first",))
    assert [one.contrast.is_interaction for one in only.effects] == [True, False, False]
    (line,) = only.headlines
    assert line.startswith(
        "Heard: crumbs: from sight 2 to sight 8 it changes by 0 of 100 with host, by 40 of 100 "
        "with student (difference 40 of 100, p = "
    )


def test_times_cut_off_are_compared_with_those_that_were_not(tmp_path: Path) -> None:
    def time(hours: float | None) -> MeasuredValue:
        return (
            MeasuredValue(3.0, "not reached", True)
            if hours is None
            else MeasuredValue(hours, "reached")
        )

    times = [None] * 6 + [0.4, 0.6], [1.0, 1.2, 1.1, 1.4, 0.9, 1.3, 1.0, 1.2]
    runs = make_runs(tmp_path, lambda k, seed: {"half_time.crumbs": time(times[k][seed])})
    found = study(tmp_path, runs, primary=("half_time.crumbs",))
    (one,) = found.effects
    assert one.difference < 0, "with full it is faster, though the few of bare were fastest"
    assert "6 of 16 runs ended before" in one.note
    survival = one.times
    assert survival is not None
    assert (survival.first_reached, survival.second_reached) == (2, 8)
    assert survival.first_median is None
