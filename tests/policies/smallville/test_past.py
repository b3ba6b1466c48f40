"""A mind that begins with what another handed on, and one that is denied some memories."""

import asyncio
from dataclasses import replace

import pytest

from genagents_env.policies.smallville import past as past_module
from genagents_env.policies.smallville.interview import answer_questions, limit_access
from genagents_env.policies.smallville.mind import (
    BelievedObject,
    Commitment,
    Day,
    PlanBlock,
    SelfSummary,
    SmallvilleMind,
    Tie,
)
from genagents_env.policies.smallville.past import collect_past
from genagents_env.policy import InterviewTerms, MemoryAccess
from genagents_env.scenario.schema import Past
from tests.policies.harness import list_requests
from tests.policies.percepts import Value
from tests.policies.smallville.minds import make_mind

HOUR = 3600


def make_old() -> SmallvilleMind:
    mind = make_mind()
    mind.tick = 2 * HOUR // 10 - 1
    mind.status, mind.requirements = "writing a cookbook", ["cook at noon"]
    add, oven, cafe = mind.stream.add, ("oven", "is", "on"), "Hobbs Cafe"
    add("thought", "Ada is kind", created=0, importance=5, cause="seed")
    add("event", "the oven is on", created=600, importance=2, events=(7,), about=oven)
    insight: dict[str, Value] = {"evidence": (0, 1), "cause": "reflect.insights #0 at tick 90"}
    add("thought", "Ada bakes", created=900, importance=6.5, expires=9 * HOUR, **insight)
    hour: dict[str, Value] = {"start": HOUR, "duration": 600, "cause": "plan.day"}
    add("plan", "bread", created=900, place=cafe, **hour)
    add("chat", "Talked with Ben", created=1800, events=(9,), place=cafe)
    mind.stream.touch([1], 2000)
    mind.summary = SelfSummary("kind", "bakes", "content", made=60)
    mind.attention.importance, mind.attention.talked = 42.0, {"Ben Carver": 1800}
    mind.commitments = [Commitment("2023-02-14", "17:00", "coming", cafe, "Ben Carver")]
    mind.ties = {"Ben Carver": Tie("a friend", 1800, stale=True)}
    mind.objects = {"kitchen/oven": BelievedObject("oven", "on", 600)}
    mind.day = Day("2023-02-13", 0, 15 * HOUR, ["bake"], [PlanBlock(0, HOUR, "baking")])
    return mind


def begin_later(old: SmallvilleMind, past: Past, seconds: int) -> SmallvilleMind:
    start = old.services.to_time(seconds)
    return past_module.make_mind(
        replace(old.services, start=start), replace(old.profile, past=past)
    )


def test_all_of_it_comes_back_at_the_same_times_of_town() -> None:
    old, ago = make_old(), 33 * HOUR
    past = collect_past(old, "a test")
    assert past.until == old.services.to_time(2 * HOUR)
    new = begin_later(old, past, ago)
    new.tick = -1
    for before, after in zip(old.stream, new.stream, strict=False):
        for name in ("kind", "text", "about", "importance", "depth", "evidence", "place"):
            assert getattr(after, name) == getattr(before, name), name
        assert (after.created, after.accessed) == (before.created - ago, before.accessed - ago)
        assert after.events == ()  # these are in another record
        assert after.cause == (before.cause.split(" ")[0] or "past")
    assert new.stream[2].expires == 9 * HOUR - ago
    assert (new.stream[3].start, new.stream[3].duration) == (HOUR - ago, 600)
    assert (new.status, new.requirements) == (old.status, old.requirements)
    assert (new.summary.core, new.summary.progress) == ("kind", "content")
    assert new.commitments == old.commitments
    assert new.ties == {"Ben Carver": Tie("a friend", 1800 - ago, stale=True)}
    assert new.attention.talked == {"Ben Carver": 1800 - ago}
    assert (new.attention.importance, new.attention.scanned) == (42.0, len(past.memories))
    assert new.objects["kitchen/oven"] == BelievedObject("oven", "on", 600 - ago)
    assert new.day.hours == [PlanBlock(-ago, HOUR - ago, "baking")]
    assert (new.day.date, new.day.outline) == ("2023-02-13", ["bake"])


def test_of_the_profile_only_what_is_new_is_added() -> None:
    old = make_old()
    profile = replace(old.profile, memories=("Ada is kind", "Ada sings"), relationships={})
    facts = tuple(fact.id for fact in profile.facts)
    past = collect_past(old, "a test").model_copy(update={"facts": facts})
    new = past_module.make_mind(old.services, replace(profile, past=past))
    added = [new.stream[id_].text for id_ in range(len(past.memories), len(new.stream))]
    assert added == ["Ada sings"]


# Access: what a mind still knows without some of its memories.


SEED, SEEN, THOUGHT = "Ada is kind", "the oven is on", "Ada bakes"
PLAN, TALK = "bread", "Talked with Ben"
LEFT: dict[tuple[MemoryAccess, ...], list[str]] = {
    (): [SEED, SEEN, THOUGHT, PLAN, TALK],
    ("reflection",): [SEED, SEEN, PLAN, TALK],
    ("planning",): [SEED, SEEN, THOUGHT, TALK],
    ("observation",): [SEED, THOUGHT, PLAN],
    ("reflection", "planning", "observation"): [SEED],
}


@pytest.mark.parametrize("without", LEFT)
def test_what_is_left_without(without: tuple[MemoryAccess, ...]) -> None:
    mind = make_old()
    before = mind.state()
    limited = limit_access(mind, without)
    assert [memory.text for memory in limited.stream] == LEFT[without]
    assert mind.state() == before
    if without:
        assert limited.summary.core == ""
        assert limited.status == mind.profile.goal
    assert bool(limited.day.outline) == bool(limited.commitments) == ("planning" not in without)
    assert bool(limited.objects) == ("observation" not in without)
    if without == ("observation",):  # a thought keeps the events behind it
        assert limited.stream.sources([1]) == (7,)


def test_terms_reach_the_prompt() -> None:
    prompts = []
    for terms in (
        InterviewTerms("Tom Moreno"),
        InterviewTerms(without=frozenset({"observation", "reflection", "planning"})),
    ):
        mind = make_old()
        asyncio.run(answer_questions(mind, ["What do you do?"], terms=terms))
        prompts.append(list_requests(mind)[-1].messages[-1].content)
    for words in ("Tom Moreno asks you", SEEN, THOUGHT):
        assert words in prompts[0]
    for words in ("asks you", SEEN, THOUGHT, "baking", PLAN):
        assert words not in prompts[1]
    assert SEED in prompts[1]
