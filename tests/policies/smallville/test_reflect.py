"""Reflections, descriptions of oneself, and what one is up to."""

import json
from collections.abc import Mapping

import pytest

from genagents_env.cognition.query import PendingQuery
from genagents_env.llm.scripted import Rule, always_invalid, sample_schema
from genagents_env.memory.stream import Memory
from genagents_env.percept import Percept
from genagents_env.policies.smallville import past, retrieve, summary
from genagents_env.policies.smallville import reflect as reflection
from genagents_env.policies.smallville.mind import Dialogue, SelfSummary, SmallvilleMind
from genagents_env.policies.smallville.summary import describe_status
from tests.policies.harness import (
    by_fields,
    endpoint_of,
    list_first_fields,
    list_requests,
    moment,
    think,
)
from tests.policies.percepts import Moment, Value, body, profile, wait_for
from tests.policies.smallville import minds
from tests.policies.smallville.minds import make_mind

QUESTIONS = ["Who is close to Ann?", "What does Ann want?", "What worries Ann?"]
NOW = Moment()


def insight(text: str, *because: int, importance: int = 6) -> dict[str, Value]:
    return {"insight": text, "importance": importance, "because": list(because)}


def make_reflection_rule(*insights: dict[str, Value], questions: list[str] | None = None) -> Rule:
    asked_for = {"questions": questions or QUESTIONS}
    return by_fields({"questions": asked_for, "insights": {"insights": list(insights)}})


def make_mind_with_memories(
    rule: Rule = sample_schema, count: int = 8, **config: Value
) -> SmallvilleMind:
    mind = make_mind(rule, **config)
    for k in range(count):
        text = f"Bob Birch is telling joke number {k} to Ann Ash"
        mind.stream.add("event", text, created=0, importance=2 + k % 5, events=(100 + k,))
    return mind


def reflect(mind: SmallvilleMind, percept: Percept = NOW, importance: float = 150) -> None:
    """Live one tick with reflection alone, after so much has happened."""
    mind.asleep = percept.me.asleep
    mind.attention.importance = importance
    think(mind, reflection.make_queries(mind, moment(mind, percept)), percept)


def thoughts(mind: SmallvilleMind) -> list[Memory]:
    return [memory for memory in mind.stream if memory.kind == "thought"]


def test_reflects_once_importance_adds_up_and_counts_anew() -> None:
    rule = make_reflection_rule(insight("Bob amuses Ann.", 1))
    mind = make_mind_with_memories(rule, reflect_at=50)
    reflect(mind, importance=49.5)
    assert list_first_fields(mind) == []
    reflect(mind, importance=50)
    assert list_first_fields(mind) == ["questions", "insights", "insights", "insights"]
    assert mind.attention.importance == 0
    empty = make_mind(rule)
    reflect(empty)
    assert list_requests(empty) == []  # there is nothing to reflect on


@pytest.mark.parametrize("why", ["asleep", "talking", "under way", "switched off"])
def test_does_not_begin_when_it_cannot_and_forgets_nothing(why: str) -> None:
    mind = make_mind_with_memories(reflection=why != "switched off")
    mind.attention.importance = 400.0
    mind.asleep = why == "asleep"
    if why == "talking":
        mind.dialogue = Dialogue(1, 0, ["Bob Birch"])
    if why == "under way":
        pending = PendingQuery("reflect.insights", {}, (), 0, 0, 9)
        mind.pending.append(pending)
    assert len(reflection.make_queries(mind, moment(mind, NOW))) == 0
    assert mind.attention.importance == 400.0


def test_an_insight_is_kept_with_the_memories_it_rests_on() -> None:
    mind = make_mind_with_memories(
        make_reflection_rule(insight("Bob likes to make Ann laugh.", 1, 3, 3))
    )
    reflect(mind, NOW.later(3600))
    (made,) = thoughts(mind)
    assert made.text == "Bob likes to make Ann laugh."
    assert (made.importance, made.depth, made.created) == (6, 1, 3600)
    assert made.expires == 3600 + 30 * 86_400
    assert made.cause == "reflect.insights #0 at tick 360"
    lines = list_requests(mind)[1].messages[-1].content.splitlines()
    named = [json.loads(line)[2] for line in lines if line.startswith(('["#1"', '["#3"'))]
    assert [mind.stream[id_].text for id_ in made.evidence] == named


def test_insights_without_evidence_are_not_kept() -> None:
    rule = make_reflection_rule(insight("Ann is a queen.", 99, 0, -1), insight("Tom is a spy."))
    mind = make_mind_with_memories(rule)
    reflect(mind)
    assert len(list_requests(mind)) == 4  # they were accepted, not asked for again
    assert thoughts(mind) == []


def test_an_insight_that_comes_again_is_not_kept_twice_until_it_is_forgotten() -> None:
    words, other = (
        "Bob Birch enjoys telling jokes to Ann Ash at the cafe.",
        "Ann would rather read.",
    )
    rule = make_reflection_rule(
        insight(words, 1),
        insight(words.upper(), 2),
        insight("Bob Birch enjoys telling jokes to Ann Ash in the cafe.", 1),
        insight(other, 2),
    )
    mind = make_mind_with_memories(rule, thought_days=1)
    reflect(mind)
    reflect(mind, NOW.later(600))
    assert [memory.text for memory in thoughts(mind)] == [words, other]
    reflect(mind, NOW.later(86_400))
    assert [memory.text for memory in thoughts(mind)] == [words, other] * 2


def test_fallbacks_leave_no_thoughts() -> None:
    mind = make_mind_with_memories(always_invalid)
    reflect(mind)
    assert list_first_fields(mind) == ["questions", "questions"]  # once again, then given up
    only_questions = by_fields({"questions": {"questions": QUESTIONS}, "insights": {"no": 1}})
    endpoint_of(mind).rule = only_questions
    reflect(mind, NOW.later())
    assert len(list_requests(mind)) == 2 + 1 + 2 * 3
    assert thoughts(mind) == []


def test_the_same_question_is_asked_once_and_of_one_who_fell_asleep_meanwhile_none() -> None:
    questions = ["Who is Bob?", "who is  BOB?", "What does Bob want?"]
    mind = make_mind_with_memories(make_reflection_rule(questions=questions))
    reflect(mind)
    assert list_first_fields(mind) == ["questions", "insights", "insights"]
    mind = make_mind_with_memories(make_reflection_rule(), latency_ticks={"reflect": 3})
    reflect(mind)
    reflect(mind, NOW.later(40, me=body(asleep=True)), 0)
    assert mind.pending == []
    assert "insights" not in list_first_fields(mind)


SELF = {
    "core": "I am warm and I like company.",
    "occupation": "I run the Cafe.",
    "progress": "I feel that the Cafe does well.",
}


def make_summary_rule(**changes: Value) -> Rule:
    return by_fields({"core": SELF | changes})


def live(mind: SmallvilleMind, percept: Percept = NOW) -> None:
    """Live one tick with the summary alone."""
    think(mind, summary.query_description(mind, moment(mind, percept)), percept)


def test_describes_the_agent_at_first_and_again_when_it_is_old() -> None:
    mind = make_mind(make_summary_rule(), describe_hours=2)
    for hours, calls in ((0, 0), (0, 1), (1, 1), (1.99, 1), (2, 2), (3, 2)):
        mind.asleep = calls == 0
        live(mind, NOW.later(int(hours * 3600)))
        assert len(list_requests(mind)) == calls
    assert mind.summary == SelfSummary(**SELF, made=7200)


def test_without_a_usable_reply_the_last_description_if_any_serves_again() -> None:
    mind, never = make_mind(make_summary_rule(), describe_hours=2), make_mind(always_invalid)
    live(mind)
    endpoint_of(mind).rule = always_invalid
    live(mind, NOW.later(7200))
    live(mind, NOW.later(7210))
    assert len(list_requests(mind)) == 1 + 2  # asked, asked once again, and then not at every tick
    assert mind.summary == SelfSummary(**SELF, made=7200)
    live(never)
    assert (never.summary, summary.format_lines(never)) == (SelfSummary(made=0), [])


TOLD = "I give a party on Tuesday at 17:00 in the Cafe; Bob knows and will come."
CURRENTLY = "Ann plans a party; Ann has told nobody yet"
SAYS = {"status": {"status": TOLD}}


def begin(replies: Mapping[str, Mapping[str, object]] = SAYS, **config: Value) -> SmallvilleMind:
    """Return the mind of somebody who plans a party and has told nobody yet."""
    memories = ("Ann swims at dawn", *CURRENTLY.split("; "))
    who = profile(currently=CURRENTLY, goal="Give a party.", memories=memories)
    services = minds.make_mind(by_fields(replies), who=who, **config).services
    return past.make_mind(services, who)


def talk(mind: SmallvilleMind) -> int:
    """Remember a talk, as a memo does."""
    return mind.stream.add(
        "chat", "Talked with Bob: he will come", created=0, cause="converse.memo"
    )


def ask(mind: SmallvilleMind, percept: Moment) -> list[str]:
    """Ask what is due; return the purposes."""
    queries = summary.query_status(mind, moment(mind, percept))
    think(mind, queries, percept)
    return [query.purpose for query in queries]


def test_a_talk_changes_what_one_is_up_to_within_the_day() -> None:
    mind, percept = begin(), Moment().later(7200)
    assert ask(mind, percept) == []  # nothing but what was known from the start
    assert list(describe_status(mind).lines) == [
        ["your goal", "Give a party."],
        ["these days", CURRENTLY],
    ]
    talk(mind)
    assert ask(mind, percept) == ["summary.status"]
    asked = list_requests(mind)[0].messages[-1].content
    for words in ("Monday 13 February 2023, 10:00", "has told nobody yet", "he will come"):
        assert words in asked
    assert mind.status == TOLD
    assert list(describe_status(mind).lines) == [["these days", TOLD]]
    recalled = wait_for(retrieve.recall(mind, ["party told nobody"], 7200))
    texts = [memory.text for _, memory in recalled]
    assert "Ann has told nobody yet" not in texts
    assert "Ann swims at dawn" in texts
