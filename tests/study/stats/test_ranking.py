"""Rankings do not depend on the order of matches."""

import sys
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.study.stats.ranking import Match, Winner, rank

NAMES = ("idle", "lyfe", "scripted", "smallville", "uniform")
MATCH = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(["first", "second", "tie"])
).filter(lambda match: match[0] != match[1])


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
    matches: list[Match] = [("a", "b", "first"), ("b", "c", "first"), ("a", "c", "second")]
    assert rank(matches, seed=1) == rank(matches, seed=1) != rank(matches, seed=2)
    won: list[Match] = [
        ("a", "b", "first"),
        ("c", "b", "second"),
        ("a", "c", "tie"),
        ("a", "b", "first"),
    ]
    found = {one.name: (one.wins, one.losses, one.ties) for one in rank(won)}
    assert found == {"a": (2, 0, 1), "b": (1, 2, 0), "c": (0, 1, 1)}


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ConfigError, match=r"pip install .*\[lab\]"):
        rank([("a", "b", "first")])
