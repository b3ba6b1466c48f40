"""What is remembered of talks, how much it matters, and the insights drawn from it."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.policies.ai_town import reflect, remember
from genagents_env.policies.ai_town.mind import (
    AiTownMind,
    FinishedTalk,
    SaidLine,
    TalkState,
    to_rating,
)
from genagents_env.scenario.schema import PastMemory
from tests.policies.ai_town.minds import BEA, make_mind
from tests.policies.ai_town.square import NAMES, Square, square
from tests.policies.harness import fields_of, list_requests, moment, think
from tests.policies.percepts import PARTY, Moment, Value, person, profile

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


# The start.


def test_one_begins_with_ties_memories_and_facts() -> None:
    who = profile(
        relationships={BEA: "a friend"},
        memories=("Ann Ash runs the Cafe", "Ann loves guests", "The oven is new."),
        dated=(PastMemory(time=datetime.fromisoformat("2023-02-13T07:00"), text="It rained."),),
        facts=(PARTY,),
    )
    mind = make_mind(who=who)
    found = [mind.stream[id_] for id_ in range(len(mind.stream))]
    # The persona stands in every prompt; it is no memory.
    told = [f"I know {BEA}: a friend", "The oven is new.", PARTY.statement, "It rained."]
    assert [memory.text for memory in found] == told
    assert {memory.cause for memory in found} == {"seed"}
    assert {to_rating(memory.importance) for memory in found} == {5}
    assert found[-1].created == -3600


# Talks.


def test_a_talk_is_remembered_by_a_summary_and_its_importance() -> None:
    mind = make_mind(reply())
    remember_talk(mind)
    memory = last(mind)
    assert (memory.kind, memory.text, to_rating(memory.importance)) == (
        "chat",
        "I talked with Bea.",
        7,
    )
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
