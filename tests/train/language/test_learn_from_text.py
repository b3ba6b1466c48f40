"""The example that learns from text alone does learn, and reads no more than the text."""

import asyncio
from collections import Counter

import numpy as np
import pytest

from examples import learn_from_text as example
from genagents_env.train.language import SharedSession
from genagents_env.train.language.seeds import list_seeds


def test_what_could_be_said_is_read_off_the_text() -> None:
    async def look() -> example.Moment | None:
        session = SharedSession("errand")
        await session.begin(list_seeds("held_out")[0])
        prompt = await session.ask("resident_0")
        assert prompt is not None
        moment = example.read(prompt)
        await session.close()
        return moment

    moment = asyncio.run(look())
    assert moment is not None
    said = [(kind, about) for kind, about, _ in moment.choices]
    assert ("walk", moment.here) in said
    assert any(kind == "put" for kind, _ in said)
    assert example.look(moment, Counter()).shape == (len(said), example.FEATURES)
    thing = moment.goal.removeprefix("put ").partition(" into")[0]
    assert said[example.solve(moment)] in (("walk", thing.rpartition("/")[0]), ("walk", thing))


def test_a_step_makes_what_turned_out_well_more_likely() -> None:
    network = example.Network(np.random.default_rng(0))
    seen = np.random.default_rng(1).normal(size=(4, example.FEATURES))
    before = network.score(seen)[0]
    network.learn([(seen, 2, 1.0), (seen, 0, -1.0)], 0.01, 0.0)
    after = network.score(seen)[0]
    assert after[2] > before[2]
    assert after[0] < before[0]


@pytest.mark.slow
def test_it_learns_errands_in_towns_it_has_never_seen() -> None:
    budget = example.Budget(shown=4, batches=4, measured=10, every=4)
    curve = asyncio.run(example.train(0, budget))
    others = asyncio.run(example.compare(budget))
    assert curve.at == [0, 4, 4 + 4 * 6]
    assert curve.earned[0] < 0
    assert others["random"] < 0
    assert curve.earned[-1] > 0.9 * others["optimum"]


@pytest.mark.slow
def test_it_learns_by_reward_alone() -> None:
    curve = asyncio.run(example.train(0, example.Budget(shown=0, batches=15, measured=8, every=15)))
    assert curve.earned[-1] > curve.earned[0] + 0.3
