"""Rankings recover a planted order and do not depend on the order of matches."""

import sys
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.study.stats import Match, rank
from genagents_env.study.stats.ranking import Winner

NAMES = ("idle", "lyfe", "scripted", "smallville", "uniform")
MATCH = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(["first", "second", "tie"])
).filter(lambda match: match[0] != match[1])


def draw_matches(strength: dict[str, float], rounds: int) -> list[Match]:
    """Each pair `rounds` times; the stronger wins with a logistic probability (Bradley-Terry)."""
    rng = np.random.default_rng(0)
    matches: list[Match] = []
    for _ in range(rounds):
        for first, second in combinations(strength, 2):
            chance = 1 / (1 + np.exp(strength[second] - strength[first]))
            matches.append((first, second, "first" if rng.random() < chance else "second"))
    return matches


def test_a_planted_order_is_recovered() -> None:
    strength = {"lyfe": 2.0, "uniform": -2.0, "scripted": 1.0, "smallville": 3.0, "idle": -1.0}
    skills = rank(draw_matches(strength, 20))
    assert [skill.name for skill in skills] == sorted(strength, key=lambda name: -strength[name])
    assert skills[0].low > skills[-1].high


@given(st.lists(MATCH, max_size=12), st.randoms(use_true_random=False))
def test_neither_order_nor_side_means_anything(matches: list[Match], random: Random) -> None:
    mirror: dict[Winner, Winner] = {"first": "second", "second": "first", "tie": "tie"}
    turned: list[Match] = [
        (b, a, mirror[won]) if random.random() < 0.5 else (a, b, won) for a, b, won in matches
    ]
    random.shuffle(turned)
    assert rank(turned) == rank(matches)


@given(st.lists(MATCH, min_size=1, max_size=12))
def test_everyone_matched_is_counted(matches: list[Match]) -> None:
    skills = rank(matches)
    assert {skill.name for skill in skills} == {name for match in matches for name in match[:2]}
    assert sum(skill.wins for skill in skills) == sum(skill.losses for skill in skills)
    assert sum(s.wins + s.losses + s.ties for s in skills) == 2 * len(matches)
    assert [skill.mu for skill in skills] == sorted((s.mu for s in skills), reverse=True)
    assert all(skill.low < skill.mu < skill.high for skill in skills)


def test_the_seed_draws_the_orders() -> None:
    matches = draw_matches({"a": 1.0, "b": 0.0, "c": -1.0}, 5)
    assert rank(matches, seed=1) == rank(matches, seed=1) != rank(matches, seed=2)


@pytest.mark.parametrize(
    ("match", "message"),
    [(("a", "a", "first"), "both sides"), (("a", "b", "a"), "allowed: first, second, tie")],
)
def test_a_bad_match_is_refused(match: Match, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        rank([("a", "b", "first"), match])


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ConfigError, match=r"pip install .*\[lab\]"):
        rank([("a", "b", "first")])
