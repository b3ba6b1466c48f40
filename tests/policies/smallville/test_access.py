"""Access to memory: what a mind still knows without some of its memories, and what it rests on."""

import asyncio

import pytest

from genagents_env.policies.smallville.interview import (
    answer_questions,
    classify,
    limit_access,
)
from genagents_env.policy import InterviewTerms, MemoryAccess
from tests.policies.harness import list_requests
from tests.policies.smallville.minds import make_mind
from tests.policies.smallville.test_past import make_old

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


def test_what_a_talk_leaves_to_be_done_is_a_plan() -> None:
    mind = make_mind()
    for cause, made_by in (
        ("converse.memo #0 at tick 3", "planning"),
        ("plan.renew #0 at tick 3", "planning"),
        ("reflect", "reflection"),
        ("seed", None),
    ):
        id_ = mind.stream.add("thought", "x", created=0, cause=cause)
        assert classify(mind.stream[id_]) == made_by


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
