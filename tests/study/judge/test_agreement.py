from dataclasses import replace

import pytest

from genagents_env.study.evaluate.checks import Verdict
from genagents_env.study.judge import Judgement, load_rubric, measure_agreement
from genagents_env.study.judge.agreement import JudgeAgreement
from genagents_env.study.judge.by_rubric import make_blank
from genagents_env.study.judge.verdicts import By, Choice
from tests.study.judge.planted import answer

RUBRIC = load_rubric("persona")


def make_ratings(
    judge: str, values: list[int], by: By = "model", repeat: int = 0
) -> list[Judgement]:
    """Return a judge's ratings of as many answers."""
    ones = (
        make_blank([answer(text=f"No. {k}")], RUBRIC, judge, by, repeat) for k in range(len(values))
    )
    return [replace(one, value=value) for one, value in zip(ones, values, strict=True)]


def pair(
    judge: str, seed: int, better: str, order: tuple[str, str] = ("full", "none")
) -> Judgement:
    """Return which of two conditions a judge found the better, who read them in this order."""
    read = [answer(name, seed=seed, text=f"{name} {seed}") for name in order]
    value: Choice = "tie" if better == "tie" else "first" if better == order[0] else "second"
    return replace(make_blank(read, RUBRIC, judge, "model"), value=value)


def one(given: list[Judgement]) -> JudgeAgreement:
    (found,) = measure_agreement(given)
    return found


def test_linear_weights_forgive_near_misses() -> None:
    found = one(
        [*make_ratings("m", [1, 1, 2, 2, 3, 3]), *make_ratings("Ana", [1, 2, 2, 2, 3, 2], "human")]
    )
    assert found.statistic == "kappa, linear weights"
    assert found.judges == ("Ana (human)", "m")
    assert (found.n, found.note) == (6, "")
    assert found.agreed == pytest.approx(4 / 6)
    # By hand: distance 2 in 6 seen; expected, over all 36 pairs of the two columns, 28 in 36.
    assert found.value == pytest.approx(1 - (2 / 6) / (28 / 36))


def test_a_judge_is_held_against_its_own_repeats() -> None:
    twice = [*make_ratings("m", [1, 2, 5]), *make_ratings("m", [1, 2, 5], repeat=1)]
    found = one(twice)
    assert (found.sort, found.statistic, found.value, found.n) == (
        "itself", "kappa, linear weights", 1.0, 3,
    )  # fmt: skip
    found = one([*twice, *make_ratings("m", [1, 2], repeat=2)])
    assert (found.statistic, found.value, found.n) == ("Fleiss' kappa", 1.0, 2)
    assert "mere labels" in found.note


def test_repeats_count_beside_others_by_their_median() -> None:
    given = [
        *make_ratings("m", [1, 5]),
        *make_ratings("m", [1, 5], repeat=1),
        *make_ratings("m", [5, 5], repeat=2),
    ]
    found = measure_agreement([*given, *make_ratings("Ana", [1, 5], "human")])
    assert [row.value for row in found if row.sort == "others"] == [1.0]


def test_people_are_compared_two_by_two_and_together() -> None:
    people = [r for name in ("Ana", "Bo", "Cy") for r in make_ratings(name, [1, 3, 5], "human")]
    found = measure_agreement(people)
    assert [len(row.judges) for row in found] == [2, 2, 2, 3]
    assert {row.value for row in found} == {1.0}
    assert found[-1].statistic == "Fleiss' kappa"


def test_what_is_undefined_says_why_and_what_is_not_shared_has_no_row() -> None:
    found = one([*make_ratings("m", [3, 3]), *make_ratings("Ana", [3, 3], "human")])
    assert (found.value, found.low, found.high, found.agreed) == (None, None, None, 1.0)
    assert found.note.startswith("undefined: every verdict is the same one")
    assert measure_agreement(make_ratings("m", [1, 2])) == ()
    lost = replace(make_blank([answer()], RUBRIC, "Ana", "human"), value=None)
    assert measure_agreement([*make_ratings("m", [1]), lost]) == ()


def test_of_pairs_the_side_chosen_more_often_stands() -> None:
    turned = ("none", "full")
    steady = [pair("m", 0, "full"), pair("m", 0, "full", turned)]
    torn = [pair("m", 1, "full"), pair("m", 1, "none", turned)]
    found = one([*steady, *torn, pair("n", 0, "full"), pair("n", 1, "tie")])
    assert (found.of, found.statistic, found.value) == ("persona, pairs", "kappa", 1.0)


def test_a_model_is_held_against_the_rule_check_by_check() -> None:
    def verdict(by: str, agent: str, value: str | None, repeat: int = 0) -> Verdict:
        return Verdict("knows", agent, "after", repeat, by, value)

    rule = [verdict("rule", "A", "yes"), verdict("rule", "B", "no"), verdict("rule", "C", None)]
    model = [verdict("model:m", agent, value) for agent, value in (("A", "yes"), ("B", "no"))]
    checks = {"one": rule + model, "two": [*rule, verdict("model:m", "A", "no")]}
    (found,) = measure_agreement([], checks)
    assert (found.of, found.sort, found.judges) == ("check knows", "rule", ("rule", "m"))
    assert found.n == 3
    assert found.agreed == pytest.approx(2 / 3)
    assert found.value == pytest.approx(0.4)  # expected: 2/3 x 1/3 + 1/3 x 2/3 = 4/9
    assert measure_agreement([], {"one": rule}) == ()
