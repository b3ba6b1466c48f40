"""Which memories come to mind, and in which order."""

import asyncio
from dataclasses import replace

import pytest

from genagents_env.memory.embedder import Embedder
from genagents_env.policies.ai_town import retrieve
from genagents_env.policies.ai_town.mind import AiTownMind
from tests.policies.ai_town.minds import make_mind
from tests.policies.harness import Compass
from tests.policies.percepts import Value, profile

HOUR = 3600


def mind_with(*memories: tuple[int, int, int], **config: Value) -> AiTownMind:
    """Return a mind with memories: their angle to the query, importance from 0 to 9, second."""
    mind = make_mind(who=profile(facts=(), relationships={}), **config)
    mind.services = replace(mind.services, embedder=Embedder(Compass()))
    for angle, rated, at in memories:
        mind.stream.add("chat", f"memory @{angle}", created=at, importance=rated + 1, cause="test")
    return mind


def recall(mind: AiTownMind, now: int = 10 * HOUR, **options: Value) -> list[int]:
    """Return the ids that the query at 0 degrees brings to mind."""
    found = asyncio.run(retrieve.recall(mind, "query @0", now, **options))
    return [memory.id for _, memory in found]


def test_the_sum_of_relevance_importance_and_recency_decides() -> None:
    now = 10 * HOUR
    nearest, weightiest, latest = (10, 0, 0), (60, 9, 0), (60, 0, now)
    balanced = (20, 7, 9 * HOUR)
    assert recall(mind_with(nearest, weightiest, latest, balanced))[0] == 3


@pytest.mark.parametrize(
    ("pair", "best"),
    [
        (((10, 5, 0), (40, 5, 0)), 0),  # all else tied, the nearer comes first
        (((40, 3, 0), (40, 8, 0)), 1),
        (((40, 5, 0), (40, 5, 5 * HOUR)), 1),
        (((40, 5, 0), (40, 5, 0)), 0),  # all tied: the older
    ],
)
def test_a_score_in_which_all_tie_decides_nothing(
    pair: tuple[tuple[int, int, int], ...], best: int
) -> None:
    assert recall(mind_with(*pair))[0] == best
    assert recall(mind_with(pair[0])) == [0]


def test_undefined_ties_leave_the_order_of_the_embeddings() -> None:
    weightier = ((10, 0, 0), (20, 9, 0))  # accessed in the same hour, as in a short run always
    assert recall(mind_with(*weightier, (60, 0, 0)))[:2] == [1, 0]
    assert recall(mind_with(*weightier, (60, 0, 0), undefined_ties=True))[:2] == [0, 1]
    differing = (*weightier, (60, 0, 5 * HOUR))  # with no tie the fault does nothing
    assert recall(mind_with(*differing)) == recall(mind_with(*differing, undefined_ties=True))


def test_hours_are_whole_ones() -> None:
    # All within the last hour: recency ties, and the older is not behind the newer.
    now = 10 * HOUR
    mind = mind_with((40, 5, now - HOUR + 1), (40, 5, now))
    assert recall(mind) == [0, 1]
    earlier = ((40, 5, now - HOUR), (40, 5, now))
    assert recall(mind_with(*earlier)) == [1, 0]
    assert recall(mind_with(*earlier, recency="rising")) == [0, 1]


def test_only_the_nearest_are_ranked_anew() -> None:
    # A weighty memory that is not among the nearest ten times as many never comes to mind.
    near = [(angle, 0, 0) for angle in range(1, 11)]
    far = (80, 9, 10 * HOUR)
    assert len(recall(mind_with(*near, far))) == 3
    assert recall(mind_with(*near, far, recall=1)) == [0]
    assert recall(mind_with(*near, far, recall=1, overfetch=11)) == [10]


@pytest.mark.parametrize(("since", "counts"), [(299, False), (300, False), (301, True)])
def test_an_access_counts_only_after_five_minutes(since: int, counts: bool) -> None:
    mind = mind_with((10, 5, 1000))
    recall(mind, 1000 + since, touch=False)  # as an interview does
    assert int(mind.stream.accessed[0]) == 1000
    recall(mind, 1000 + since)
    assert int(mind.stream.accessed[0]) == (1000 + since if counts else 1000)
