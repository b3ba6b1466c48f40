"""The interview: asked of a copy, in order, from what was seen, heard and remembered."""

import asyncio
import json

import pytest

from genagents_env.errors import LLMRefused
from genagents_env.llm.calls import CallKey, CompletionRequest
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import (
    Rule,
    ScriptedEndpoint,
    always_invalid,
    sample_schema,
)
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.policies.lyfe import interview
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeSummary, SummarySentence, WorkItem
from genagents_env.policy import INTERVIEW_CALLS, Answer
from genagents_env.text import cut_sentences
from tests.policies.harness import (
    FOREIGN,
    NAME,
    fields_of,
    lines,
    list_first_fields,
    list_numbered_lines,
    list_requests,
    make_answer_rule,
    make_naming_rule,
)
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Value, profile

UNKNOWN = Answer("I do not know.", fallback=True)
QUESTIONS = ("What of Bob?", "Where is the fair?", "Who is mayor?")
BEGIN, ANSWER, UPDATE = "interview.begin", "interview.answer", "interview.update"


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
        mind.summary = LyfeSummary(
            "Bob tells me of the mayor.",
            [SummarySentence("Bob tells me of the mayor.", [70, 77])],
            3,
            3,
            "x",
        )
    return mind


def record_calls(mind: LyfeMind, rule: Rule) -> MemoryCassette:
    """Give the mind a model that keeps what it was asked."""
    cassette = MemoryCassette()
    model = ModelClient(ScriptedEndpoint(rule), run_seed=3, cassette=cassette)
    object.__setattr__(mind.services, "model", model)
    return cassette


def test_a_summary_first_and_one_between_questions() -> None:
    mind = make_experienced_mind()
    cassette = record_calls(mind, make_answer_rule())
    ask(mind, *QUESTIONS, repeat=2)
    first = 2 * INTERVIEW_CALLS
    expected = [
        (BEGIN, 0),
        *((ANSWER, number) for number in range(3)),
        *((UPDATE, number) for number in range(2)),
    ]
    keys = [CallKey("Ann Ash", 360, purpose, first + number) for purpose, number in expected]
    assert all(cassette.get(key) is not None for key in keys)
    order = list_first_fields(mind)
    assert order == ["summary", "answer", "summary", "answer", "summary", "answer"]


def test_without_a_self_monitor_no_summary_is_made() -> None:
    mind = make_experienced_mind(make_naming_rule("I see Bob"), self_monitor=False)
    ask(mind, *QUESTIONS)
    assert list_first_fields(mind) == ["answer"] * 3
    first = list_requests(mind)[0]
    assert ["goal", "Get to the fair."] in lines(first)
    assert "I see Bob Birch." in [line[2] for line in list_numbered_lines(first)]
    assert not any(line[0] == "summary" or "summary" in line[1] for line in lines(first))


def test_the_summary_is_made_of_what_is_nearest_the_first_question() -> None:
    mind = make_experienced_mind(make_answer_rule(summary="Bob paints signs. The fair is near."))
    for number in range(40):
        mind.long.seed(f"Nothing happened on day {number}.")  # of which one comes to mind
    for thing in ("kites", "old boats", "turnips", "lace", "maps", "bees", "snow"):
        mind.long.seed(f"I like {thing}.")
    ask(mind, "Who paints signs for the fair?", "What else?")
    begin, first, update, _ = list_requests(mind)
    shown = [line[2] for line in list_numbered_lines(begin)]
    assert shown[0] == "Bob Birch paints signs for the fair."
    assert 5 < len(shown) <= 15
    assert sum("Nothing happened" in text for text in shown) <= 1
    assert ["question", "Who paints signs for the fair?"] in lines(begin)
    told = [line[2] for line in list_numbered_lines(first) if line[1] == "summary"]
    assert told == ["Bob paints signs.", "The fair is near."]
    assert ["summary", "Bob paints signs. The fair is near."] in lines(update)


def test_a_question_and_its_answer_are_in_mind_at_the_next() -> None:
    mind = make_experienced_mind(make_answer_rule("Bob is well."))
    ask(mind, *QUESTIONS[:2])
    _, _, update, second = list_requests(mind)
    assert lines(update)[-1 - len(list_numbered_lines(update))] == [
        "09:00",
        "you",
        "said",
        "Bob is well.",
    ]
    assert ["09:00", "the interviewer", "said", "What of Bob?"] in lines(update)
    said = [line[1:] for line in list_numbered_lines(second)]
    assert said[-2:] == [
        ["the interviewer just said", "What of Bob?"],
        ["you just said", "Bob is well."],
    ]  # an answer after its question
    assert ["you just said", "No, really?"] in said[:-2]
    assert ["question", "Where is the fair?"] in lines(second)


@pytest.mark.parametrize(
    ("words", "events"),
    [
        ("paints signs", (41, 42)),
        ("looks forward", (44,)),
        ("mayor has resigned", (77,)),
        ("No, really", ()),
        ("Bob", (41, 42, 44)),
    ],
)
def test_evidence_leads_to_events(words: str, events: tuple[int, ...]) -> None:
    assert ask(
        make_experienced_mind(make_naming_rule(words), prompt_tokens=2000), "Who is Bob?"
    ) == [Answer("Yes.", events)]


def test_what_rests_on_the_summary_rests_on_what_that_was_made_of() -> None:
    told = "Bob Birch paints new signs for the fair. So it goes."
    mind = make_experienced_mind(make_naming_rule("new signs", summary=told))
    first, second = ask(mind, *QUESTIONS[:2])
    assert first == second == Answer("Yes.", (41, 42))  # the long memory that it is most like
    unfounded = make_experienced_mind(make_naming_rule("So it", summary=told))
    assert ask(unfounded, QUESTIONS[0]) == [Answer("Yes.", ())]


def test_the_old_summary_stays_where_none_can_be_made() -> None:
    def rule(request: CompletionRequest) -> str:
        return (
            "No." if "summary" in fields_of(request) else make_naming_rule("Bob tells me")(request)
        )

    assert ask(make_experienced_mind(rule), "Who?") == [Answer("Yes.", (70, 77))]


def test_one_without_a_usable_reply_does_not_know() -> None:
    assert ask(make_experienced_mind(always_invalid), "Who?", "Where?") == [UNKNOWN, UNKNOWN]


def test_when_a_call_ends_the_run_what_was_answered_is_kept() -> None:
    def rule(request: CompletionRequest) -> str:
        if ["question", "Where is the fair?"] in lines(request):
            raise LLMRefused("the key is wrong")
        return make_answer_rule()(request)

    mind = make_experienced_mind()
    cassette = record_calls(mind, rule)
    with pytest.raises(LLMRefused):
        ask(mind, *QUESTIONS)
    assert cassette.get(CallKey("Ann Ash", 360, ANSWER, 0)) is not None
    assert cassette.get(CallKey("Ann Ash", 360, UPDATE, 0)) is not None


@pytest.mark.parametrize(("most", "monitor"), [(400, True), (640, False), (1500, True)])
@pytest.mark.parametrize("question", [FOREIGN, "why " * 200, "\u202e\x00"])
def test_prompts_stay_within_their_budget(question: str, monitor: bool, most: int) -> None:
    who = profile(name=NAME, persona="; ".join(["a person of few words"] * 40), goal=FOREIGN)
    rule = make_answer_rule(FOREIGN, summary="ሰላም ለዓለም፡ እንዴት ነህ። " * 30)
    mind = make_mind(rule, who=who, prompt_tokens=most, self_monitor=monitor)
    item = WorkItem
    mind.work = [item(FOREIGN, 5, NAME, 5), item("x" * 500, 6, NAME, 6)] * 2
    mind.buffer = [item(FOREIGN[number:], 7, NAME, 7) for number in range(6)]
    mind.summary = LyfeSummary("a" * 700, [SummarySentence("a" * 700, [1, 2])])
    for number in range(40):
        mind.long.seed(f'{NAME} said: "{FOREIGN[number:]}"', (number,))
    given = ask(mind, question, question)
    assert all(
        bound_prompt_tokens(list(request.messages)) <= most for request in list_requests(mind)
    )
    assert [answer.text for answer in given] == [cut_sentences(FOREIGN, 800)] * 2
    for request in list_requests(mind):
        if "answer" in fields_of(request):
            (shown,) = [line for line in lines(request) if line[0] == "question"]
            assert bool(shown[1]) == bool(question.strip("\u202e\x00"))


def test_evidence_is_bounded() -> None:
    mind = make_experienced_mind(make_answer_rule("Yes.", 1, 2, 3, 4))
    for number in range(9):
        first = 1000 * number
        mind.long.seed(f"Bob did a thing, the {number}th.", tuple(range(first, first + 500)))
    (answer,) = ask(mind, "What did Bob do?")
    assert 8 <= len(answer.evidence) <= 24


def test_what_a_prompt_has_no_room_for_is_noted_for_the_record() -> None:
    persona = "; ".join(
        f"Ann has seen the {word} a hundred times" for word in ("sea", "lake", "hill") * 20
    )
    mind = make_mind(make_answer_rule(), who=profile(persona=persona), prompt_tokens=640)
    ask(mind, "Who?")
    notes = mind.services.notes.take()
    assert [str(note.call) for note in notes] == [
        f"{purpose} #0 of 'Ann Ash' at tick 0" for purpose in (ANSWER, BEGIN)
    ]
    assert all("person" in json.loads(note.text) for note in notes)


def test_an_answer_is_shown_nothing_that_its_summary_tells_in_nearly_the_same_words() -> None:
    summary = "Bob told me that he saw the old boats burn at the pier last night."
    mind = make_experienced_mind(make_answer_rule(summary=summary))
    mind.long.seed("Last night the old boats were seen to burn at the pier.")
    mind.long.seed("The old boats belong to Cat Cole.")
    ask(mind, "What of the old boats?")
    _, answer = list_requests(mind)
    shown = [line[2] for line in list_numbered_lines(answer)]
    assert "The old boats belong to Cat Cole." in shown
    assert not [text for text in shown if text.startswith("Last night the old")]
