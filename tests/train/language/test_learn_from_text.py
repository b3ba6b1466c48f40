"""The example that learns from text alone does learn, and reads no more than the text."""

import asyncio

import pytest

from examples import learn_from_text as example


@pytest.mark.slow
def test_it_learns_errands_in_towns_it_has_never_seen() -> None:
    budget = example.Budget(shown=4, batches=4, measured=4, every=4)
    curve = asyncio.run(example.train(0, budget))
    others = asyncio.run(example.compare(budget))
    assert curve.at == [0, 4, 4 + 4 * 6]
    assert curve.earned[0] < 0
    assert others["random"] < 0
    assert curve.earned[-1] > 0.9 * others["optimum"]


@pytest.mark.slow
def test_it_learns_by_reward_alone() -> None:
    curve = asyncio.run(example.train(0, example.Budget(shown=0, batches=12, measured=4, every=12)))
    assert curve.earned[-1] > curve.earned[0] + 0.3
