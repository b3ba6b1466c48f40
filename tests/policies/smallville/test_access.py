"""Access to memory: what a mind still knows without some of its memories, and what it rests on."""

import pytest

from genagents_env.cognition.policy import gather_all
from genagents_env.policies.smallville.interview import classify, limit_access
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.policy import InterviewTerms, MemoryAccess
from tests.policies.harness import list_requests
from tests.policies.smallville.minds import make_mind
from tests.policies.smallville.test_past import make_old

SEED = "Ada is kind"
LEFT: dict[tuple[MemoryAccess, ...], list[str]] = {
    (): [SEED, "the oven is on", "Ada bakes", "bread", "Talked with Ben"],
    ("reflection",): [SEED, "the oven is on", "bread", "Talked with Ben"],
    ("reflection", "planning"): [SEED, "the oven is on", "Talked with Ben"],
    ("reflection", "planning", "observation"): [SEED],
    ("observation",): [SEED, "Ada bakes", "bread"],
}


def list_texts(mind: SmallvilleMind) -> list[str]:
    return [memory.text for memory in mind.stream]


@pytest.mark.parametrize("without", LEFT)
def test_what_is_left_without(without: tuple[MemoryAccess, ...]) -> None:
    mind = make_old()
    before = mind.state()
    limited = limit_access(mind, without)
    assert list_texts(limited) == LEFT[without]
    assert mind.state() == before
    if without:
        assert limited.summary.core == ""
        assert limited.status == mind.profile.goal
    assert bool(limited.day.outline) == ("planning" not in without)
    assert bool(limited.commitments) == ("planning" not in without)
    assert bool(limited.objects) == ("observation" not in without)


def test_a_thought_keeps_the_events_behind_it_when_these_are_forgotten() -> None:
    without: tuple[MemoryAccess, ...] = ("observation",)
    limited = limit_access(make_old(), without)
    thought = limited.stream[1]
    assert thought.text == "Ada bakes"
    assert limited.stream.sources([1]) == (7,)


def test_what_a_talk_leaves_to_be_done_is_a_plan() -> None:
    mind = make_mind()
    for kind, cause, made_by in (
        ("thought", "converse.memo #0 at tick 3", "planning"),
        ("thought", "plan.renew #0 at tick 3", "planning"),
        ("thought", "reflect.insights #1 at tick 3", "reflection"),
        ("thought", "reflect", "reflection"),
        ("chat", "converse.memo #0 at tick 3", "observation"),
        ("event", "past", "observation"),
        ("thought", "seed", None),
    ):
        id_ = mind.stream.add(kind, "x", created=0, cause=cause)  # type: ignore[arg-type]
        assert classify(mind.stream[id_]) == made_by


def test_terms_reach_the_prompt() -> None:
    import asyncio

    from genagents_env.policies.smallville.interview import answer_questions

    async def ask(mind: SmallvilleMind, terms: InterviewTerms) -> None:
        await gather_all([answer_questions(mind, ["What do you do?"], terms=terms)])

    prompts = []
    for terms in (
        InterviewTerms("Tom Moreno"),
        InterviewTerms(without=frozenset({"observation", "reflection", "planning"})),
    ):
        mind = make_old()
        asyncio.run(ask(mind, terms))
        prompts.append(list_requests(mind)[-1].messages[-1].content)
    assert "Tom Moreno asks you" in prompts[0]
    assert "the oven is on" in prompts[0]
    assert "Ada bakes" in prompts[0]
    for text in ("asks you", "the oven is on", "Ada bakes", "baking", "bread"):
        assert text not in prompts[1]
    assert SEED in prompts[1]
