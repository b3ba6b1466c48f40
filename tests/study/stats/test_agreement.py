"""Kappa by hand, and by its properties."""

import sys
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.study.stats.agreement import fleiss, kappa

LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1)


def spell_out(table: Mapping[tuple[str, str], int]) -> tuple[list[str], list[str]]:
    pairs = [pair for pair, count in table.items() for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_cohens_kappa_by_hand() -> None:
    # 35 of 50 agree; chance: 0.5 x 0.6 + 0.5 x 0.4 = 0.5; (0.7 - 0.5) / (1 - 0.5) = 0.4
    a, b = spell_out({("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15})
    found = kappa(a, b)
    assert found.value == pytest.approx(0.4)
    assert (found.n, found.agreed) == (50, 0.7)
    assert found.low is not None
    assert found.high is not None
    assert found.low == pytest.approx(0.4 - 1.959964 * 0.12699606, abs=1e-6)
    assert found.low + found.high == pytest.approx(0.8)


def test_weighted_kappa_goes_by_the_distance_of_ratings() -> None:
    # Ratings 1, 2 and 7. Observed distances (0 + 0 + 1) / 6 / 3; chance, by the margins, below.
    a, b = [1, 2, 7], [1, 2, 2]
    by_chance = sum(abs(x - y) for x in a for y in b) / 9
    found = kappa(a, b, "linear")
    assert found.value == pytest.approx(1 - (5 / 3) / by_chance)
    near, far = kappa([1, 2, 7, 7], [1, 1, 7, 7], "linear"), kappa([1, 2, 7, 7], [1, 7, 7, 7])
    assert near.value is not None
    assert far.value is not None
    assert near.value > far.value


def test_fleiss_kappa_is_that_of_the_worked_example() -> None:
    # Ten subjects, fourteen raters, five categories: 0.210 (Fleiss' method, widely reprinted).
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    rows = [[label for label, k in enumerate(row) for _ in range(k)] for row in counts]
    found = fleiss(rows)
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert found.agreed == pytest.approx(0.378, abs=5e-4)
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high
    assert fleiss(rows) == found != fleiss(rows, seed=1)


@given(LABELS)
def test_bounds_hold_the_value_and_raters_may_be_exchanged(pairs: list[tuple[str, str]]) -> None:
    a, b = zip(*pairs, strict=True)
    there, back = kappa(a, b), kappa(b, a)
    assert there.value == pytest.approx(back.value)
    for found in (there, fleiss(pairs)):
        if found.value is None or found.low is None or found.high is None:
            assert (found.value, found.low, found.high, found.agreed) == (None, None, None, 1.0)
        else:
            assert -1 - 1e-9 <= found.value <= 1 + 1e-9
            assert -1 <= found.low <= found.high <= 1
    if there.low is not None and there.high is not None and there.value is not None:
        assert there.low - 1e-9 <= there.value <= there.high + 1e-9


def test_words_and_numbers_are_different_labels() -> None:
    assert kappa([1, 2, "1"], [1, 2, 1]).agreed == pytest.approx(2 / 3)
    assert kappa([1, 2], [1.0, 2.0]).agreed == 1.0


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.stats.inter_rater", None)
    with pytest.raises(ConfigError, match=r"pip install .*\[lab\]"):
        kappa(["a", "b"], ["a", "b"])
