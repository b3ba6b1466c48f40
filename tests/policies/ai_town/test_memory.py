"""What is remembered of talks, how much it matters, and the insights drawn from it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.memory.embedder import Embedder
from genagents_env.policies.ai_town import AiTownConfig, reflect, remember, retrieve
from genagents_env.policies.ai_town.mind import (
    AiTownMind,
    FinishedTalk,
    SaidLine,
    TalkState,
    to_rating,
)
from tests.policies.ai_town.minds import BEA, make_mind
from tests.policies.ai_town.square import NAMES, Square, square
from tests.policies.harness import Compass, fields_of, list_requests, moment, think
from tests.policies.percepts import Moment, Value, person, profile

ME = "Ann Ash"
LINES = [SaidLine(BEA, "There is a party.", 12, 0), SaidLine(ME, "I will come.", -1, 10)]


def reply(summary: str = "I talked with Bea.", importance: object = 7, **more: Value) -> Rule:
    given = {"summary": summary, "importance": importance, **more}

    def rule(request: CompletionRequest) -> str:
        return json.dumps({name: given[name] for name in fields_of(request)})

    return rule


def remember_talk(mind: AiTownMind) -> None:
    mind.remembers = [FinishedTalk([BEA], list(LINES), 20)]
    percept = Moment().later(20)
    think(mind, remember.make_queries(mind, moment(mind, percept)), percept)


def last(mind: AiTownMind) -> Value:
    return mind.stream[len(mind.stream) - 1]


# Talks.


def test_a_talk_is_remembered_by_a_summary_and_its_importance() -> None:
    mind = make_mind(reply())
    remember_talk(mind)
    memory = last(mind)
    assert (memory.kind, memory.text) == ("chat", "I talked with Bea.")
    assert to_rating(memory.importance) == 7
    assert (memory.created, memory.events, memory.about) == (20, (12,), (ME, BEA))
    assert (mind.remembers, mind.review) == ([], True)
    assert [fields_of(request) for request in list_requests(mind)] == [["summary"], ["importance"]]


@pytest.mark.parametrize(("importance", "rated"), [(0, 0), (9, 9), (10, 2), (-1, 2), ("much", 2)])
def test_what_is_no_number_from_0_to_9_rates_as_the_default(importance: object, rated: int) -> None:
    mind = make_mind(reply(importance=importance), default_importance=2)
    remember_talk(mind)
    assert to_rating(last(mind).importance) == rated


def test_a_talk_whose_summary_fails_is_kept_unless_the_fault_is_on() -> None:
    mind = make_mind(always_invalid)
    remember_talk(mind)
    assert last(mind).text == f'I talked with {BEA}. At last {ME} said: "I will come."'
    assert to_rating(last(mind).importance) == 5
    lost = make_mind(always_invalid, lose_failed=True)
    remember_talk(lost)
    assert (len(lost.stream), lost.remembers) == (0, [])


@pytest.mark.parametrize("latency", [0, 1])
def test_a_talk_is_remembered_before_the_first_words_of_the_next(
    tmp_path: Path, latency: int
) -> None:
    rule = reply("I told Cat Cole of the party.", say="Ben, hello!")
    ticks = {"remember": latency}
    town = Square(square(tmp_path, 2), rule, NAMES[:1], preset="2023", latency_ticks=ticks)
    mind = town.policy.minds[NAMES[0]]
    mind.remembers = [FinishedTalk(["Cat Cole"], list(LINES), 0)]
    mind.talk = TalkState([NAMES[1]], "talking", 0, mine=True, started=0)
    for _ in range(1 + latency):
        assert not [one for one in town.endpoint.requests if fields_of(one) == ["say"]]
        town.step()
    words = [one for one in town.endpoint.requests if fields_of(one) == ["say"]]
    assert "I told Cat Cole of the party." in words[0].messages[-1].content


# Reflection.

ALONE = Moment()


def add_chats(mind: AiTownMind, count: int, rated: int, at: int = 1) -> None:
    for number in range(count):
        mind.stream.add("chat", f"talk {number}", created=at, importance=rated + 1, cause="test")


def ask(mind: AiTownMind, percept: Moment = ALONE, review: bool = True) -> bool:
    """Return whether a mind asks for insights now that a talk is remembered."""
    mind.review = review
    return bool(reflect.make_queries(mind, moment(mind, percept)))


def test_one_reflects_after_a_talk_or_alone_as_configured() -> None:
    company = Moment(people=(person(BEA),))

    def asks(percept: Moment, review: bool, **config: Value) -> bool:
        mind = make_mind(reflect_at=1, **config)
        add_chats(mind, 1, 5)
        return ask(mind, percept, review)

    assert asks(company, True)
    assert not asks(company, True, reflect_after_talk=False)
    assert asks(ALONE, False)
    assert not asks(ALONE, False, solo_reflection=False)
    assert not asks(company, False)
    assert not asks(ALONE, True, reflection=False)
    assert asks(ALONE, False, preset="2023")
    assert not asks(company, True, preset="2023")


INSIGHTS: dict[str, Value] = {
    "insights": [
        {"insight": "Bea gives parties.", "because": [2, 1, 99]},
        {"insight": "Out of nothing.", "because": [99]},
        {"insight": "I like talks.", "because": [1]},
        {"insight": "One too many.", "because": [1]},
    ]
}


def draw_insights(mind: AiTownMind) -> None:
    percept = Moment().later(50)
    mind.review = True
    think(mind, reflect.make_queries(mind, moment(mind, percept)), percept)


def test_three_insights_are_kept_with_the_memories_they_rest_on() -> None:
    mind = make_mind(reply(**INSIGHTS), reflect_at=1)
    mind.stream.add("chat", "older", created=1, importance=6, events=[3])
    mind.stream.add("chat", "newer", created=2, importance=6, events=[4])
    draw_insights(mind)
    found = [mind.stream[id_] for id_ in range(2, len(mind.stream))]
    assert [(one.kind, one.text, one.evidence) for one in found] == [
        ("thought", "Bea gives parties.", (0, 1)),  # the latest is line 1
        ("thought", "I like talks.", (1,)),
    ]
    assert mind.stream.sources([found[0].id]) == (3, 4)
    assert [to_rating(one.importance) for one in found] == [7, 7]
    assert mind.reflected == 50
    assert reflect.sum_importance(mind) == 0


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


@pytest.mark.parametrize("preset", ["2023", 2023])
def test_a_preset_goes_behind_what_is_given_by_name(preset: Value) -> None:
    config = AiTownConfig.model_validate({"preset": preset, "talk_seconds": 90})
    assert (config.meet, config.talk_seconds, config.message_seconds) == ("collision", 90, 3)
