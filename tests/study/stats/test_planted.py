"""What is planted is found, and what is not there is not: on rollouts of a shipped scenario."""

import pytest

from genagents_env.study.stats import Effect
from tests.study.stats.pool import Pool, contrast_facts, draw_relabelled, swap_labels

SEEDS = 20
REPETITIONS = 100


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool()


def are_significant(effects: tuple[Effect, ...]) -> list[bool]:
    return [each.found for each in effects]


@pytest.mark.slow
def test_a_planted_difference_is_found_with_twenty_seeds(pool: Pool) -> None:
    contrasts = contrast_facts(pool.arm(0.3, SEEDS), pool.arm(0.6, SEEDS))
    assert all(are_significant(contrasts))
    for each in contrasts:
        assert each.n == SEEDS
        assert each.note == ""
        assert each.difference > 0.1
        assert each.low is not None
        assert each.low > 0
        assert each.size is not None
        assert each.size > 0.8


@pytest.mark.slow
def test_two_arms_of_one_pool_hardly_ever_differ(pool: Pool) -> None:
    runs = pool.arm(0.3, 4 * SEEDS)
    false = sum(
        any(are_significant(contrast_facts(*draw_relabelled(runs, SEEDS, draw))))
        for draw in range(REPETITIONS)
    )
    assert false <= 10


@pytest.mark.slow
def test_the_planted_difference_is_gone_once_its_labels_are_shuffled(pool: Pool) -> None:
    arms = pool.arm(0.3, SEEDS), pool.arm(0.6, SEEDS)
    false = sum(
        any(are_significant(contrast_facts(*swap_labels(*arms, draw))))
        for draw in range(REPETITIONS)
    )
    assert false <= 10
