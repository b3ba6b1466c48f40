import json
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.judge import (
    Verdicts,
    judge_texts,
    load_rubric,
    rank_conditions,
)
from tests.study.judge.planted import (
    CONDITIONS,
    again,
    answer,
    answers,
    first_shown,
    honest,
    options,
    words,
)

RUBRIC = load_rubric("believability")
PAIRS = 3 * 2 * 3  # of conditions, agents and seeds
compare = partial(judge_texts, pairwise=True)


def test_every_pair_is_read_in_both_orders_and_never_again(verdicts: Verdicts) -> None:
    asking, endpoint = options(honest)
    done = compare(answers(), RUBRIC, asking, verdicts)
    assert (done.asked, done.given, done.message) == (2 * PAIRS, 2 * PAIRS, "")
    assert len({words(request) for request in endpoint.requests}) == 2 * PAIRS
    rows = again(verdicts)
    in_order = Counter(one.conditions[0] < one.conditions[1] for one in rows)
    assert in_order == {True: PAIRS, False: PAIRS}
    asking, endpoint = options(honest)
    assert compare(answers(), RUBRIC, asking, verdicts).before == 2 * PAIRS
    assert endpoint.requests == []
    (found,) = rank_conditions(rows)  # the order that was planted
    assert [skill.name for skill in found.skills] == list(CONDITIONS)
    assert found.skills[0].low > found.skills[-1].high
    assert found.mean_ranks == {"full": 1.0, "no plans": 2.0, "none": 3.0}
    assert (found.both, found.flipped, found.position_bias) == (PAIRS, 0, 0.0)
    assert (found.first_read, found.n, found.unusable) == (0.5, 2 * PAIRS, 0)


def test_a_judge_that_goes_by_the_place_is_found_out(verdicts: Verdicts) -> None:
    asking, _ = options(first_shown)
    compare(answers(), RUBRIC, asking, verdicts)
    (found,) = rank_conditions(again(verdicts))
    assert (found.position_bias, found.first_read) == (1.0, 1.0)
    assert set(found.mean_ranks.values()) == {2.0}
    assert found.skills[0].low < found.skills[-1].high  # and so nobody is told apart


@pytest.mark.parametrize(("said", "kept"), [("A.", "first"), ("TIE", "tie"), ("c", None)])
def test_a_verdict_is_one_of_three(verdicts: Verdicts, said: str, kept: str | None) -> None:
    asking, _ = options(lambda request: json.dumps({"why": "", "better": said}))
    done = compare([answer("full"), answer("none")], RUBRIC, asking, verdicts)
    assert done.unusable == (0 if kept else 2)
    assert {one.value for one in again(verdicts)} == {kept}


def test_conditions_meet_within_their_block_alone(verdicts: Verdicts) -> None:
    given = [
        replace(one, condition=f"{one.condition} / {town}", block=town)
        for one in answers(1)
        for town in ("tiny", "dorm")
    ]
    asking, _ = options(honest)
    assert compare(given, RUBRIC, asking, verdicts).asked == 2 * 2 * 2 * 3
    found = rank_conditions(again(verdicts))
    assert [one.block for one in found] == ["dorm", "tiny"]
    assert [s.name for s in found[1].skills][-1] == "none / tiny"


def test_what_cannot_be_compared_is_told(verdicts: Verdicts) -> None:
    asking, _ = options(honest)
    twice = [answer("full"), answer("full", run="other", text="No.")]
    with pytest.raises(ConfigError, match="two runs of seed 0: full-s0 and other"):
        compare(twice, RUBRIC, asking, verdicts)
    with pytest.raises(ConfigError, match="dialogue_formality: it has no `versus`"):
        compare(answers(), load_rubric("dialogue_formality"), asking, verdicts)
    with pytest.raises(ConfigError, match="repeats is 0"):
        compare(answers(), RUBRIC, asking, verdicts, repeats=0)
    assert compare(answers(conditions=("full",)), RUBRIC, asking, verdicts).asked == 0


@pytest.mark.parametrize(("turned", "wins"), [(True, [2, 2]), (False, [2, 0])])
def test_the_same_two_texts_are_read_once_in_an_order_whoever_said_which(
    verdicts: Verdicts, turned: bool, wins: list[int]
) -> None:
    """Two seeds in which the conditions say the same, in the second one turned about or not."""
    texts = [
        answer(name, seed=k, run=f"{name}-{k}", text=f"Some {words} answer")
        for k, order in enumerate((1, -1 if turned else 1))
        for name, words in zip(("full", "none"), ("very good", "bad")[::order], strict=True)
    ]
    asking, endpoint = options(honest)
    done = compare(texts, RUBRIC, asking, verdicts)
    assert (done.given, done.shared, len(endpoint.requests)) == (4, 2, 2)
    (found,) = rank_conditions(again(verdicts))
    assert (found.both, found.flipped, found.first_read) == (1, 0, 0.5)
    assert [skill.wins for skill in found.skills] == wins
