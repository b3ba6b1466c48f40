"""What is considered of all that is noticed, and when."""

import json
from dataclasses import replace

import pytest

from genagents_env.actions import Idle, Talk
from genagents_env.percept import Conversation, HeardWords
from genagents_env.policies.smallville.mind import (
    Attention,
    BelievedObject,
    Dialogue,
    Focus,
    SmallvilleActivity,
    SmallvilleMind,
    TemporaryUse,
)
from tests.policies.harness import by_fields, fields_of, list_first_fields, list_requests
from tests.policies.percepts import Moment, Value, person, profile, speech, thing
from tests.policies.smallville.minds import live, make_mind, make_observation

ANN, BOB, CID = "Ann Ash", "Bob Birch", "Cid Cedar"
FIRE = HeardWords("news", None, "Fire! Leave at once.", False, False, (), 9)
SEEN = Moment(tick=5, people=(person(BOB),))
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


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        ("news", "you hear the news"),
        ("thought", "a thought comes to you"),
        ("notice", "you notice"),
    ],
)
def test_what_is_announced_whispered_or_noted_is_considered(kind: str, head: str) -> None:
    mind = make_deciding_mind()
    words = HeardWords(kind, None, "Go home.", True, False, (), 9)  # type: ignore[arg-type]
    live(mind, Moment(heard=(words,)))
    (asked,) = list_decisions(mind)
    assert f'["{head}", "Go home."]' in asked


def test_what_is_called_out_to_all_is_considered_and_a_farewell_is_not() -> None:
    mind = make_deciding_mind()
    live(mind, Moment(heard=(speech(CID, "Help!"),)))
    assert 'Cid Cedar calls out: \\"Help!\\"' in list_decisions(mind)[0]
    mind = make_deciding_mind()
    mind.dialogue = Dialogue(1, 0, [BOB])
    live(mind, Moment(heard=(speech(BOB, "I must go."),)))
    assert not list_decisions(mind)


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


def test_one_who_goes_on_talking_hears_the_news_in_the_talk() -> None:
    mind = make_deciding_mind()
    mind.dialogue = Dialogue(1, 0, [BOB])
    heard = (FIRE, speech(BOB, "Did you hear that?"))
    now = Moment(conversation=TALK, heard=heard, people=(person(BOB),))
    assert live(mind, now) == Idle("talking with Bob Birch", "💬")
    live(mind, now.later(10))
    words = next(r for r in list_requests(mind) if fields_of(r)[0] == "say")
    assert '["all heard", "Fire! Leave at once."]' in words.messages[-1].content


def test_several_announcements_are_considered_one_after_the_other_even_in_a_reaction() -> None:
    mind = make_deciding_mind()
    mind.activity = SmallvilleActivity(kind="wait", until=500, reaction=True)
    live(mind, Moment(heard=(FIRE, HeardWords("news", None, "Rain.", False, False, (), 10))))
    live(mind, Moment().later(10))
    live(mind, Moment().later(20))
    assert ["Fire!" in asked for asked in list_decisions(mind)] == [True, False]


def test_a_second_change_of_a_thing_is_considered_the_same_one_is_not() -> None:
    mind = make_deciding_mind()
    for k, state in enumerate(("smoking", "smoking", "burning")):
        seen = make_observation("Cafe/stove", f"the stove is {state}", "object")
        live(mind, Moment().later(60 * k), [seen])
    assert ["burning" in asked for asked in list_decisions(mind)] == [False, True]


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


@pytest.mark.parametrize("doing", ["walking up to", "turning to", "talking with"])
def test_one_who_comes_to_talk_is_answered_in_the_talk(doing: str) -> None:
    mind = make_deciding_mind()
    coming = person(BOB, doing=f"{doing} {ANN}")
    live(
        mind, Moment(tick=5, people=(coming,)), [make_observation(BOB, f"{BOB} is {coming.doing}")]
    )
    assert mind.attention.focus is None
    assert not list_decisions(mind)


def test_being_served_is_considered_although_the_one_who_serves_was_just_now() -> None:
    mind = make_deciding_mind()
    mind.attention.considered = {BOB: 0}
    mind.attention.talked = {BOB: 0}
    live(mind, SEEN, [make_observation(BOB, f"{BOB} is reading")])
    assert not list_decisions(mind)
    live(mind, SEEN.later(10), [make_observation(BOB, f"{BOB} is serving Ann her coffee")])
    assert len(list_decisions(mind)) == 1


@pytest.mark.parametrize("stays", [True, False])
def test_a_person_is_considered_only_once_one_may_begin_to_talk_and_sees_them(stays: bool) -> None:
    mind = make_deciding_mind()
    waiting = Moment(people=(person(BOB),))  # Bob may begin at ticks 0 to 4
    live(mind, waiting, [make_observation(BOB, f"{BOB} is reading")])
    assert mind.attention.focus is not None
    later = waiting if stays else replace(waiting, people=())
    for k in range(1, 5):
        live(mind, later.later(10 * k))
    assert not list_decisions(mind)
    live(mind, later.later(50))
    assert len(list_decisions(mind)) == stays
    assert mind.attention.focus is None


def test_where_there_are_telephones_one_may_call_whom_one_knows_and_does_not_see() -> None:
    mind = make_deciding_mind(f"call {CID}", "the fire")
    live(mind, Moment(heard=(FIRE,)))
    action = live(mind, Moment().later(10))
    assert f'"call {CID}"' in list_decisions(mind)[0]
    assert action == Talk(CID, "Hello.", doing=f"talking with {CID}", emoji="💬")
    words = list_requests(mind)[-1].messages[-1].content
    assert f"You are on the telephone with {CID}." in words
    assert '["you wanted to talk about", "the fire"]' in words
    for people, phone in (((person(CID),), True), ((), False)):
        here = make_deciding_mind()
        here.profile = replace(here.profile, phone=phone)
        live(here, Moment(heard=(FIRE,), people=people))
        assert "call" not in json.dumps(list_requests(here)[0].schema)


def test_a_plan_to_call_somebody_becomes_one_call() -> None:
    mind, nobody, offline = (make_deciding_mind() for _ in range(3))
    mind.activity = SmallvilleActivity(text="calling Cid about the party", until=900)
    action = live(mind, Moment())
    assert action == Talk(CID, "Hello.", doing=f"talking with {CID}", emoji="💬")
    mind.dialogue, mind.attention.talked = None, {}
    assert live(mind, Moment().later(10)) is None
    nobody.activity = SmallvilleActivity(text="calling the doctor", until=900)
    assert live(nobody, Moment()) is None
    offline.activity = SmallvilleActivity(text="calling Cid about the party", until=900)
    offline.profile = replace(offline.profile, phone=False)
    assert live(offline, Moment()) is None


def test_with_a_summary_of_context_one_more_call_takes_the_place_of_the_memories() -> None:
    rule = by_fields(
        {
            "choice": {"choice": f"talk to {BOB}", "what": "coffee", "minutes": 0},
            "summary": {"summary": "Bob is out of coffee."},
        }
    )
    mind = make_mind(rule, context="summary")
    mind.stream.add("event", "Bob drinks tea", created=0, events=(1,))
    assert live(mind, SEEN, [make_observation(BOB, f"{BOB} is reading")]) != Idle()
    asked = list_first_fields(mind)
    assert asked == ["summary", "choice", "relationship", "summary", "say"]
    for number in (1, 4):
        prompt = list_requests(mind)[number].messages[-1].content
        assert '["you remember", "Bob is out of coffee."]' in prompt
        assert "Bob drinks tea" not in prompt
