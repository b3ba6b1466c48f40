import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.evaluate.checks import Verdict
from genagents_env.evaluate.measures.preferences import (
    Preference,
    compute_affinity,
    compute_preferences,
    find_leaning,
    tally_preferences,
)
from genagents_env.record import RunReader
from tests.evaluate.suspects import make_answers, make_judgements, make_verdicts, mystery, write

ANIME, SOCCER, UNDECIDED = "anime", "soccer", "indecisive"


def _shares(anime: float, soccer: float) -> dict[str, float]:
    return {ANIME: anime, SOCCER: soccer, UNDECIDED: 1 - anime - soccer}


def _clubs(after: dict[str, dict[str, float]], **changes: object) -> Preference:
    given_ = {"check": "club", "by": "rule", "otherwise": UNDECIDED, **changes}
    values = (ANIME, SOCCER, UNDECIDED)
    return Preference(values=values, before={}, after=after, **given_)  # type: ignore[arg-type]


def test_shares_are_of_the_repeats_with_a_verdict_and_each_judge_has_their_own() -> None:
    given_ = [
        *make_verdicts("suspect", "Ada", "nobody", when="before"),
        *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe"),
        *make_verdicts("suspect", "Ben", None, "Zoe"),
        *make_verdicts("suspect", "Cy", None),
        *make_verdicts("suspect", "Ada", "Zoe", by="model:wise"),
        *make_verdicts("ill", "Ada", "yes"),
        *make_verdicts("suspect", "Ada", None, by="model:mute"),
    ]
    rule, model = tally_preferences(mystery(), given_)
    assert rule == Preference(
        "suspect",
        ("Franco", "Zoe", "nobody"),
        {"Ada": {"Franco": 0.0, "Zoe": 0.0, "nobody": 1.0}},
        {
            "Ada": {"Franco": 2 / 3, "Zoe": 1 / 3, "nobody": 0.0},
            "Ben": {"Franco": 0.0, "Zoe": 1.0, "nobody": 0.0},
        },
        "rule",
        "nobody",
    )
    assert (model.by, model.before) == ("model:wise", {})
    assert tally_preferences(mystery(checks=()), given_) == ()
    assert tally_preferences(mystery(), []) == ()


@pytest.mark.parametrize(
    ("shares", "value"),
    [
        ({ANIME: 2 / 3, SOCCER: 1 / 3}, ANIME),
        ({ANIME: 0.5, SOCCER: 0.25, UNDECIDED: 0.25}, ANIME),
        ({ANIME: 0.5, SOCCER: 0.5}, None),
        ({ANIME: 1 / 3, SOCCER: 1 / 3, UNDECIDED: 1 / 3}, None),
        ({}, None),
    ],
)
def test_one_leans_to_the_only_value_with_half(shares: dict[str, float], value: str) -> None:
    assert find_leaning(shares) == value


def test_those_changed_their_mind_who_leaned_elsewhere_before() -> None:
    one = Preference(
        "club",
        (ANIME, SOCCER, UNDECIDED),
        before={
            "Yi": _shares(0, 0),
            "Lorenzo": _shares(1 / 3, 0),
            "Julian": _shares(0, 1),
            "Fatima": _shares(0.5, 0.5),
            "Gone": _shares(1, 0),
        },
        after={
            "Yi": _shares(2 / 3, 0),
            "Lorenzo": _shares(1, 0),
            "Julian": _shares(0, 1),
            "Fatima": _shares(1, 0),
            "New": _shares(1, 0),
        },
        otherwise=UNDECIDED,
    )
    assert one.changed == {"Yi": (UNDECIDED, ANIME), "Lorenzo": (UNDECIDED, ANIME)}
    assert json.loads(json.dumps(one.as_json()))["changed"]["Yi"] == [UNDECIDED, ANIME]


def test_affinity_is_the_chance_of_the_same_club_and_the_undecided_join_none() -> None:
    one = _clubs({"A": _shares(2 / 3, 1 / 3), "B": _shares(1 / 3, 1 / 3), "C": _shares(0, 0)})
    found_ = compute_affinity(one)
    assert (found_.agents, found_.runs, found_.when) == (("A", "B", "C"), 1, "after")
    assert found_.matrix[0][1] == pytest.approx(2 / 9 + 1 / 9)
    assert found_.matrix[0][0] == pytest.approx(4 / 9 + 1 / 9)
    assert found_.matrix[2] == (0, 0, 0)
    assert json.loads(json.dumps(found_.as_json()))["matrix"][2] == [0, 0, 0]


def test_over_runs_it_is_the_mean_of_those_in_which_both_were_asked() -> None:
    runs = [
        _clubs({"A": _shares(1, 0), "B": _shares(1, 0)}),
        _clubs({"A": _shares(1, 0), "B": _shares(0, 1)}),
        _clubs({"B": _shares(0, 1), "C": _shares(0, 1)}),
    ]
    found_ = compute_affinity(runs)
    assert found_.agents == ("A", "B", "C")
    assert found_.matrix[0] == (1.0, 0.5, None)
    assert found_.matrix[1] == (0.5, 1.0, 1.0)
    assert found_.runs == 3
    assert compute_affinity(runs, "before").matrix == ()


def test_only_what_is_alike_is_averaged() -> None:
    for others in ([], [_clubs({}), _clubs({}, by="model:x")], [_clubs({}), _clubs({}, check="d")]):
        with pytest.raises(ValueError, match="one check by one judge"):
            compute_affinity(others)


shares = st.builds(
    lambda counts: {
        value: count / sum(counts)
        for value, count in zip((ANIME, SOCCER, UNDECIDED), counts, strict=True)
    },
    st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any),
)
ends = st.dictionaries(st.sampled_from("ABCD"), shares)


@given(st.lists(ends.map(_clubs), min_size=1, max_size=4), st.data())
def test_affinities_are_symmetric_chances_and_the_order_of_runs_is_indifferent(
    runs: list[Preference], data: st.DataObject
) -> None:
    one = compute_affinity(runs)
    other = compute_affinity(data.draw(st.permutations(runs)))
    assert sorted(other.agents) == sorted(one.agents)
    for i, a in enumerate(one.agents):
        for j, b in enumerate(one.agents):
            chance = one.matrix[i][j]
            assert chance == one.matrix[j][i]
            assert (chance is None) == (not any(a in run.after and b in run.after for run in runs))
            again = other.matrix[other.agents.index(a)][other.agents.index(b)]
            assert chance == (None if again is None else pytest.approx(again))
            assert chance is None or 0 <= chance <= 1 + 1e-12


@given(ends.map(_clubs))
def test_within_one_run_nobody_is_closer_to_another_than_both_are_settled(one: Preference) -> None:
    matrix = compute_affinity(one).matrix
    for i, row in enumerate(matrix):
        for j, chance in enumerate(row):
            own, others = matrix[i][i], matrix[j][j]
            assert None not in (chance, own, others)
            assert (chance or 0) ** 2 <= (own or 0) * (others or 0) + 1e-9


@given(
    st.lists(
        st.builds(
            Verdict,
            st.sampled_from(["suspect", "ill"]),
            st.sampled_from(["Ada", "Ben"]),
            st.sampled_from(["before", "after"]),
            st.integers(0, 3),
            st.sampled_from(["rule", "model:wise"]),
            st.sampled_from(["Franco", "nobody", None, "the moon"]),
        ),
        max_size=20,
        unique_by=lambda v: (v.check, v.agent, v.when, v.repeat, v.by),
    ),
    st.data(),
)
def test_shares_add_up_to_one_in_any_order(given_: list[Verdict], data: st.DataObject) -> None:
    told = tally_preferences(mystery(), given_)
    assert tally_preferences(mystery(), data.draw(st.permutations(given_))) == told
    for one in told:
        for end in (one.before, one.after):
            assert all(sum(mine.values()) == pytest.approx(1) for mine in end.values())
            assert all(tuple(mine) == one.values for mine in end.values())


def test_preferences_are_read_from_a_run(tmp_path: Path) -> None:
    rows = [
        *make_answers("Ada", "Zoe", "Zoe", "Franco", tick=0),
        *make_answers("Ada", "Franco", "Franco", "Zoe"),
    ]
    path = write(
        tmp_path / "a.sqlite", mystery(), interviews=rows, judgements=make_judgements("Ada", "Zoe")
    )
    with RunReader(path) as run:
        rule, model = compute_preferences(run)
    assert rule.changed == {"Ada": ("Zoe", "Franco")}
    assert (model.by, model.after["Ada"]["Zoe"]) == ("model:wise", 1.0)
    with RunReader(write(tmp_path / "b.sqlite", mystery())) as run:
        assert compute_preferences(run) == ()
