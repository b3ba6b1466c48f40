"""Contrasts: p values by enumeration, mirror symmetry, what is left out, what is refused."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.stats import MIN_SEEDS, Contrast, contrast, correct_family, smallest_p

# Quarters and tenths: sums that tie, some of them only up to rounding.
VALUE = st.one_of(st.integers(-8, 8).map(lambda n: n / 4), st.integers(-9, 9).map(lambda n: n / 10))
PAIRS = st.lists(st.tuples(VALUE, VALUE), min_size=2, max_size=8)
P_VALUES = st.lists(st.floats(0.001, 1), min_size=1, max_size=8)


def arm(values: Sequence[float], start: int = 0) -> dict[int, float]:
    return {start + seed: value for seed, value in enumerate(values)}


def compare_pair(a: Sequence[float], b: Sequence[float], apart: int = 0) -> Contrast:
    return contrast("density", "tiny", "idle", "scripted", arm(a), arm(b, apart))


def by_signs(differences: Sequence[float]) -> float:
    """Enumerate all signs; rounding taken out by counting in twentieths."""
    whole = [round(20 * d) for d in differences]
    sums = [sum(s * d for s, d in zip(signs, whole, strict=True))
            for signs in product((1, -1), repeat=len(whole))]  # fmt: skip
    return sum(abs(total) >= abs(sum(whole)) for total in sums) / len(sums)


def by_labels(a: Sequence[float], b: Sequence[float]) -> float:
    """Enumerate all divisions of the pooled runs: twice the smaller tail."""
    pooled = [round(20 * value) for value in (*a, *b)]
    sums = [sum(chosen) for chosen in combinations(pooled, len(a))]
    seen = sum(pooled[: len(a)])
    below, above = sum(s <= seen for s in sums), sum(s >= seen for s in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


@given(PAIRS)
def test_a_paired_p_is_that_of_all_signs(pairs: list[tuple[float, float]]) -> None:
    a, b = zip(*pairs, strict=True)
    assert compare_pair(a, b).p == pytest.approx(by_signs([y - x for x, y in pairs]), abs=1e-12)


@given(st.lists(VALUE, min_size=2, max_size=4), st.lists(VALUE, min_size=2, max_size=4))
def test_an_unpaired_p_is_that_of_all_divisions(a: list[float], b: list[float]) -> None:
    found = compare_pair(a, b, apart=100)
    assert not found.paired
    assert "unpaired" in found.note
    assert found.p == pytest.approx(by_labels(a, b), abs=1e-12)


@pytest.mark.parametrize("apart", [0, 100])
@pytest.mark.parametrize("n", [5, 20])
def test_drawn_arrangements_agree_with_a_mirror(n: int, apart: int) -> None:
    rng = np.random.default_rng(n)
    a, b = arm(rng.normal(size=n).tolist()), arm(rng.normal(0.4, size=n).tolist(), apart)
    there = contrast("m", "b", "x", "y", a, b)
    back = contrast("m", "b", "y", "x", b, a)
    assert mirror(there) == back


@settings(max_examples=25)
@given(PAIRS, st.booleans())
def test_exchanging_the_arms_changes_signs_alone(
    pairs: list[tuple[float, float]], shared: bool
) -> None:
    check_exchange(pairs, shared)


@pytest.mark.slow
@settings(max_examples=200)
@given(PAIRS, st.booleans())
def test_exchanging_the_arms_changes_signs_alone_whatever_the_values(
    pairs: list[tuple[float, float]], shared: bool
) -> None:
    check_exchange(pairs, shared)


def check_exchange(pairs: list[tuple[float, float]], shared: bool) -> None:
    a, b = (arm(values) for values in zip(*pairs, strict=True))
    if not shared:
        b = {seed + 100: value for seed, value in b.items()}
        # Of two equal samples nobody can tell which was exchanged: they are drawn from alike.
        assume(sorted(a.values()) != sorted(b.values()))
    there = mirror(contrast("m", "b", "x", "y", a, b))
    back = contrast("m", "b", "y", "x", b, a)
    # Means of the same numbers in another order may differ in their last bit.
    assert (there.low, there.high) == pytest.approx((back.low, back.high), abs=1e-12)
    assert replace(there, low=back.low, high=back.high) == back


def mirror(found: Contrast) -> Contrast:
    return replace(
        found,
        first=found.second,
        second=found.first,
        first_mean=found.second_mean,
        second_mean=found.first_mean,
        difference=-found.difference,
        low=-found.high,
        high=-found.low,
        effect=None if found.effect is None else -found.effect,
    )


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_seeds_means_nothing(pairs: list[tuple[float, float]], random: Random) -> None:
    a, b = (arm(values) for values in zip(*pairs, strict=True))
    order = list(a)
    random.shuffle(order)
    shuffled = contrast("m", "b", "x", "y", {s: a[s] for s in order}, b)
    assert shuffled == contrast("m", "b", "x", "y", a, b)


def test_pairs_are_by_seed_and_those_without_a_partner_are_told() -> None:
    a, b = {0: 1.0, 1: 2.0, 2: 3.0, 9: 100.0}, {1: 2.5, 2: 3.5, 0: 1.5, 7: -50.0, 8: 0.0}
    found = contrast("m", "b", "x", "y", a, b)
    assert (found.paired, found.n, found.first_mean, found.second_mean) == (True, 3, 2.0, 2.5)
    assert "3 runs left out" in found.note


def test_pairing_finds_what_the_spread_between_seeds_hides() -> None:
    towns = np.random.default_rng(1).normal(0, 10, size=12)
    later = towns + np.random.default_rng(2).normal(1, 0.5, size=12)
    given = towns.tolist(), later.tolist()
    paired, apart = compare_pair(*given), compare_pair(*given, apart=100)
    assert paired.p is not None
    assert apart.p is not None
    assert paired.p < 0.01 < 0.5 < apart.p


@pytest.mark.parametrize("apart", [0, 100])
@pytest.mark.parametrize("value", [0.0, 0.7])
def test_equal_arms_have_a_p_of_one(value: float, apart: int) -> None:
    found = compare_pair([value] * 6, [value] * 6, apart)
    assert (found.p, found.difference, found.effect) == (1.0, 0.0, 0.0)
    assert (found.low, found.high) == (0.0, 0.0)


def test_all_pairs_equal_is_told_though_the_runs_differ() -> None:
    found = compare_pair([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])
    assert (found.p, found.effect, found.note) == (1.0, 0.0, "every pair is equal")


def test_a_difference_without_spread_has_no_effect_size() -> None:
    found = compare_pair([0.1] * 8, [0.3] * 8)
    assert found.p == smallest_p(8)
    assert found.effect is None
    assert "no effect size" in found.note
    apart = compare_pair([0.1] * 8, [0.3] * 8, apart=100)
    assert apart.effect is None
    assert apart.low == apart.high == pytest.approx(0.2)


def test_rounding_makes_no_spread() -> None:
    found = compare_pair([0.1, 0.2, 0.7], [0.3, 0.4, 0.9])
    assert found.effect is None
    assert found.p == smallest_p(3)


@pytest.mark.parametrize(("apart", "said"), [(0, "one pair"), (100, "one run")])
def test_one_run_cannot_be_tested(apart: int, said: str) -> None:
    found = compare_pair([1.0], [2.0], apart)
    assert (found.n, found.p, found.effect) == (1, None, None)
    assert (found.low, found.difference, found.high) == (1.0, 1.0, 1.0)
    assert said in found.note


def test_two_pairs_are_tested_and_the_note_says_what_that_is_worth() -> None:
    found = compare_pair([1.0, 2.0], [5.0, 7.0])
    assert (found.n, found.p, found.effect) == (2, 0.5, None)
    assert "2 pairs: no p below 0.5 can be reached" in found.note


def test_the_fewest_seeds_are_those_that_can_be_significant() -> None:
    assert smallest_p(MIN_SEEDS) < 0.05 <= smallest_p(MIN_SEEDS - 1)
    assert [smallest_p(n) for n in (0, 1, 2, 3, 13)] == [1, 1, 0.5, 0.25, 2 / 2**13]
    assert smallest_p(14) == smallest_p(1000) == 2 / 10_000
    with pytest.raises(ConfigError, match="n is -1"):
        smallest_p(-1)


@pytest.mark.parametrize("n", [3, 6, 13, 20])  # of 14, the outcome itself is drawn now and then
def test_the_smallest_p_is_reached(n: int) -> None:
    assert compare_pair([0.0] * n, list(range(1, n + 1))).p == pytest.approx(smallest_p(n))


def test_effects_are_those_of_the_textbook() -> None:
    found = compare_pair([2, 4, 6, 8, 10], [3, 7, 7, 11, 12])  # differences 1, 3, 1, 3, 2
    assert found.effect == pytest.approx(2 / 1 * 0.7978845608, rel=1e-9)  # J(4)
    apart = compare_pair([2, 4, 6], [7, 9, 11], apart=100)  # pooled sd 2, J(4)
    assert apart.effect == pytest.approx(5 / 2 * 0.7978845608, rel=1e-9)


@pytest.mark.parametrize("bad", [None, float("nan"), float("-inf"), "1"])
@pytest.mark.parametrize("seed", [1, 9])
def test_what_is_no_finite_number_is_refused(bad: Any, seed: int) -> None:
    a: dict[int, Any] = {0: 1.0, 1: 2.0, seed: bad}
    with pytest.raises(ConfigError, match=r"density, arm idle: .*finite numbers"):
        contrast("density", "tiny", "idle", "scripted", a, {0: 1.0, 1: 2.0})
    with pytest.raises(ConfigError, match="arm scripted"):
        contrast("density", "tiny", "idle", "scripted", {0: 1.0, 1: 2.0}, a)


def test_an_arm_without_values_is_refused() -> None:
    with pytest.raises(ConfigError, match="arm scripted: no values"):
        contrast("density", "tiny", "idle", "scripted", {0: 1.0}, {})


def with_p(*values: float | None, n: int = 20) -> list[Contrast]:
    one = compare_pair([1, 2, 3], [2, 3, 5])
    return [replace(one, n=n, p=p, note="") for p in values]


def test_holm_is_that_of_the_paper() -> None:
    found = correct_family(with_p(0.01, 0.04, None, 0.03, 0.005), "primary")
    assert [each.p_holm for each in found] == [
        pytest.approx(0.03), pytest.approx(0.06), None, pytest.approx(0.06), pytest.approx(0.02)
    ]  # fmt: skip
    assert {each.family for each in found} == {"primary"}
    assert [each.p for each in found] == [0.01, 0.04, None, 0.03, 0.005]


@settings(max_examples=4)  # statsmodels collects garbage at each correction
@given(P_VALUES)
def test_holm_never_lowers_a_p_nor_passes_bonferroni(values: list[float]) -> None:
    check_holm(values)


@pytest.mark.slow
@settings(max_examples=100)
@given(P_VALUES)
def test_holm_never_lowers_a_p_of_many(values: list[float]) -> None:
    check_holm(values)


def check_holm(values: list[float]) -> None:
    found = correct_family(with_p(*values), "f")
    for p, each in zip(values, found, strict=True):
        assert each.p_holm is not None
        assert p - 1e-12 <= each.p_holm <= min(1.0, p * len(values)) + 1e-12


def test_a_family_too_large_for_its_seeds_is_told() -> None:
    six, seven = (
        correct_family(with_p(0.1, 0.1, n=6), "f"),
        correct_family(with_p(0.1, 0.1, n=7), "f"),
    )
    assert all("few for a family of 2" in each.note for each in six)
    assert all(each.note == "" for each in seven)


def test_a_family_of_none_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    assert correct_family([], "f") == ()
    assert correct_family(with_p(None), "f")[0].p_holm is None
    with pytest.raises(ConfigError, match=r"pip install .*\[lab\]"):
        correct_family(with_p(0.1), "f")
