"""Main effects and interactions: one number a seed, a family of tests, what seeds allow."""

from itertools import product

import numpy as np
import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.stats.effects import (
    Cell,
    CellValues,
    Contrast,
    Effect,
    compute_effect,
    correct_family,
    count_needed_seeds,
    find_detectable,
    list_contrasts,
)

LEVELS = {"sight": ("2", "8"), "first": ("host", "student")}
SIGHT, FIRST, BOTH = list_contrasts(LEVELS)


def grid(seeds: int = 8, **effects: float) -> CellValues:
    """Return a grid in which each seed has luck of its own, and each effect its size."""
    rng = np.random.default_rng(1)
    luck, noise = rng.normal(0, 0.3, seeds), rng.normal(0, 0.02, (seeds, 4))
    found: dict[Cell, dict[int, float]] = {}
    for k, (sight, first) in enumerate(product(*LEVELS.values())):
        far, late = sight == "8", first == "student"
        told = effects.get("sight", 0) * far + effects.get("first", 0) * late
        told += effects.get("both", 0) * (far and late)
        found[sight, first] = {s: luck[s] + noise[s, k] + told for s in range(seeds)}
    return found


def effect(values: CellValues, one: Contrast = SIGHT) -> Effect:
    found = compute_effect("heard", values, LEVELS, one)
    assert found is not None
    return found


def test_comparisons_are_pairs_of_levels_or_those_with_the_baseline() -> None:
    levels = {"mind": ("a", "b", "c"), "model": ("x", "y")}
    found = list(list_contrasts(levels))
    assert [one.text for one in found if not one.is_interaction] == [
        *("b less a", "c less a", "c less b", "y less x"),
    ]
    assert sum(one.is_interaction for one in found) == 3
    based = [one.text for one in list_contrasts({"mind": ("a", "b", "c")}, {"mind": "b"})]
    assert based == ["a less b", "c less b"]
    assert BOTH.factor == "sight x first"
    assert BOTH.text == "(8 less 2) by (student less host)"


def test_a_main_effect_is_averaged_over_the_other_factor() -> None:
    found = effect(grid(sight=0.4, both=0.2))
    assert found.difference == pytest.approx(0.5, abs=0.03)
    assert found.first_mean is not None
    assert found.second_mean is not None
    assert found.second_mean - found.first_mean == pytest.approx(found.difference)
    assert (found.n, found.method) == (8, "sign-flip")
    assert found.p == 2 / 2**8
    assert found.size is not None
    assert found.size > 5


def test_an_interaction_is_by_how_much_a_difference_differs() -> None:
    found = effect(grid(sight=0.4, first=1.0, both=0.2), BOTH)
    assert found.difference == pytest.approx(0.2, abs=0.05)
    assert (found.first_mean, found.second_mean) == (None, None)


def test_seeds_without_all_their_values_are_left_out_and_counted() -> None:
    values = {cell: dict(own) for cell, own in grid().items()}
    del values["2", "host"][3]
    found = effect(values)
    assert found.n == 7
    assert found.note == "1 seed left out: not all have a value"
    assert compute_effect("heard", {("2", "host"): {0: 1.0}}, LEVELS, SIGHT) is None
    assert compute_effect("heard", {}, LEVELS, SIGHT) is None


@pytest.mark.parametrize("seeds", [1, 2, 5])
def test_below_six_seeds_there_is_an_interval_by_t_and_no_test(seeds: int) -> None:
    found = effect(grid(seeds, sight=9.0))
    assert found.p is None
    assert (found.low is None) == (seeds == 1)
    assert found.method == ("" if seeds == 1 else "t")
    assert "no test" in found.note
    (corrected,) = correct_family([found])
    assert not corrected.found
    assert corrected.p_holm is None


def test_equal_numbers_have_no_interval_and_no_place_in_the_family() -> None:
    same = {cell: dict.fromkeys(range(8), 0.5) for cell in product(*LEVELS.values())}
    equal = effect(same)
    assert (equal.low, equal.high, equal.difference, equal.p) == (None, None, 0.0, 1.0)
    assert not equal.is_tested
    shifted = {cell: {s: 0.1 + 0.3 * (cell[0] == "8") for s in range(8)} for cell in same}
    constant = effect(shifted)
    assert (constant.low, constant.size) == (None, None)
    assert constant.p == 2 / 2**8
    assert "the same difference in every seed" in constant.note
    first, second = correct_family([equal, constant])
    assert (first.p_holm, second.p_holm) == (None, 2 / 2**8)


def test_what_differs_in_fewer_than_six_seeds_takes_no_place_in_the_family() -> None:
    same = {cell: dict.fromkeys(range(8), 0.5) for cell in product(*LEVELS.values())}
    rare = {cell: own | {0: 0.5 + (cell[0] == "8")} for cell, own in same.items()}
    clear = effect(grid(6, sight=1.0))
    lone, found = correct_family([effect(rare), clear])
    assert (lone.p, lone.p_holm) == (1.0, None)
    assert "not 0 in 1 of 8 seeds: it cannot be significant" in lone.note
    assert found.p_holm == clear.p == 2 / 2**6


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    made = [effect(grid(sight=size)) for size in (0.4, 0.0, 0.01)]
    ps = sorted(one.p for one in made if one.p is not None)
    found = sorted(one.p_holm for one in correct_family(made) if one.p_holm is not None)
    wanted = [min(1.0, ps[0] * 3), min(1.0, ps[1] * 2), ps[2]]
    assert found == pytest.approx([max(wanted[: k + 1]) for k in range(3)])
    assert all(one.family == "primary" for one in correct_family(made))


def test_a_family_too_large_for_its_seeds_says_so() -> None:
    many = correct_family([effect(grid(6, sight=1.0))] * 5)
    assert not any(one.found for one in many)
    assert "6 seeds are few for a family of 5" in many[0].note


def test_seeds_needed_are_those_of_the_reference_design() -> None:
    assert [count_needed_seeds(tests) for tests in (1, 3, 7, 15)] == [6, 7, 9, 10]


def test_what_a_study_would_find_falls_with_its_seeds() -> None:
    pilot = [0.1, 0.3, -0.2, 0.4]
    few, many = find_detectable(pilot, 8, 3), find_detectable(pilot, 32, 3)
    assert few is not None
    assert many is not None
    assert many < few / 1.8
    assert find_detectable([0.1, 0.2], 8, 3) is None
    assert find_detectable([0.1, 0.1, 0.1], 8, 3) is None


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(ConfigError, match="finite numbers"):
        effect({**grid(), ("2", "host"): {0: float("nan")}})


def test_a_planted_interaction_is_found_and_held_and_nothing_else_is() -> None:
    rng, held, hit = np.random.default_rng(4), 0, 0
    false = {0.0: 0, 0.3: 0}
    for truth in false:
        for _ in range(100):
            luck = rng.normal(0, 0.3, 12)
            values: CellValues = {
                (a, b): dict(
                    enumerate(luck + truth * (a == "8") * (b == "student") + rng.normal(0, 0.1, 12))
                )
                for a, b in product(*LEVELS.values())
            }
            family = correct_family([effect(values, one) for one in (SIGHT, FIRST, BOTH)])
            last = family[-1]
            assert last.low is not None
            assert last.high is not None
            held += truth > 0 and last.low <= truth <= last.high
            hit += truth > 0 and last.found
            false[truth] += any(one.found for one in family)
    assert held >= 90
    assert hit >= 95
    assert false[0.0] <= 8
