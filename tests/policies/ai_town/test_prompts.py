"""What prompts say, that they keep within their budget, and hold nobody else's secrets."""

import asyncio
import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.cognition.query import Query
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.percept import Conversation
from genagents_env.policies.ai_town import converse, interview, reflect, remember
from genagents_env.policies.ai_town.mind import AiTownMind, FinishedTalk
from genagents_env.policy import InterviewTerms
from tests.policies.ai_town.minds import BEA, make_mind, talk_with
from tests.policies.ai_town.square import NAMES, Square, answer_at_random, square
from tests.policies.harness import (
    EVIL,
    FOREIGN,
    LONG,
    fields_of,
    is_fenced,
    is_golden,
    list_requests,
    moment,
    think,
    transcript,
)
from tests.policies.percepts import START, Moment, Value, person, profile

GOLDEN = Path(__file__).parent / "golden"
ME, CY = "Ann Ash", "Cy Cole"
TERMS = InterviewTerms()
NEAR = Moment(
    tick=24,
    time=START + timedelta(seconds=240),
    people=(person(BEA, 1, "talking with Ann Ash"), person(CY, 2)),
    conversation=Conversation(1, (ME, BEA), None, True, 9),
)
REPLIES = {
    "say": "I am well.",
    "leave": False,
    "who": CY,
    "summary": "I talked with Bea Birch on Monday 13 February and liked it.",
    "importance": 4,
    "insights": [{"insight": "Bea is a friend of mine.", "because": [1]}],
    "answer": "Yes, on Tuesday.",
    "because": [1],
}


def reply(request: CompletionRequest) -> str:
    return json.dumps({name: REPLIES[name] for name in fields_of(request)})


def mind_of(words: str = "I am well, and you?", **config: Value) -> AiTownMind:
    """Return a mind with a plan, a tie, an earlier talk, and one in which these words are last."""
    who = profile(facts=(), goal="Give a party.", relationships={BEA: "a friend"})
    mind = make_mind(reply, who=who, reflect_at=1, **config)
    mind.tick = 24
    mind.stream.add(
        "chat", "I talked with Bea about ducks.", created=60, importance=7, events=[5],
        about=(ME, BEA),
    )  # fmt: skip
    mind.talk = talk_with(BEA, lines=[(ME, "How are you?"), (BEA, words)], started=210)
    for at, line in enumerate(mind.talk.lines):
        line.at = 220 + 10 * at
    return mind


def ask_everything(mind: AiTownMind) -> list[CompletionRequest]:
    now = moment(mind, NEAR)
    talk = mind.talk
    assert talk is not None
    said, talk.lines = talk.lines, []
    for purpose, lines in (("start", []), ("continue", said), ("leave", said)):
        talk.lines, talk.unsaid = list(lines), ""
        think(mind, [Query(f"converse.{purpose}", converse.identify(talk))], NEAR)
    talk.others = [BEA, CY]
    think(mind, [Query(converse.WALK_AWAY, converse.identify(talk))], NEAR)
    talk.unsaid = "And you, Cy?"
    think(mind, [Query(converse.NEXT, converse.identify(talk))], NEAR)
    mind.remembers, mind.talk = [FinishedTalk([BEA], said, 240)], None
    think(mind, remember.make_queries(mind, now), NEAR)
    mind.review = True
    think(mind, reflect.make_queries(mind, now), NEAR)
    asked = interview.answer_questions(mind, ["Is there a party?"], repeat=0, terms=TERMS)
    asyncio.run(asked)
    return list(list_requests(mind))


def test_golden_transcript() -> None:
    requests = ask_everything(mind_of())
    assert is_golden("prompts.txt", transcript(requests, reply, []), GOLDEN)


@pytest.mark.parametrize(("limit", "small"), [(640, True), (640, False)])
@pytest.mark.parametrize("words", [FOREIGN, LONG * 5, EVIL])
def test_prompts_keep_within_their_budget_and_words_within_the_fence(
    limit: int, small: bool, words: str
) -> None:
    mind = mind_of(words, prompt_tokens=limit, small=small)
    requests = ask_everything(mind)
    assert len(requests) == 11
    assert all(bound_prompt_tokens(list(request.messages)) <= limit for request in requests)
    if words == EVIL:
        spoken = [one for one in requests if "obey me" in one.messages[-1].content]
        assert spoken
        assert all(is_fenced(one, "obey me") for one in spoken)


@pytest.mark.parametrize("preset", ["2024", "2023"])
@pytest.mark.parametrize("leaks", [False, True])
def test_nobody_reads_anothers_identity_unless_the_fault_is_on(
    tmp_path: Path, preset: str, leaks: bool
) -> None:
    scenario = square(tmp_path, 3)
    people = tuple(
        one.model_copy(update={"persona": f"{one.name} likes company; {one.name}'s secret"})
        for one in scenario.people
    )
    config: dict[str, Value] = {"preset": preset, "other_identity": leaks, "wander": "near"}
    town = Square(
        scenario.model_copy(update={"people": people}),
        answer_at_random,
        activity_seconds=20,
        **config,
    )
    for _ in range(60):
        town.step()
    told = set()
    for request in town.endpoint.requests:
        text = "\n".join(message.content for message in request.messages)
        who = next(name for name in NAMES[:3] if f"You are {name}" in text)
        told |= {(who, other) for other in NAMES[:3] if f"{other}'s secret" in text}
    assert {who for who, _ in told} == set(NAMES[:3])
    assert any(who != other for who, other in told) is leaks


def test_an_interview_can_do_without_some_memories() -> None:
    def ask(*without: Value) -> str:
        mind = mind_of()
        mind.stream.add("thought", "Bea is kind.", created=100, importance=6, evidence=[1])
        terms = InterviewTerms("Zoe", frozenset(without))
        asyncio.run(interview.answer_questions(mind, ["Who is Bea?"], repeat=0, terms=terms))
        return list_requests(mind)[-1].messages[-1].content

    def tells(user: str) -> Sequence[bool]:
        return [words in user for words in ("a friend", "about ducks", "and you?", "is kind")]

    assert tells(ask()) == [True, True, True, True]
    assert tells(ask("observation")) == [True, False, False, True]
    assert tells(ask("reflection")) == [True, True, True, False]
    assert '"Zoe asks you", "Who is Bea?"' in ask()
