"""What stays of a conversation: memories, ties, promises, and what prompts say of them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from genagents_env.cognition.query import Query, QueryReply
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.memory.stream import Memory
from genagents_env.percept import Conversation
from genagents_env.policies.smallville import memo
from genagents_env.policies.smallville.agenda import add_commitment
from genagents_env.policies.smallville.dates import read_clock, read_date
from genagents_env.policies.smallville.memo import Memo, list_unknown
from genagents_env.policies.smallville.mind import (
    Commitment,
    Dialogue,
    DialogueLine,
    SmallvilleMind,
    Tie,
)
from tests.policies.harness import by_fields, moment
from tests.policies.percepts import Moment, Value, body, speech, wait_for
from tests.policies.smallville.minds import GOOD, live, make_mind

ANN, BOB, CID = "Ann Ash", "Bob Birch", "Cid Cedar"
TALK = Conversation(1, (ANN, BOB), None, True, 8)


def make_memo_rule(plan: str = "") -> Rule:
    """Return a rule that answers once and notes this."""
    memo = {**GOOD, "plan": plan}
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


def test_a_talk_becomes_a_memory_and_what_one_means_to_do_a_thought_that_rests_on_it() -> None:
    mind = make_mind_after_talk(make_memo_rule("going to the party"))
    (chat,), (thought,) = memories(mind, "chat"), memories(mind, "thought")
    assert chat.text == "Talked with Bob Birch: there is a party"
    assert (chat.events, chat.about) == ((7, 7), (ANN, "talked with", BOB))
    assert (chat.importance, chat.place) == (7, "Cafe")
    assert chat.cause == "converse.memo #0 at tick 3"
    assert (mind.attention.importance, mind.attention.talked) == (7, {BOB: 30})
    assert mind.dialogue is None
    assert thought.text == "For planning: going to the party"
    assert (thought.evidence, mind.stream.sources([thought.id])) == ((chat.id,), (7,))
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


@pytest.mark.parametrize(
    ("changes", "date", "clock", "whom"),
    [
        ({"day": "Friday", "time": ""}, "2023-02-17", "", BOB),
        ({"day": "", "time": "from 5 to 7 pm"}, "2023-02-13", "17:00", BOB),
        ({"with_whom": "Nobody"}, "2023-02-14", "17:00", ""),
    ],
)
def test_what_was_agreed_becomes_a_commitment_with_its_date(
    changes: dict[str, Value], date: str, clock: str, whom: str
) -> None:
    mind = make_mind()
    take_memo(mind, commitments=[{**AGREED, **changes}])
    assert mind.commitments == [Commitment(date, clock, "decorating the cafe", "Cafe", whom)]


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
    fields: dict[str, Value], changes: bool
) -> None:
    mind = make_mind()
    follows = take_memo(mind, **fields)
    assert [query.purpose for query in follows] == ["plan.revise"] * changes
    assert all(query.data["start"] == 50 and query.data["why"] for query in follows)
    if "plan" in fields and changes:
        assert follows[0].data["why"] == "going"
    assert take_memo(mind, commitments=fields.get("commitments", [])) == []  # it is known


def test_a_tie_is_asked_for_once_in_a_talk_and_again_where_it_is_stale_or_more_was_learned() -> (
    None
):
    mind = make_mind()
    assert list_unknown(mind, Dialogue(1, 0, [BOB, CID])) == [BOB, CID]
    mind.ties = {BOB: Tie("a stranger", 0), CID: Tie("", 50)}
    assert list_unknown(mind, Dialogue(1, 0, [BOB, CID])) == []  # without a reply not twice in one
    assert list_unknown(mind, Dialogue(2, 900, [BOB, CID])) == [CID]
    take_memo(mind, relationship="a friend with whom I decorate")
    assert mind.ties[BOB] == Tie("a friend with whom I decorate", 50)
    mind.tick, later = 200, Dialogue(2, 900, [BOB])
    mind.stream.add("event", "Bob Birch is reading", created=500, importance=2.0, events=(1,))
    assert list_unknown(mind, later) == []
    mind.stream.add("event", "Bob Birch has lied to me", created=600, importance=8.0, events=(2,))
    assert list_unknown(mind, later) == [BOB]
    mind.ties[BOB] = Tie("a friend", 700)
    take_memo(mind, (BOB, CID))  # a group
    assert [tie.stale for tie in mind.ties.values()] == [True, True]
    assert list_unknown(mind, later) == [BOB]


HANG = Commitment("2023-02-13", "17:00", "hanging paper hearts", "Hobbs Cafe", "Maria Lopez")
PARTY = Commitment("2023-02-14", "17:00", "going to the party", "Hobbs Cafe")


MOTHER = Commitment("2023-02-13", "", "calling my mother")
CAKE = replace(HANG, what="baking a cake", where="")
HEARTS = replace(HANG, what="hanging paper hearts for the party", with_whom="Klaus Mueller")
BOTH = replace(HEARTS, with_whom="Maria Lopez and Klaus Mueller")


@pytest.mark.parametrize(
    ("kept", "agreed", "new", "then"),
    [
        pytest.param([PARTY], HANG, True, [HANG, PARTY], id="in order"),
        pytest.param([HANG, PARTY], CAKE, False, [CAKE, PARTY], id="the last of a moment holds"),
        pytest.param([HANG], HEARTS, False, [BOTH], id="one thing with two people"),
        pytest.param([BOTH], HANG, False, [replace(BOTH, what=HANG.what)], id="said again"),
        pytest.param([HANG], MOTHER, True, None, id="two things of one day"),
        pytest.param([replace(HANG, time="")], MOTHER, True, None, id="both of no hour"),
    ],
)
def test_what_is_agreed_joins_what_was(
    kept: list[Commitment], agreed: Commitment, new: bool, then: list[Commitment] | None
) -> None:
    known = list(kept)
    assert add_commitment(known, agreed) is new
    assert len(known) == len(kept) + new
    assert then is None or known == then


MONDAY, YEARS_END = date(2023, 2, 13), date(2023, 12, 30)
DAYS = {
    "2023-02-13": ("today", "tonight", "Monday"),
    "2023-02-14": ("Tomorrow afternoon", "Tuesday", "14 February", "February 14th", "the 14th"),
    "2023-02-15": ("the day after tomorrow", "in two days"),
    "2023-02-20": ("next Monday", "in a week"),
    "2023-03-02": ("the 2nd", "2023-03-02"),
    "": ("", "some day", "30 February", "2023-13-01"),
}
CLOCKS = {
    "17:00": ("17:00", "5 pm", "from 5 to 7 pm", "at five"),
    "17:30": ("5:30 p.m.",),
    "08:00": ("8",),
    "20:00": ("8 in the evening",),
    "05:00": ("05:00",),
    "00:00": ("12 am",),
    "12:00": ("noon",),
    "": ("in the afternoon", "25:00", ""),
}


def test_days_and_clocks_are_read_as_people_say_them() -> None:
    for day, several in DAYS.items():
        found = {words: read_date(words, MONDAY) for words in several}
        assert found == dict.fromkeys(several, date.fromisoformat(day) if day else None)
    assert read_date("2 January", YEARS_END) == date(2024, 1, 2)  # long past: of next year
    for clock, several in CLOCKS.items():
        assert {words: read_clock(words) for words in several} == dict.fromkeys(several, clock)
