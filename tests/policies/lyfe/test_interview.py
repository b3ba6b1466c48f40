"""The interview: asked of a copy, in order, from what was seen, heard and remembered."""

import asyncio
import json

import pytest

from genagents_env.errors import LLMRefused
from genagents_env.llm.calls import CallKey, CompletionRequest
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.scripted import Rule, always_invalid, sample_schema
from genagents_env.policies.lyfe import interview
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeSummary, SummarySentence, WorkItem
from genagents_env.policy import INTERVIEW_CALLS, Answer
from tests.policies.harness import (
    fields_of,
    lines,
    list_first_fields,
    make_answer_rule,
    make_naming_rule,
)
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Value, profile

UNKNOWN = Answer("I do not know.", fallback=True)
QUESTIONS = ("What of Bob?", "Where is the fair?", "Who is mayor?")
ANSWER, UPDATE = "interview.answer", "interview.update"


def ask(mind: LyfeMind, *questions: str, repeat: int = 0) -> list[Answer]:
    found: list[Answer] = asyncio.run(interview.answer_questions(mind, list(questions), repeat))
    return found


def make_experienced_mind(rule: Rule = sample_schema, **config: Value) -> LyfeMind:
    """Return a mind of some experience, at tick 359, in the midst of a talk."""
    mind = make_mind(rule, who=profile(goal="Get to the fair.", facts=()), **config)
    item = WorkItem
    mind.tick = 359
    mind.long.seed("Ann runs the Cafe.")
    mind.long.seed("Bob Birch paints signs for the fair.", (41, 42), 60, "merged")
    mind.long.seed("The well in the Park is dry.", (43,), 70, "observed")
    if mind.config.saf_memory:
        mind.recent.seed("Bob Birch looks forward to the fair.", (44,), 90, "summary")
    mind.work = [
        item("The mayor has resigned.", 3580, "Bob Birch", 77),
        item("No, really?", 3585, "Ann Ash"),
        item("I have found Bob Birch.", 3587),
    ]
    mind.buffer = [item("I see Bob Birch.", 3570), *mind.work]
    if mind.config.self_monitor:
        told = "Bob tells me of the mayor."
        mind.summary = LyfeSummary(told, [SummarySentence(told, [70, 77])], 3, 3, "x")
    return mind


def test_a_summary_first_and_one_between_questions() -> None:
    mind = make_experienced_mind(make_answer_rule())
    mind.services.model.cassette = cassette = MemoryCassette()
    ask(mind, *QUESTIONS, repeat=2)
    for purpose, count in (("interview.begin", 1), (ANSWER, 3), (UPDATE, 2)):
        for number in range(2 * INTERVIEW_CALLS, 2 * INTERVIEW_CALLS + count):
            assert cassette.get(CallKey("Ann Ash", 360, purpose, number)) is not None
    assert list_first_fields(mind) == ["summary", "answer"] * 3


@pytest.mark.parametrize(
    ("words", "events"),
    [
        ("looks forward", (44,)),
        ("mayor has resigned", (77,)),
        ("No, really", ()),
        ("Bob", (41, 42, 44)),
    ],
)
def test_evidence_leads_to_events(words: str, events: tuple[int, ...]) -> None:
    mind = make_experienced_mind(make_naming_rule(words), prompt_tokens=2000)
    assert ask(mind, "Who is Bob?") == [Answer("Yes.", events)]


def test_the_old_summary_stays_where_none_can_be_made_nor_is_anything_known() -> None:
    def rule(request: CompletionRequest) -> str:
        unusable = "summary" in fields_of(request)
        return "No." if unusable else make_naming_rule("Bob tells me")(request)

    assert ask(make_experienced_mind(rule), "Who?") == [Answer("Yes.", (70, 77))]
    assert ask(make_experienced_mind(always_invalid), "Who?", "Where?") == [UNKNOWN, UNKNOWN]
    assert ask(make_experienced_mind(rule)) == []


def test_when_a_call_ends_the_run_what_was_answered_is_kept() -> None:
    def rule(request: CompletionRequest) -> str:
        if ["question", "Where is the fair?"] in lines(request):
            raise LLMRefused("the key is wrong")
        return make_answer_rule()(request)

    mind = make_experienced_mind(rule)
    mind.services.model.cassette = cassette = MemoryCassette()
    with pytest.raises(LLMRefused):
        ask(mind, *QUESTIONS)
    assert cassette.get(CallKey("Ann Ash", 360, ANSWER, 0)) is not None
    assert cassette.get(CallKey("Ann Ash", 360, UPDATE, 0)) is not None


def test_evidence_is_bounded_and_what_has_no_room_is_noted_for_the_record() -> None:
    persona = "; ".join(f"Ann has seen the sea {k} hundred times" for k in range(60))
    mind = make_mind(
        make_answer_rule("Yes.", 1, 2), who=profile(persona=persona), prompt_tokens=900
    )
    for number in range(9):
        events = tuple(range(1000 * number, 1000 * number + 500))
        mind.long.seed(f"Bob did a thing, the {number}th.", events)
    (answer,) = ask(mind, "What did Bob do?")
    assert 8 <= len(answer.evidence) <= 24
    notes = mind.services.notes.take()
    assert {note.call.purpose for note in notes} == {ANSWER, "interview.begin"}
    assert all("person" in json.loads(note.text) for note in notes)
