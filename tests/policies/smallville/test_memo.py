"""What stays of a conversation: memories, ties, promises, and what prompts say of them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import pytest

from genagents_env.cognition.query import PreparedQuery, Query, QueryReply
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.memory.stream import Memory
from genagents_env.percept import Conversation
from genagents_env.policies.smallville import memo
from genagents_env.policies.smallville.agenda import (
    add_commitment,
    describe_commitments,
    describe_under_way,
    describe_upcoming,
    format_commitment,
    has_begun_with,
    is_walk,
    list_ahead,
)
from genagents_env.policies.smallville.dates import read_clock, read_date
from genagents_env.policies.smallville.memo import (
    Memo,
    format_tie,
    format_ties,
    list_unknown,
)
from genagents_env.policies.smallville.mind import (
    Commitment,
    Dialogue,
    DialogueLine,
    Piece,
    SmallvilleActivity,
    SmallvilleMind,
    Tie,
)
from tests.policies.harness import by_fields, moment
from tests.policies.percepts import STANDING, Moment, Value, body, profile, speech, wait_for
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
    fields: dict[str, Value], changes: bool
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
    about = ("Ann Ash", "talked with", f"{CID} and {BOB}")
    for created, text in ((0, "tea"), (600, "coffee")):
        words = f"Talked with {BOB}: {text}"
        mind.stream.add("chat", words, created=created, about=about, events=(3,))
    mind.ties = {BOB: Tie("a friend", 600)}
    mind.commitments = [
        Commitment("2023-02-14", "17:00", "a party", "Cafe", "Bob"),
        Commitment("2023-02-14", "18:00", "a walk", "Park", CID),
        Commitment("2023-02-13", "08:00", "tea", "Cafe", "Bob"),
    ]
    tie = [
        ["about Bob Birch", "a friend"],
        ["latest talk with Bob Birch", "Mon 13 Feb 08:10", f"Talked with {BOB}: coffee"],
        ["promised", "Tuesday 14 February 17:00", "a party, at Cafe, with Bob"],
    ]
    assert format_tie(mind, BOB, 3610) == tie  # an hour after tea that is past
    assert ["promised", "Monday 13 February 08:00", "tea, at Cafe, with Bob"] in format_tie(
        mind, BOB, 3600
    )


# What prompts of planning say of what is done now and promised; what words mean.


WALK = Piece(0, 300, "walking to the park", "Park")


def list_lines(mind: SmallvilleMind, percept: Moment, start: int = 3600) -> list[object]:
    return list(describe_under_way(mind, moment(mind, percept), start).lines)


def test_what_begins_at_this_very_moment_is_under_way() -> None:
    mind = make_mind()
    mind.activity = SmallvilleActivity(text="serving coffee", place="Cafe", until=0)  # just over
    mind.day.pieces = [WALK, Piece(300, 900, "feeding ducks", "Park")]
    assert list_lines(mind, Moment()) == [
        ["under way", "until 08:05", "walking to the park, at Park (still on the way there)"],
        ["then", "08:05 to 08:15", "feeding ducks, at Park"],
    ]
    there = Moment(me=replace(STANDING, place="Park/lawn"))
    first = list_lines(mind, there)[0]
    assert first == ["under way", "until 08:05", "walking to the park, at Park"]


def test_a_reaction_goes_before_the_plan_and_what_goes_on_stands_where_nothing_is_planned() -> None:
    mind = make_mind()
    assert list_lines(mind, Moment()) == []
    mind.day.pieces = [Piece(0, 900, "sleeping", "Ann's house")]
    assert list_lines(mind, Moment()) == []
    mind.activity = SmallvilleActivity(text="waiting", place="Cafe", until=120, reaction=True)
    mind.day.pieces = [replace(WALK)]
    assert list_lines(mind, Moment())[0] == ["under way", "until 08:02", "waiting, at Cafe"]
    mind.day.pieces = []
    mind.activity.reaction = False
    assert list_lines(mind, Moment())[0] == ["under way", "until 08:02", "waiting, at Cafe"]


def test_a_promise_that_a_tie_shows_is_shown_once() -> None:
    mind = make_mind()
    both = Commitment("2023-02-14", "17:00", "a party", "Cafe", "Bob Birch and Cid Cedar")
    mind.commitments = [both, Commitment("2023-02-14", "20:00", "calling Dan")]
    now = moment(mind, Moment())
    tie = format_tie(mind, "Bob Birch", 0)
    assert len(tie) == 1
    assert format_ties(mind, ["Bob Birch", "Cid Cedar"], 0) == tie
    assert len(describe_commitments(mind, now).lines) == 2
    promised = describe_upcoming(mind, now, tie)[-1]
    assert [line[2] for line in promised.lines] == ["calling Dan"]  # type: ignore[index]


# What the words for an activity mean.


@pytest.mark.parametrize(
    ("text", "walk"),
    [
        ("walking home to the dorm with Klaus", True),
        ("heading back to Oak Hill College", True),
        ("going to Klaus under the garland in Hobbs Cafe with two cups", True),
        ("setting out for Johnson Park", True),
        ("going to the Willows Market and Pharmacy", True),
        ("going to Maria at the piano of Hobbs Cafe to tell her", False),
        ("going to the counter and ordering a coffee", False),
        ("going to bed", False),
        ("going over the accounts", False),
    ],
)
def test_a_way_ends_on_arrival_and_what_is_done_there_does_not(text: str, walk: bool) -> None:
    assert is_walk(text) is walk


HANG = Commitment("2023-02-13", "17:00", "hanging paper hearts", "Hobbs Cafe", "Maria Lopez")
PARTY = Commitment("2023-02-14", "17:00", "going to the party", "Hobbs Cafe")


def test_what_was_said_last_of_a_moment_holds() -> None:
    kept = [PARTY]
    assert add_commitment(kept, HANG)
    later = replace(HANG, what="baking a cake", where="")
    assert not add_commitment(kept, later)
    assert kept == [later, PARTY]
    with pytest.raises(ValueError, match="tomorrow"):
        add_commitment(kept, replace(PARTY, date="tomorrow"))


def test_one_thing_agreed_with_two_people_is_one_promise_with_both() -> None:
    first = Commitment("2023-02-14", "16:30", "hanging garlands", "Hobbs Cafe", "Klaus Mueller")
    second = replace(first, what="hanging garlands for the party", with_whom="Maria Lopez")
    kept = [first]
    assert not add_commitment(kept, second)
    assert kept == [replace(second, with_whom="Klaus Mueller and Maria Lopez")]
    assert not add_commitment(kept, first)  # it was said again
    assert kept[0].with_whom == "Klaus Mueller and Maria Lopez"
    other = replace(first, what="meeting the mayor", with_whom="Sam Moore")
    assert add_commitment(kept, other)
    assert len(kept) == 2


@pytest.mark.parametrize("clock", ["", "17:00"])
def test_two_things_of_one_day_both_stay(clock: str) -> None:
    kept = [replace(HANG, time=clock)]
    assert add_commitment(kept, Commitment("2023-02-13", "", "calling my mother"))
    assert {one.what for one in kept} == {"calling my mother", HANG.what}


def test_what_is_over_for_an_hour_is_not_ahead() -> None:
    day = Commitment("2023-02-13", "", "calling my mother")
    kept = [day, HANG, PARTY]
    assert list_ahead(kept, datetime.fromisoformat("2023-02-13T17:59")) == [day, HANG, PARTY]
    assert list_ahead(kept, datetime.fromisoformat("2023-02-13T18:01")) == [day, PARTY]


def test_the_words_name_place_and_people_once() -> None:
    assert format_commitment(HANG) == "hanging paper hearts, at Hobbs Cafe, with Maria Lopez"
    told = replace(HANG, what="meeting Maria at Hobbs Cafe", with_whom="Maria")
    assert format_commitment(told) == "meeting Maria at Hobbs Cafe"


def test_what_was_agreed_with_somebody_begins_at_its_hour_and_not_again_after_a_talk() -> None:
    hang = Commitment("2023-02-14", "16:00", "hanging garlands", "Hobbs Cafe", "Maria Lopez")
    before, at, later = (datetime.fromisoformat(f"2023-02-14T{hour}:20") for hour in (15, 16, 17))
    assert has_begun_with([hang], "Maria Lopez", before, at)
    assert not has_begun_with([hang], "Klaus Mueller", before, at)
    assert not has_begun_with([hang], "Maria Lopez", at, at)
    assert not has_begun_with([hang], "Maria Lopez", before, later)
    assert not has_begun_with([replace(hang, time="")], "Maria Lopez", before, at)


# Dates and clocks.


MONDAY = date(2023, 2, 13)  # a Monday


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("today", "2023-02-13"),
        ("tonight", "2023-02-13"),
        ("Tomorrow afternoon", "2023-02-14"),
        ("the day after tomorrow", "2023-02-15"),
        ("Tuesday", "2023-02-14"),
        ("Monday", "2023-02-13"),
        ("next Monday", "2023-02-20"),
        ("14 February", "2023-02-14"),
        ("February 14th", "2023-02-14"),
        ("Tuesday 14 February 2023", "2023-02-14"),
        ("the 14th", "2023-02-14"),
        ("the 2nd", "2023-03-02"),
        ("2023-02-14", "2023-02-14"),
        ("in two days", "2023-02-15"),
        ("in a week", "2023-02-20"),
        *((words, "") for words in ("", "some day", "30 February", "2023-13-01")),
    ],
)
def test_days_are_read_as_people_say_them(words: str, day: str) -> None:
    assert read_date(words, MONDAY) == (date.fromisoformat(day) if day else None)


def test_a_date_long_past_is_one_of_next_year() -> None:
    assert read_date("2 January", date(2023, 12, 30)) == date(2024, 1, 2)


@pytest.mark.parametrize(
    ("words", "clock"),
    [
        ("17:00", "17:00"),
        ("5 pm", "17:00"),
        ("5:30 p.m.", "17:30"),
        ("from 5 to 7 pm", "17:00"),
        ("at five", "17:00"),
        ("8", "08:00"),
        ("8 in the evening", "20:00"),
        ("05:00", "05:00"),
        ("12 am", "00:00"),
        ("noon", "12:00"),
        ("in the afternoon", ""),
        ("25:00", ""),
        ("", ""),
    ],
)
def test_clocks_are_read_as_people_say_them(words: str, clock: str) -> None:
    assert read_clock(words) == clock
