from dataclasses import replace

import pytest

from genagents_env.cognition.query import PendingQuery
from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.memory.stream import Memory
from genagents_env.percept import HeardWords, Percept, SeenObject, SeenPerson
from genagents_env.policies.smallville import perceive
from genagents_env.policies.smallville.mind import BelievedObject, SmallvilleMind
from genagents_env.policies.smallville.perceive import Observation
from tests.policies.harness import (
    by_fields,
    endpoint_of,
    list_requests,
    moment,
    think,
)
from tests.policies.percepts import Moment, Value, body, profile, speech
from tests.policies.smallville.minds import make_mind


def person(name: str, doing: str = "reading", distance: int = 2, event: int = 1) -> SeenPerson:
    return SeenPerson(name, "Cafe", (2, 2), distance, doing, "📖", False, event)


def thing(name: str, state: str, distance: int = 4, event: int = 2) -> SeenObject:
    return SeenObject(f"Cafe/{name}", name, (3, 3), distance, state, (), False, False, event)


def notice(mind: SmallvilleMind, percept: Percept) -> list[Observation]:
    return perceive.notice(mind, moment(mind, percept))


def remember(mind: SmallvilleMind, found: Observation) -> Memory:
    """Return the memory of an observation."""
    return next(memory for memory in reversed(list(mind.stream)) if memory.text == found.text)


def texts(mind: SmallvilleMind) -> list[str]:
    return [memory.text for memory in mind.stream]


def make_resting_mind(rule: Rule = sample_schema, **config: Value) -> SmallvilleMind:
    """Return a mind to which what it does itself is nothing new."""
    mind = make_mind(rule, **config)
    mind.attention.events[""] = 0
    return mind


def test_what_is_nearest_is_attended_to_people_and_objects_alike() -> None:
    mind = make_mind(who=profile(attention_bandwidth=2))
    mind.objects["Cafe/stove"] = BelievedObject("stove", "off", 0)
    crowd = (person("Bob", distance=2), person("Cid", distance=6))
    notice(mind, Moment(people=crowd, objects=(thing("stove", "on", 3),)))
    assert [t for t in texts(mind) if "Ann" not in t] == ["Bob is reading", "the stove is on"]
    mind = make_mind(who=profile(attention_bandwidth=1))
    equally_near = Moment(people=(person("Bob", distance=3),), objects=(thing("s", "on", 3),))
    assert [o.subject for o in notice(mind, equally_near)] == ["Bob"]
    assert mind.objects == {}


@pytest.mark.parametrize("remembered", [True, False])
def test_idle_things_count_towards_a_reflection_and_are_remembered_on_demand(
    remembered: bool,
) -> None:
    mind = make_resting_mind(
        idle_objects=remembered, who=profile(retention=2, attention_bandwidth=2)
    )
    percept = Moment(objects=(thing("stove", "off"), thing("cup", "clean")))
    for _ in range(5):
        assert notice(mind, percept) == []
    assert mind.attention.importance == 2
    idle = ["the stove is idle", "the cup is idle"] if remembered else []
    assert texts(mind) == idle
    notice(mind, percept.later(objects=(thing("oven", "off"),)))
    notice(mind, percept)  # the oven took the place of both, one after the other
    assert mind.attention.importance == 5
    assert mind.attention.unrated == []
    on = percept.later(objects=(thing("stove", "on"),))
    notice(mind, on)
    assert "the stove is on" in texts(mind)
    assert mind.attention.importance == 5  # it is in use, and waits for its rating


@pytest.mark.parametrize("retention", [0, 3])
def test_what_was_observed_among_the_last_so_many_is_not_observed_again(retention: int) -> None:
    mind = make_mind(who=profile(retention=retention))
    for k in range(10):
        notice(mind, Moment().later(people=(person("Bob", f"doing {k}", event=k + 1),)))
    assert notice(mind, Moment().later(people=(person("Bob", "doing 9", event=10),))) == []
    assert mind.attention.recent == [f"Bob is doing {k}" for k in range(10 - retention, 10)]
    for k in range(9, -1, -1):  # each time he is back at something, the event is another
        seen = (person("Bob", f"doing {k}", event=100 + k),)
        found = notice(mind, Moment().later(people=seen))
        assert bool(found) == (9 - k >= retention), k


def test_a_sleeper_sees_nothing_but_hears_what_wakes_and_is_seen_to_sleep() -> None:
    mind = make_mind()
    heard = (HeardWords("thought", None, "You will be mayor.", True, False, (), 3),)
    asleep = Moment(me=body(asleep=True), people=(person("Bob"),), heard=heard)
    (found,) = notice(mind, asleep)
    assert mind.asleep
    assert texts(mind) == ["You will be mayor."]
    assert found.kind == "heard"
    snoring = replace(person("Bob", "snoring loudly"), asleep=True)
    (found,) = notice(make_mind(), Moment(people=(snoring,)))
    assert (found.text, found.asleep) == ("Bob is asleep", True)


@pytest.mark.parametrize(
    ("heard", "text", "about"),
    [
        (speech("Bob", "Hi."), 'Bob said to Ann Ash: "Hi."', ("Bob", "said", "")),
        (speech("Bob", "Hi.", addressed=False), 'Bob said to others: "Hi."', ("Bob", "said", "")),
        (HeardWords("news", None, "Rain.", False, False, (), 7), "News: Rain.", ()),
        (
            HeardWords("thought", None, "Run!", True, False, (), 7),
            "Run!",
            ("Ann Ash", "thinks", ""),
        ),
        (HeardWords("notice", None, "You were removed.", True, False, (), 7), "", ()),
        (speech("Bob", ""), "", ()),  # a sound without words
    ],
)
def test_what_is_heard_is_remembered_with_its_event(
    heard: HeardWords, text: str, about: tuple[str, ...]
) -> None:
    mind = make_mind()
    found = notice(mind, Moment(heard=(heard,)))
    assert [observation.text for observation in found] == [text] * bool(text)
    for memory in (remember(mind, observation) for observation in found):
        assert (memory.text, memory.about, memory.events) == (text, about, (7,))


# Ratings.


def make_rating_rule(*ratings: int) -> Rule:
    return by_fields({"ratings": {"ratings": list(ratings)}})


def rate(mind: SmallvilleMind, percept: Moment) -> None:
    think(mind, perceive.make_queries(mind, moment(mind, percept)), percept)


def make_hearing(count: int, first: int = 0) -> Moment:
    return Moment(heard=tuple(speech("Bob", f"Word {k}.") for k in range(first, first + count)))


def test_a_full_batch_is_rated_in_one_call_and_what_waits_too_long_in_a_smaller_one() -> None:
    mind = make_resting_mind(make_rating_rule(2, 9, 4), rate_batch=3, rate_minutes=20)
    percept = make_hearing(2)
    notice(mind, percept)
    rate(mind, percept)
    assert list_requests(mind) == []
    notice(mind, make_hearing(1, first=2))
    rate(mind, percept)
    assert len(list_requests(mind)) == 1
    assert [mind.stream[k].importance for k in range(3)] == [2, 9, 4]
    assert mind.attention.importance == 15
    assert mind.attention.unrated == []
    endpoint_of(mind).rule = make_rating_rule(7)
    later = percept.later(600, heard=make_hearing(1, first=3).heard)
    notice(mind, later)
    mind.pending = [PendingQuery("perceive.rate", {}, (), 0, 0, 9999)]
    assert perceive.make_queries(mind, moment(mind, later.later(7200))) == []  # one at a time
    mind.pending = []
    late = later.later(20 * 60 - 10)
    assert perceive.make_queries(mind, moment(mind, late)) == []
    rate(mind, late.later(10))
    assert mind.stream[3].importance == 7
    mind.attention.ratings = {f"old {k}": 1.0 for k in range(500)}
    mind.attention.unrated = [0]
    rate(mind, late.later(7200))
    assert len(mind.attention.ratings) == 500


@pytest.mark.parametrize("doing", ["walking to the park", "standing around", "waiting", "asleep"])
def test_trivial_things_count_least_and_are_not_asked_about(doing: str) -> None:
    mind = make_resting_mind(rate_batch=1)
    percept = Moment(people=(person("Bob", doing),))
    notice(mind, percept)
    assert perceive.make_queries(mind, moment(mind, percept)) == []
    assert mind.stream[0].importance == 1


@pytest.mark.parametrize("words", ["{}", '{"ratings": [5]}', '{"ratings": [5, 5, 5]}'])
def test_a_malformed_rating_ends_in_the_neutral_one_unlearned(words: str) -> None:
    mind = make_resting_mind(lambda request: words, rate_batch=2, unrated_importance=4)
    percept = make_hearing(2)
    notice(mind, percept)
    rate(mind, percept)
    assert [mind.stream[k].importance for k in range(2)] == [4, 4]
    assert (mind.attention.unrated, mind.attention.ratings) == ([], {})
    assert mind.attention.importance == 8
    (row,) = mind.services.model.ledger.rows()
    assert (row.purpose, row.calls, row.fallbacks) == ("perceive.rate", 1, 1)
