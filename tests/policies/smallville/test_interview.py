"""Interviews: what answers rest on, and what is known without some of the memories."""

import asyncio
from collections.abc import Sequence

import pytest

from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.percept import Percept
from genagents_env.policies.smallville import interview
from genagents_env.policies.smallville.interview import answer_questions, limit_access
from genagents_env.policies.smallville.mind import (
    BelievedObject,
    Commitment,
    Day,
    Dialogue,
    DialogueLine,
    PlanBlock,
    SelfSummary,
    SmallvilleMind,
    Tie,
)
from genagents_env.policy import Answer, InterviewTerms, MemoryAccess
from tests.policies.harness import (
    is_golden,
    length,
    list_numbered_lines,
    list_requests,
    make_answer_rule,
    make_naming_rule,
    transcript,
)
from tests.policies.percepts import Value, profile
from tests.policies.smallville.minds import dialogue_of, make_isabella, make_mind


def ask(mind: SmallvilleMind, *questions: str, **options: Value) -> list[Answer]:
    answers: list[Answer] = asyncio.run(
        interview.answer_questions(mind, list(questions), **options)
    )
    return answers


def make_experienced_mind(
    rule: Rule = sample_schema, *, persona: str | None = None, **config: Value
) -> SmallvilleMind:
    """Return a mind of some experience: a seed, events, and a thought on two of them."""
    who = profile() if persona is None else profile(persona=persona)
    mind = make_mind(rule, who=who, **config)
    mind.tick = 359  # so the moment is 360
    add = mind.stream.add
    add("thought", "Ann runs the Cafe.", created=0, cause="seed")
    add("event", 'Bob Birch said to Ann Ash: "There is a fair."', created=60, events=(41,))
    add("event", "Bob Birch is painting a sign", created=120, events=(42,))
    add("thought", "Bob looks forward to the fair.", created=180, evidence=(1, 2))
    return mind


def start_talk(mind: SmallvilleMind) -> SmallvilleMind:
    line = DialogueLine
    mind.dialogue = Dialogue(1, 0, ["Bob Birch"])
    mind.dialogue.lines += [
        line("Bob Birch", "The mayor has resigned.", 77),
        line("Ann Ash", "No, really?", -1),
        line("Bob Birch", "This morning.", 79),
    ]
    return mind


@pytest.mark.parametrize(
    ("words", "events"),
    [
        ("looks forward", (41, 42)),
        ("painting", (42,)),
        ("Ann runs", ()),  # known from the start
        ("resigned", (77,)),  # said a moment ago
        ("really", ()),  # one's own words
    ],
)
def test_evidence_leads_to_the_events_that_were_perceived(
    words: str, events: tuple[int, ...]
) -> None:
    mind = start_talk(make_experienced_mind(make_naming_rule(words), persona="Ann is kind"))
    assert ask(mind, "What of Bob?") == [Answer("Yes.", events)]
    assert any(words in line[2] for line in list_numbered_lines(list_requests(mind)[0]))


def test_only_what_stands_in_the_prompt_can_be_named() -> None:
    mind = start_talk(
        make_experienced_mind(make_answer_rule("Yes.", *range(1, 9)), prompt_tokens=400)
    )
    for line in dialogue_of(mind).lines:
        line.text += " And so on, and so forth." * 20
    (answer,) = ask(mind, "What?")
    shown = [line[2] for line in list_numbered_lines(list_requests(mind)[0])]
    assert any("The mayor has resigned." in text for text in shown)
    assert not any("This morning." in text for text in shown)  # there was no room for it
    assert answer.evidence == (77,)


def test_golden_transcript(percepts: list[Percept]) -> None:
    rule = make_naming_rule("party")
    mind = make_isabella(rule, percepts, facts=True)
    line, hour = DialogueLine, 3600
    mind.dialogue = Dialogue(1, 0, ["Maria Lopez"])
    mind.dialogue.lines += [line("Maria Lopez", "May I help with the party?", 900)]
    mind.summary = SelfSummary("I am warm.", "I run Hobbs Cafe.", "I feel hopeful.", made=0)
    mind.day.hours = [
        PlanBlock(0, 4 * hour, "serving guests at the counter"),
        PlanBlock(4 * hour, 5 * hour, "baking for lunch"),
    ]
    answers = ask(mind, "Is there a party?", "What will you do at noon?")
    assert all(length(request) <= 4000 for request in list_requests(mind))
    effects: Sequence[str] = [f"{answer.text} {list(answer.evidence)}" for answer in answers]
    assert is_golden("interview.txt", transcript(list_requests(mind), rule, effects))


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
