from itertools import product
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.scenario.schema import Success
from genagents_env.scenario.truth import Truth, holds
from genagents_env.study.evaluate.checks import Verdict
from genagents_env.study.evaluate.measures.preferences import (
    Preference,
    find_leaning,
    tally_preferences,
)
from genagents_env.study.evaluate.measures.success import (
    Agreement,
    SuccessOutcome,
    have_one_value,
    tally_agreements,
    tally_outcomes,
)
from genagents_env.study.evaluate.results import as_json
from tests.study.evaluate.suspects import (
    make_verdicts,
    mystery,
)

SOLVED = Success(
    id="solved", title="Ada names Franco", check="suspect", of=("Ada",), value="Franco"
)


def _success(id_: str = "s", **fields: object) -> Success:
    return Success.model_validate({"id": id_, "title": "A success", **fields}, strict=False)


def _weigh(success: Success, given_: list[Verdict]) -> SuccessOutcome:
    (one,) = tally_outcomes(mystery(success), given_)
    return one


@given(st.lists(st.sampled_from([True, False, None]), max_size=5))
def test_what_is_decided_is_so_whatever_the_unknown_parts_are(parts: list[Truth]) -> None:
    overs: tuple[Literal["all", "any", "none"], ...] = ("all", "any", "none")
    worlds = list(product(*([part] if part is not None else [True, False] for part in parts)))
    for over in overs:
        in_worlds = {holds(world, over) for world in worlds}
        assert holds(parts, over) == (in_worlds.pop() if len(in_worlds) == 1 else None)


@given(st.lists(st.sampled_from(["Franco", "Zoe", "nobody", None]), min_size=1, max_size=4))
def test_all_have_the_same_value_whatever_the_unknown_ones_are(values: list[str | None]) -> None:
    each = ("Franco", "Zoe", "nobody")
    worlds = product(*([value] if value is not None else each for value in values))
    in_worlds = {len(set(world)) == 1 and world[0] != "nobody" for world in worlds}
    assert have_one_value(values, "nobody") == (in_worlds.pop() if len(in_worlds) == 1 else None)


def test_a_missing_verdict_is_left_out_and_counted() -> None:
    one = _weigh(SOLVED, make_verdicts("suspect", "Ada", "Franco", None, "Zoe"))
    assert one == SuccessOutcome(
        *("solved", "Ada names Franco", "after", "rule"),
        shares={"Ada": 0.5},
        repeats=(True, None, False),
        missing=1,
    )
    assert (one.share, one.majority) == (0.5, True)
    one_of_three = _weigh(SOLVED, make_verdicts("suspect", "Ada", "Zoe", "Franco", "Zoe"))
    assert (one_of_three.shares, one_of_three.majority) == ({"Ada": 1 / 3}, False)
    none = _weigh(SOLVED, make_verdicts("suspect", "Ada", None, None))
    assert (none.shares, none.share, none.majority, none.missing) == ({}, None, None, 2)


EVERYONE = [
    *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe", "nobody"),
    *make_verdicts("suspect", "Ben", "Franco", "Zoe", "Zoe", "nobody"),
]


@pytest.mark.parametrize(
    ("over", "value", "repeats"),
    [
        ("all", "Franco", (True, False, False, False)),
        ("any", "Franco", (True, True, False, False)),
        ("none", "Franco", (False, False, True, True)),
        ("all", "nobody", (False, False, False, True)),
        ("all", None, (True, True, True, False)),  # any value but `otherwise`
        ("none", None, (False, False, False, True)),
        ("equal", None, (True, False, True, False)),
    ],
)
def test_verdicts_of_one_repeat_are_put_together(
    over: str, value: str | None, repeats: tuple[bool, ...]
) -> None:
    asked = _success(check="suspect", over=over, value=value)
    for given_ in (EVERYONE, EVERYONE[::-1]):
        assert _weigh(asked, given_).repeats == repeats


def test_one_who_was_asked_less_often_or_never_leaves_it_open() -> None:
    given_ = [
        *make_verdicts("suspect", "Ada", "Franco", "Franco"),
        *make_verdicts("suspect", "Ben", "Franco"),
    ]
    assert _weigh(_success(check="suspect"), given_).repeats == (True, None)
    silent = _weigh(_success(check="suspect", of=["Ada", "Cy"]), given_)
    assert (silent.repeats, silent.missing, silent.shares) == ((None, None), 2, {"Ada": 1.0})
    some = _weigh(_success(check="suspect", of=["Ada", "Cy"], over="any"), given_)
    assert some.repeats == (True, True)


IN_PAIN, IN_STUDY = _success("pain", check="ill"), _success("there", check="study", of=["Ada"])


def _compound(**parts: object) -> list[SuccessOutcome]:
    scenario = mystery(SOLVED, IN_PAIN, IN_STUDY, _success("both", **parts))
    given_ = [
        *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe", when="before"),
        *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe"),
        *make_verdicts("suspect", "Ada", "Franco", "Zoe", "Zoe", by="model:wise"),
        *make_verdicts("ill", "Ada", "yes", "no", None),
        *make_verdicts("ill", "Ada", "yes", "yes", "no", by="model:wise"),
        *make_verdicts("study", "Ada", "yes"),
    ]
    return [one for one in tally_outcomes(scenario, given_) if one.success == "both"]


@pytest.mark.parametrize(
    ("parts", "by_rule", "by_model"),
    [
        ({"all": ["solved", "pain"]}, (True, False, False), (True, False, False)),
        ({"any": ["solved", "pain"]}, (True, True, None), (True, True, False)),
        ({"none": ["solved", "pain"]}, (False, False, None), (False, False, True)),
        ({"all": ["solved", "there"]}, (True, True, False), (True, False, False)),
        ({"none": ["there"]}, (False,), None),
    ],
)
def test_successes_of_successes_go_by_repeat_and_judge_and_places_hold_in_all(
    parts: dict[str, object], by_rule: tuple[Truth, ...], by_model: tuple[Truth, ...] | None
) -> None:
    told = {(one.when, one.by): one.repeats for one in _compound(**parts)}
    models = {} if by_model is None else {("after", "model:wise"): by_model}
    assert told == {("after", "rule"): by_rule, **models}  # before lacks a part


def test_two_judges_are_each_compared_with_the_rule_where_both_have_an_opinion() -> None:
    given_ = [
        *make_verdicts("suspect", "Ada", "Franco", "Zoe", "nobody"),
        *make_verdicts("suspect", "Ada", "Franco", when="before"),
        *make_verdicts("suspect", "Ada", "Franco", None, "Zoe", by="model:wise"),
        *make_verdicts("suspect", "Ada", "Zoe", when="before", by="model:wise"),
        *make_verdicts("suspect", "Ada", None, "Zoe", by="model:quick"),
        *make_verdicts("ill", "Ada", None),
        *make_verdicts("ill", "Ada", "yes", by="model:wise"),
    ]
    told = tally_agreements(given_)
    assert told == (
        Agreement("suspect", "model:wise", compared=3, agreed=1),
        Agreement("suspect", "model:quick", compared=1, agreed=1),
        Agreement("ill", "model:wise", compared=0, agreed=0),
    )
    assert [one.share for one in told] == [1 / 3, 1.0, None]


ANIME, SOCCER, UNDECIDED = "anime", "soccer", "indecisive"


def _shares(anime: float, soccer: float) -> dict[str, float]:
    return {ANIME: anime, SOCCER: soccer, UNDECIDED: 1 - anime - soccer}


def test_shares_are_of_the_repeats_with_a_verdict_and_each_judge_has_their_own() -> None:
    given_ = [
        *make_verdicts("suspect", "Ada", "nobody", when="before"),
        *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe"),
        *make_verdicts("suspect", "Ben", None, "Zoe", "the moon"),
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
    assert as_json(one)["changed"]["Yi"] == [UNDECIDED, ANIME]
