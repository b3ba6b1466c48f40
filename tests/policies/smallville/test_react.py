import json
from datetime import time

import pytest

from genagents_env.actions import Talk
from genagents_env.cognition.query import Query, QueryReply
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation
from genagents_env.policies.smallville import dialogue, react
from genagents_env.policies.smallville.mind import (
    Day,
    Dialogue,
    Piece,
    SmallvilleActivity,
    SmallvilleMind,
)
from tests.policies.harness import (
    by_fields,
    endpoint_of,
    fields_of,
    is_golden,
    list_first_fields,
    list_requests,
    moment,
    think,
    transcript,
)
from tests.policies.percepts import START, Moment, body, person, profile, wait_for
from tests.policies.smallville.minds import live, make_mind, make_observation

BOB, CID = "Bob Birch", "Cid Cedar"
READING = make_observation(BOB, f"{BOB} is reading")
BURNING = make_observation("Cafe/stove", "the stove is burning", "object")
SEEN = Moment(tick=5, people=(person(BOB),))  # Ann may begin
LATE = Moment(tick=20, people=(person(BOB),))  # the same where deciding takes three ticks
TALK = f"talk to {BOB}"


def make_decision_rule(choice: str, what: str = "", minutes: int = 10) -> Rule:
    """Return a rule that decides this, and says hello where words are asked for."""
    return by_fields(
        {
            "choice": {"choice": choice, "what": what, "minutes": minutes},
            "relationship": {"relationship": "a good friend"},
            "say": {"say": "Hello, Bob.", "end": False},
        }
    )


def decisions(mind: SmallvilleMind) -> int:
    return sum("choice" in fields_of(request) for request in list_requests(mind))


def list_follow_ups(choice: str, what: str = "") -> list[Query]:
    """Return the thoughts that follow from a decision."""
    mind, value = make_mind(), react.Reaction(choice=choice, what=what, minutes=10)
    seen = {"kind": "person", "subject": BOB, "text": READING.text}
    reply = QueryReply(value, False, "react.decide #0 at tick 0", seen)
    take = react.HANDLERS["react.decide"].apply
    return list(wait_for(take(mind, moment(mind, SEEN), reply)))


def test_going_on_changes_nothing_but_that_it_was_considered() -> None:
    mind = make_mind(make_decision_rule("go on"))
    before = mind.state()
    assert live(mind, SEEN, [READING]) is None
    assert decisions(mind) == 1
    assert mind.attention.considered == {BOB: 0}
    mind.attention.considered, mind.counted, mind.numbers = {}, -1, {}
    assert mind.state() == before


def test_talking_opens_a_conversation_and_says_the_first_words_at_once() -> None:
    mind = make_mind(make_decision_rule(TALK))
    action = live(mind, SEEN, [READING])
    assert isinstance(action, Talk)
    assert (action.to, action.text, action.leave) == (BOB, "Hello, Bob.", False)
    assert list_first_fields(mind) == ["choice", "relationship", "say"]
    assert mind.activity.text == ""


def test_waiting_is_an_activity_of_some_minutes_and_the_rest_is_planned_anew() -> None:
    mind = make_mind(make_decision_rule("wait", minutes=5))
    assert live(mind, SEEN, [READING]) is None
    activity = mind.activity
    assert (activity.kind, activity.text, activity.until) == ("wait", "waiting", 300)
    assert (activity.reaction, activity.arrived, activity.place) == (True, True, "Cafe")
    assert list_follow_ups("wait") == [
        Query("plan.revise", {"start": 600, "why": f"waiting: {READING.text}"})
    ]


def test_something_else_is_grounded_and_the_rest_is_planned_anew() -> None:
    assert list_follow_ups("something else", "putting out the fire") == [
        Query("ground.one", {"text": "putting out the fire", "minutes": 10}),
        Query("plan.revise", {"start": 600, "why": f"putting out the fire ({READING.text})"}),
    ]
    assert list_follow_ups("something else") == []  # without words one goes on
    mind = make_mind(make_decision_rule("something else", "putting out the fire"))
    live(mind, SEEN, [BURNING])
    assert mind.activity.text == "putting out the fire"
    assert mind.activity.reaction


def test_no_choice_is_always_the_first() -> None:
    mind = make_mind(make_decision_rule("go on"), react_again_minutes=1)
    for minute in range(40):
        live(mind, SEEN.later(60 * minute), [READING])
    schemas = [json.loads(json.dumps(request.schema)) for request in list_requests(mind)]
    orders = [tuple(schema["properties"]["choice"]["enum"]) for schema in schemas]
    assert {order[0] for order in orders} == {"go on", TALK, "wait", "something else"}
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}


def test_the_first_person_whom_one_may_talk_to_is_considered_then_an_object() -> None:
    mind = make_mind(make_decision_rule("go on"))
    mind.attention.talked = {BOB: -100}
    asleep = make_observation("Dan Dale", "Dan Dale is asleep", asleep=True)
    live(mind, SEEN, [BURNING, READING, asleep, make_observation(CID, f"{CID} is singing")])
    assert list(mind.attention.considered) == [CID]
    live(mind, SEEN.later(), [BURNING])
    assert list(mind.attention.considered) == [CID, BURNING.text]


def silent() -> dict[str, tuple[SmallvilleMind, Moment]]:
    """Return minds with a moment at which seeing somebody costs no call."""
    talking, talked, waiting, abed, planned, considered = (make_mind() for _ in range(6))
    talking.dialogue = Dialogue(-1, 0, [CID])
    talked.attention.talked = {BOB: -7990}
    waiting.activity = SmallvilleActivity(kind="wait", until=100, reaction=True)
    abed.activity = SmallvilleActivity(kind="sleep")
    planned.day = Day(date="2023-02-13", wake=3600, bed=50_000)
    several = Conversation(1, ("Ann Ash", CID), None, True, 8)
    considered.attention.considered = {BOB: -3590}
    deciding = make_mind(make_decision_rule(TALK), latency_ticks={"react": 5})
    dancing = make_decision_rule("something else", "dancing")
    grounding = make_mind(dancing, latency_ticks={"ground": 5})
    for mind in (deciding, grounding):
        live(mind, SEEN, [make_observation(CID, f"{CID} is singing")])
    return {
        "asleep": (make_mind(), Moment(me=body(asleep=True))),
        "about to talk": (talking, SEEN),
        "deciding": (deciding, SEEN.later()),
        "grounding": (grounding, SEEN.later()),
        "talked lately": (talked, SEEN),
        "reacting": (waiting, SEEN),
        "going to bed": (abed, SEEN),
        "not yet up": (planned, SEEN),
        "considered lately": (considered, SEEN),
        "late": (make_mind(), Moment(time=START.replace(hour=23))),
        "after midnight": (make_mind(), Moment(time=START.replace(hour=0, minute=30))),
        "no reaction": (make_mind(reaction=False), SEEN),
        "no conversation": (make_mind(conversation=False), SEEN),
        "talking": (make_mind(), Moment(conversation=several)),
    }


@pytest.mark.parametrize("why", list(silent()))
def test_nothing_is_asked_where_one_could_not_act_on_it(why: str) -> None:
    mind, percept = silent()[why]
    assert not react.make_queries(mind, moment(mind, percept), [READING])


def test_one_and_the_same_is_considered_again_after_an_hour() -> None:
    mind = make_mind(make_decision_rule("go on"))
    for minute in range(121):
        live(mind, SEEN.later(60 * minute), [READING])
    assert decisions(mind) == 3


@pytest.mark.parametrize("change", ["asleep", "drawn in", "about to talk", "late", "talked"])
def test_a_decision_that_comes_too_late_has_no_effect(change: str) -> None:
    mind = make_mind(make_decision_rule(TALK), latency_ticks={"react": 3})
    live(mind, LATE, [READING])
    assert mind.is_busy("react.")
    later = LATE.later(30)
    if change == "asleep":
        later = later.later(0, me=body(asleep=True))
    elif change == "drawn in":
        later = later.later(0, conversation=Conversation(4, ("Ann Ash", CID), None, False, 8))
    elif change == "about to talk":
        dialogue.begin(mind, CID, moment(mind, SEEN))
    elif change == "late":
        mind.profile = profile(wake=time(9))
    else:
        mind.attention.talked = {BOB: 20}
    think(mind, [], later)
    assert not mind.pending
    assert mind.dialogue is None or mind.dialogue.others == [CID]
    assert all(fields_of(request)[0] == "choice" for request in list_requests(mind))


def test_an_unusable_reply_is_going_on() -> None:
    mind = make_mind(always_invalid)
    assert live(mind, SEEN, [READING, BURNING]) is None
    assert (mind.dialogue, mind.activity) == (None, SmallvilleActivity())
    assert mind.services.model.ledger.totals().fallbacks == 1


def test_golden_transcript() -> None:
    mind = make_mind(make_decision_rule("wait", minutes=5))
    mind.stream.add("event", "the stove smells odd", created=-60, events=(3,))
    mind.day.pieces = [Piece(600, 1200, "wiping the counter")]
    mind.activity.text = "serving coffee"
    live(mind, SEEN, [BURNING])
    until = mind.services.to_time(mind.activity.until)
    effect = f"{mind.activity.text} at {mind.activity.place} until {until:%H:%M}"
    assert is_golden(
        "react.txt", transcript(list_requests(mind)[:1], endpoint_of(mind).rule, [effect])
    )
