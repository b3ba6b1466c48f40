"""What is done about what is noticed, what is considered of it, and when."""

import json
from dataclasses import replace
from datetime import time

import pytest

from genagents_env.actions import Talk
from genagents_env.cognition.query import Query, QueryReply
from genagents_env.llm.scripted import Rule
from genagents_env.percept import Conversation, HeardWords
from genagents_env.policies.smallville import react
from genagents_env.policies.smallville.mind import (
    Attention,
    BelievedObject,
    Day,
    Dialogue,
    Focus,
    Piece,
    SmallvilleActivity,
    SmallvilleMind,
    TemporaryUse,
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
from tests.policies.percepts import (
    START,
    Moment,
    Value,
    body,
    person,
    profile,
    speech,
    thing,
    wait_for,
)
from tests.policies.smallville.minds import live, make_mind, make_observation

ANN, BOB, CID = "Ann Ash", "Bob Birch", "Cid Cedar"
READING = make_observation(BOB, f"{BOB} is reading")
BURNING = make_observation("Cafe/stove", "the stove is burning", "object")
SEEN = Moment(tick=5, people=(person(BOB),))  # Ann may begin
LATE = Moment(tick=20, people=(person(BOB),))  # the same where deciding takes three ticks
TALK_TO = f"talk to {BOB}"


def make_decision_rule(choice: str, what: str = "", minutes: int = 10) -> Rule:
    """Return a rule that decides this, and says hello where words are asked for."""
    return by_fields(
        {
            "choice": {"choice": choice, "what": what, "minutes": minutes},
            "relationship": {"relationship": "a good friend"},
            "say": {"say": "Hello, Bob.", "end": False},
        }
    )


def list_follow_ups(choice: str, what: str = "") -> list[Query]:
    """Return the thoughts that follow from a decision."""
    mind, value = make_mind(), react.Reaction(choice=choice, what=what, minutes=10)
    seen = {"kind": "person", "subject": BOB, "text": READING.text}
    reply = QueryReply(value, False, "react.decide #0 at tick 0", seen)
    take = react.HANDLERS["react.decide"].apply
    return list(wait_for(take(mind, moment(mind, SEEN), reply)))


def test_talking_opens_a_conversation_and_says_the_first_words_at_once() -> None:
    mind = make_mind(make_decision_rule(TALK_TO))
    action = live(mind, SEEN, [READING])
    assert isinstance(action, Talk)
    assert (action.to, action.text, action.leave) == (BOB, "Hello, Bob.", False)
    assert list_first_fields(mind) == ["choice", "relationship", "say"]
    assert mind.activity.text == ""


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
    assert {order[0] for order in orders} == {"go on", TALK_TO, "wait", "something else"}
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}


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
    deciding = make_mind(make_decision_rule(TALK_TO), latency_ticks={"react": 5})
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


DRAWN_IN = Conversation(4, ("Ann Ash", CID), None, False, 8)


@pytest.mark.parametrize(
    ("seen", "changes", "choice"),
    [
        pytest.param({"me": body(asleep=True)}, {}, TALK_TO, id="asleep"),
        pytest.param({"conversation": DRAWN_IN}, {}, TALK_TO, id="drawn in"),
        pytest.param({"me": body(asleep=True)}, {}, "wait", id="asleep, to wait"),
        pytest.param({"conversation": DRAWN_IN}, {}, "wait", id="drawn in, to wait"),
        pytest.param({}, {"dialogue": Dialogue(-1, 0, [CID])}, TALK_TO, id="about to talk"),
        pytest.param({}, {"profile": profile(wake=time(9))}, TALK_TO, id="late"),
        pytest.param({}, {"attention": Attention(talked={BOB: 20})}, TALK_TO, id="talked"),
    ],
)
def test_a_decision_that_comes_too_late_has_no_effect(
    seen: dict[str, Value], changes: dict[str, Value], choice: str
) -> None:
    mind = make_mind(make_decision_rule(choice), latency_ticks={"react": 3})
    live(mind, LATE, [READING])
    assert mind.is_busy("react.")
    for name, value in changes.items():
        setattr(mind, name, value)
    think(mind, [], LATE.later(30, **seen))
    assert not mind.pending
    assert mind.dialogue is None or mind.dialogue.others == [CID]
    assert mind.activity.kind != "wait"
    assert all(fields_of(request)[0] == "choice" for request in list_requests(mind))


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


# What is considered of all that is noticed, and when.


TALK = Conversation(1, (ANN, BOB), None, True, 8)


def make_deciding_mind(choice: str = "go on", what: str = "") -> SmallvilleMind:
    """Return a mind that always decides this."""
    rule = by_fields(
        {
            "choice": {"choice": choice, "what": what, "minutes": 5},
            "relationship": {"relationship": "a friend"},
            "say": {"say": "Hello.", "end": False},
        }
    )
    return make_mind(rule, who=profile(phone=True, relationships={CID: "my uncle"}))


def list_decisions(mind: SmallvilleMind) -> list[str]:
    """Return the prompts in which the mind was asked what to do."""
    asked = [r for r in list_requests(mind) if fields_of(r)[0] == "choice"]
    return [request.messages[-1].content for request in asked]


def announce(kind: Value, text: str, event: int = 9) -> HeardWords:
    return HeardWords(kind, None, text, True, False, (), event)


FIRE = announce("news", "Fire! Leave at once.")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (announce("news", "Go home."), '["you hear the news", "Go home."]'),
        (announce("thought", "Go home."), '["a thought comes to you", "Go home."]'),
        (announce("notice", "Go home."), '["you notice", "Go home."]'),
        (speech(CID, "Help!"), 'Cid Cedar calls out: \\"Help!\\"'),
        (speech(BOB, "I must go."), ""),  # a farewell
    ],
)
def test_what_is_announced_whispered_noted_or_called_out_is_considered(
    words: HeardWords, shown: str
) -> None:
    mind = make_deciding_mind()
    mind.dialogue = None if shown else Dialogue(1, 0, [BOB])
    live(mind, Moment(heard=(words,)))
    assert [shown in asked for asked in list_decisions(mind)] == [True] * bool(shown)


def test_news_is_considered_in_a_talk_too_and_one_may_leave_for_it() -> None:
    mind = make_deciding_mind("something else", "leaving for home")
    mind.dialogue = Dialogue(1, 0, [BOB])
    now = Moment(conversation=TALK, heard=(FIRE,), people=(person(BOB),))
    assert live(mind, now) == Talk(None, "", leave=True)
    assert "You are talking with Bob Birch" in list_decisions(mind)[0]
    assert "talk to" not in list_decisions(mind)[0]
    assert mind.activity.text == "leaving for home"
    live(mind, now.later(10, conversation=None))
    assert mind.dialogue is None


def test_what_calls_for_nothing_is_not_considered() -> None:
    def count(state: str, rest: str = "off", **fields: Value) -> int:
        mind = make_deciding_mind()
        mind.objects["Cafe/stove"] = BelievedObject("stove", state, 0, rest)
        for name, value in fields.items():
            setattr(mind, name, value)
        seen = thing("Cafe/stove", state, ())
        at = Moment(objects=(seen,), people=(replace(person(CID), tile=seen.tile),))
        live(mind, at, [make_observation(seen.id, f"the stove is {state}", "object")])
        return len(list_decisions(mind))

    assert count("burning") == 1
    assert count("off") == 0  # as it was found
    focus = Focus("object", "Cafe/stove", "the stove is smoking", 0)
    assert count("off", attention=Attention(focus=focus)) == 0  # by the time one is free
    for state in ("taken", "in use", "being served at", "free"):
        assert count(state) == 0
    assert count("burning", uses={"Cafe/stove": TemporaryUse("off", "on")}) == 0
    assert count("burning", activity=SmallvilleActivity(object="Cafe/stove", until=900)) == 0
    again = Attention(considered={"the stove is on": -9999})
    assert count("on", attention=again) == 0  # Cid stands beside it, as before


@pytest.mark.parametrize(
    ("doing", "phone", "calls"),
    [
        ("calling Cid about the party", True, True),
        ("calling the doctor", True, False),
        ("calling Cid about the party", False, False),
    ],
)
def test_a_plan_to_call_somebody_becomes_one_call(doing: str, phone: bool, calls: bool) -> None:
    mind = make_deciding_mind()
    mind.profile = replace(mind.profile, phone=phone)
    mind.activity = SmallvilleActivity(text=doing, until=900)
    call = Talk(CID, "Hello.", doing=f"talking with {CID}", emoji="💬")
    assert live(mind, Moment()) == (call if calls else None)
    mind.dialogue, mind.attention.talked = None, {}
    assert live(mind, Moment().later(10)) is None
