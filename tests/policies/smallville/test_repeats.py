import numpy as np
import pytest

from genagents_env.policies.smallville.retrieve import ShownTexts, reduce_words

NAME = "Isabella Rodriguez"
SAME, NEAR, FAR = np.array([1.0, 0.0]), np.array([0.95, 0.3122]), np.array([0.6, 0.8])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I run Hobbs Cafe.", "Isabella Rodriguez runs Hobbs Cafe"),
        ("I'm planning my party", "Isabella is planning her party"),
        ("Klaus Mueller is reading", "klaus mueller is READING!"),
        ("Isabella knows Klaus: he eats here", "I know Klaus \u2013 he eats here"),
    ],
)
def test_who_speaks_makes_no_difference(one: str, other: str) -> None:
    assert reduce_words(one, NAME) == reduce_words(other, NAME)
    assert ShownTexts(NAME, [one]).repeats(other, None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maria likes Klaus", "Klaus likes Maria"),
        ("the party is from 5 to 7", "the party is from 6 to 8"),
        ("Maria will come", "Maria will not come"),
        ("the oven is off", "the oven is on"),
        ("plan for Monday 13 February: baking", "plan for Tuesday 14 February: baking"),
        ("Klaus said to Maria: hello", "Klaus said to Isabella: hello"),
    ],
)
def test_what_differs_in_a_word_that_matters_is_not_the_same(one: str, other: str) -> None:
    shown = ShownTexts(NAME)
    shown.add(one, SAME)
    assert not shown.repeats(other, SAME)  # however alike a model of language finds them


@pytest.mark.parametrize(("vector", "repeats"), [(NEAR, True), (FAR, False), (None, False)])
def test_fewer_words_repeat_more_of_them_where_they_mean_the_same(
    vector: np.ndarray | None, repeats: bool
) -> None:
    shown = ShownTexts(NAME)
    shown.add("Maria is reading a book at the library", SAME)
    assert shown.repeats("Maria is reading a book", vector) is repeats
    assert not shown.repeats("Maria is reading a book with Klaus", vector)


def test_part_of_a_word_is_no_repetition() -> None:
    shown = ShownTexts(NAME)
    shown.add("Maria bakes carrot cakes", SAME)
    assert not shown.repeats("car", SAME)
