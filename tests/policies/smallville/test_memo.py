"""What stays of a conversation."""

from collections.abc import Sequence

import pytest

from genagents_env.cognition.query import PreparedQuery, Query, QueryReply
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.memory.stream import Memory
from genagents_env.percept import Conversation
from genagents_env.policies.smallville import memo
from genagents_env.policies.smallville.memo import Memo, find_latest_talk, format_tie, list_unknown
from genagents_env.policies.smallville.mind import (
    Commitment,
    Dialogue,
    DialogueLine,
    SmallvilleMind,
    Tie,
)
from tests.policies.harness import by_fields, moment
from tests.policies.percepts import Moment, Value, body, profile, speech, wait_for
from tests.policies.smallville.minds import GOOD, live, make_mind

ANN, BOB, CID = "Ann Ash", "Bob Birch", "Cid Cedar"
TALK = Conversation(1, (ANN, BOB), None, True, 8)


def make_memo_rule(plan: str = "", changes_plan: bool = False) -> Rule:
    """Return a rule that answers once and notes this."""
    memo = {**GOOD, "plan": plan, "changes_plan": changes_plan}
    return by_fields({"say": {"say": "Really?", "end": False}, "remember": memo})


def make_mind_after_talk(
    rule: Rule, ending: Moment | None = None, **config: Value
) -> SmallvilleMind:
    """Return a mind after a talk with Bob of three utterances, over after 30 seconds."""
    mind = make_mind(rule, **config)
    now = Moment(conversation=TALK, heard=(speech(BOB, "A party!"),))
    live(mind, now)
    live(mind, now.later(10))
    live(mind, now.later(20, heard=(speech(BOB, "Yes, at five."),)))
    live(mind, ending or now.later(30, conversation=None))
    return mind


def memories(mind: SmallvilleMind, kind: str) -> list[Memory]:
    return [memory for memory in mind.stream if memory.kind == kind]


def test_a_conversation_becomes_a_memory_that_rests_on_what_was_heard() -> None:
    mind = make_mind_after_talk(make_memo_rule())
    (chat,) = memories(mind, "chat")
    assert chat.text == "Talked with Bob Birch: there is a party"
    assert chat.events == (7, 7)
    assert chat.about == (ANN, "talked with", BOB)
    assert chat.importance == 7
    assert chat.place == "Cafe"
    assert chat.cause == "converse.memo #0 at tick 3"
    assert mind.attention.importance == 7
    assert mind.attention.talked == {BOB: 30}
    assert mind.dialogue is None
    assert not memories(mind, "thought")


def test_what_one_means_to_do_is_a_thought_that_rests_on_the_conversation() -> None:
    mind = make_mind_after_talk(make_memo_rule("going to the party"))
    (thought,) = memories(mind, "thought")
    assert thought.text == "For planning: going to the party"
    assert thought.evidence == (memories(mind, "chat")[0].id,)
    assert mind.stream.sources([thought.id]) == (7,)
    assert thought.expires == 30 + 30 * 86_400
    assert (thought.importance, thought.depth) == (7, 1)


def test_without_a_usable_reply_only_the_fact_is_remembered() -> None:
    def rule(request: CompletionRequest) -> str:
        return always_invalid(request) if "remember" in str(request.schema) else words(request)

    words = make_memo_rule("going")
    mind = make_mind_after_talk(rule, unrated_importance=4.0)
    (chat,) = memories(mind, "chat")
    assert (chat.text, chat.importance, chat.events) == ("Talked with Bob Birch", 4.0, (7, 7))
    assert mind.attention.importance == 4.0
    assert not memories(mind, "thought")


def test_without_observation_nothing_is_remembered_but_the_calls_are_the_same() -> None:
    mind = make_mind_after_talk(make_memo_rule("going"), observation=False)
    assert not len(mind.stream)
    assert mind.attention.importance == 7
    purposes = {entry.purpose for entry in mind.services.model.ledger.rows()}
    assert "converse.memo" in purposes


@pytest.mark.parametrize("ending", ["left", "asleep", "farewell", "another"])
def test_however_it_ends_the_memo_is_made_once_and_no_dialogue_is_left(ending: str) -> None:
    now = Moment(tick=3).later(0, time=Moment().later(30).time)
    ends = {
        "left": now,
        "asleep": now.later(0, me=body(asleep=True)),
        "farewell": now.later(0, heard=(speech(BOB, "I must go."),)),
        "another": now.later(0, conversation=Conversation(2, (ANN, CID), None, False, 8)),
    }
    mind = make_mind_after_talk(make_memo_rule(), ends[ending])
    over = ends[ending].later(10, conversation=None)
    live(mind, over)
    live(mind, over.later(10))
    assert len(memories(mind, "chat")) == 1
    assert mind.dialogue is None
    count = {"farewell": 3}.get(ending, 2)
    assert len(memories(mind, "chat")[0].events) == count


AGREED = {
    "day": "tomorrow",
    "time": "5 pm",
    "what": "decorating the cafe",
    "where": "Cafe",
    "with_whom": "",
}


def take_memo(
    mind: SmallvilleMind, others: Sequence[str] = (BOB,), **fields: object
) -> list[Query]:
    """Return what follows from a memo of a talk on Monday 13 February at 08:00."""
    dialogue = Dialogue(1, 0, list(others), [DialogueLine(name, "Hm.", 7) for name in others])
    value, data = Memo.model_validate({**GOOD, **fields}), memo.make_data(mind, dialogue)
    reply = QueryReply(value, False, "converse.memo #0 at tick 5", data)
    return list(wait_for(memo.HANDLER.apply(mind, moment(mind, NOW), reply)))


NOW = Moment().later(50)


def test_what_one_does_alone_is_promised_with_nobody() -> None:
    mind = make_mind()
    take_memo(mind, commitments=[{**AGREED, "with_whom": "Nobody"}])
    assert mind.commitments == [Commitment("2023-02-14", "17:00", "decorating the cafe", "Cafe")]


@pytest.mark.parametrize(
    ("day", "time", "date", "clock"),
    [
        ("Friday", "", "2023-02-17", ""),
        ("14 February", "5 pm", "2023-02-14", "17:00"),
        ("", "from 5 to 7 pm", "2023-02-13", "17:00"),
    ],
)
def test_what_was_agreed_becomes_a_commitment_with_its_date(
    day: str, time: str, date: str, clock: str
) -> None:
    mind = make_mind()
    take_memo(mind, commitments=[{**AGREED, "day": day, "time": time}])
    assert mind.commitments == [Commitment(date, clock, "decorating the cafe", "Cafe", BOB)]


def test_a_promise_is_remembered_with_its_date_too_and_one_of_no_day_is_noted() -> None:
    mind = make_mind()
    vague = {**AGREED, "day": "some day", "what": "having supper"}
    take_memo(mind, commitments=[AGREED, vague])
    assert [m.text for m in memories(mind, "thought")] == [
        "For planning: Tuesday 14 February at 17:00: decorating the cafe",
        "For planning: having supper (some day)",
    ]
    assert len(mind.commitments) == 1
    (note,) = mind.services.notes.take()
    assert "some day" in note.text


TODAY = {**AGREED, "day": "today"}


@pytest.mark.parametrize(
    ("fields", "changes"),
    [
        ({"plan": "going", "changes_plan": True}, True),
        ({"plan": "going"}, False),
        ({"changes_plan": True}, False),
        ({"commitments": [TODAY]}, True),  # whatever the memo says
        ({"commitments": [AGREED]}, False),
        ({"commitments": [{**TODAY, "time": "07:00"}]}, False),
        ({"commitments": [{**TODAY, "time": ""}]}, False),
        ({"commitments": [AGREED], "changes_plan": True}, True),
    ],
)
def test_the_day_is_planned_anew_where_the_talk_changes_it(
    fields: dict[str, object], changes: bool
) -> None:
    mind = make_mind()
    follows = take_memo(mind, **fields)
    assert [query.purpose for query in follows] == ["plan.revise"] * changes
    assert all(query.data["start"] == 50 and query.data["why"] for query in follows)
    if "plan" in fields and changes:
        assert follows[0].data["why"] == "going"
    assert take_memo(mind, commitments=fields.get("commitments", [])) == []  # it is known


def test_a_memo_renews_what_the_other_is_and_a_group_is_thought_over_again() -> None:
    mind = make_mind()
    mind.ties = {BOB: Tie("a stranger", 0), CID: Tie("my uncle", 0)}
    take_memo(mind, relationship="a friend with whom I decorate")
    assert mind.ties[BOB] == Tie("a friend with whom I decorate", 50)
    take_memo(mind, (BOB, CID))
    assert [tie.stale for tie in mind.ties.values()] == [True, True]


def test_the_memo_sees_what_was_promised_and_said_before_one_came() -> None:
    mind = make_mind()
    mind.commitments = [Commitment("2023-02-14", "17:00", "a party", "Cafe", BOB)]
    dialogue = Dialogue(1, 0, [BOB], [DialogueLine(BOB, "A party!", 7)])
    dialogue.before = [DialogueLine(BOB, "I am tired.", 6)]
    data = memo.make_data(mind, dialogue)
    asked = wait_for(memo.HANDLER.prepare(mind, data, moment(mind, NOW)))
    assert isinstance(asked, PreparedQuery)
    for line in (
        '["promised", "Tuesday 14 February 17:00", "a party, at Cafe, with Bob Birch"]',
        '["Bob Birch", "said before you came", "I am tired."]',
    ):
        assert line in asked.messages[-1].content


def test_a_tie_is_asked_for_where_there_is_none_and_kept_from_talk_to_talk() -> None:
    mind = make_mind()
    assert list_unknown(mind, Dialogue(1, 0, [BOB, CID])) == [BOB, CID]
    mind.ties = {BOB: Tie("a friend", 0), CID: Tie("", 50)}
    assert list_unknown(mind, Dialogue(1, 0, [BOB, CID])) == []  # without a reply not twice in one
    assert list_unknown(mind, Dialogue(2, 900, [BOB, CID])) == [CID]


def test_a_tie_is_thought_over_where_it_is_stale_or_something_that_matters_was_learned() -> None:
    mind = make_mind()
    mind.tick = 200
    mind.ties = {BOB: Tie("a friend", 100)}
    later = Dialogue(2, 900, [BOB])
    mind.stream.add("event", "Bob Birch is reading", created=500, importance=2.0, events=(1,))
    assert list_unknown(mind, later) == []
    mind.stream.add("event", "Bob Birch has lied to me", created=600, importance=8.0, events=(2,))
    assert list_unknown(mind, later) == [BOB]
    mind.ties = {BOB: Tie("a friend", 700, stale=True)}
    assert list_unknown(mind, later) == [BOB]


def test_a_tie_is_shown_with_the_latest_talk_and_what_is_promised() -> None:
    mind = make_mind(who=profile(relationships={BOB: "my neighbour"}))
    assert format_tie(mind, BOB, 900) == [["about Bob Birch", "my neighbour"]]
    for created, text in ((0, "tea"), (600, "coffee")):
        about = ("Ann Ash", "talked with", f"{CID} and {BOB}")
        mind.stream.add(
            "chat", f"Talked with {BOB}: {text}", created=created, about=about, events=(3,)
        )
    mind.ties = {BOB: Tie("a friend", 600)}
    mind.commitments = [
        Commitment("2023-02-14", "17:00", "a party", "Cafe", "Bob"),
        Commitment("2023-02-14", "18:00", "a walk", "Park", CID),
    ]
    talk = find_latest_talk(mind, BOB, 900)
    assert talk is not None
    assert talk.text.endswith("coffee")
    assert format_tie(mind, BOB, 900) == [
        ["about Bob Birch", "a friend"],
        ["latest talk with Bob Birch", "Mon 13 Feb 08:10", f"Talked with {BOB}: coffee"],
        ["promised", "Tuesday 14 February 17:00", "a party, at Cafe, with Bob"],
    ]
