import json
from collections.abc import Mapping

import pytest

from genagents_env.actions import Action, Idle, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Conversation, Result
from genagents_env.policies.smallville.mind import SmallvilleMind
from tests.policies.harness import (
    by_fields,
    endpoint_of,
    fields_of,
    is_golden,
    list_first_fields,
    list_requests,
    transcript,
)
from tests.policies.percepts import Moment, Value, person, speech
from tests.policies.smallville.minds import GOOD, dialogue_of, live, make_mind, make_observation

ANN, BOB, CID = "Ann Ash", "Bob Birch", "Cid Cedar"
GO_UP = {"choice": "talk to Bob Birch", "what": "", "minutes": 0}
FRIEND = {"relationship": "an old friend"}
MEMO = {**GOOD, "remember": "coffee is out", "importance": 4}
TALK = Conversation(1, (ANN, BOB), None, True, 8)
BUSY = "someone else was speaking"
LEAVE = Talk(None, "", leave=True)


def make_speech_rule(
    text: str = "Good morning.", end: bool = False, **others: Mapping[str, object]
) -> Rule:
    """Return a rule that always says this."""
    replies: dict[str, Mapping[str, object]] = {
        "choice": GO_UP,
        "relationship": FRIEND,
        "say": {"say": text, "end": end},
        "remember": MEMO,
    }
    return by_fields(replies | others)


def says(action: Action | None) -> str:
    return str(action.text) if isinstance(action, Talk) else ""


def make_addressed_mind(
    rule: Rule, text: str = "Hello, Ann.", **config: Value
) -> tuple[SmallvilleMind, Moment, Action | None]:
    """Return a mind to which Bob has just spoken, the moment, and what it did."""
    mind = make_mind(rule, **config)
    spoken_to = Moment(conversation=TALK, people=(person(BOB),), heard=(speech(BOB, text),))
    return mind, spoken_to, live(mind, spoken_to)


def test_one_who_is_spoken_to_answers_at_once_knowing_whom() -> None:
    mind, _, action = make_addressed_mind(make_speech_rule())
    assert action == Talk(None, "Good morning.", doing="talking with Bob Birch", emoji="💬")
    assert list_first_fields(mind) == ["relationship", "say"]
    user = list_requests(mind)[1].messages[1].content
    assert '["Bob Birch", "said", "Hello, Ann."]' in user
    assert '["about Bob Birch", "an old friend"]' in user


def test_after_speaking_the_agent_waits_and_the_relationship_is_asked_for_once() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule())
    for k in range(1, 4):
        assert live(mind, now.later(10 * k)) == Idle("talking with Bob Birch", "💬")
    assert says(live(mind, now.later(40, heard=(speech(BOB, "And?"),)))) == "Good morning."
    assert list_first_fields(mind) == ["relationship", "say", "say"]
    lines = [(line.speaker, line.text, line.event) for line in dialogue_of(mind).lines]
    assert lines == [(BOB, "Hello, Ann.", 7), (ANN, "Good morning.", -1), (BOB, "And?", 7)]
    assert '["you", "said", "Good morning."]' in list_requests(mind)[2].messages[1].content


def test_words_that_were_refused_are_said_again() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule())
    refused = now.later(10, result=Result(False, BUSY))
    assert says(live(mind, refused)) == "Good morning."
    assert list_first_fields(mind) == ["relationship", "say"]
    assert len(dialogue_of(mind).lines) == 1


def test_words_that_were_refused_are_thought_over_once_something_new_is_heard() -> None:
    replies = iter(("Yes.", "No, rather."))
    mind, now, first = make_addressed_mind(
        lambda request: (
            json.dumps({"say": next(replies), "end": False})
            if fields_of(request)[0] == "say"
            else json.dumps(FRIEND)
        )
    )
    assert says(first) == "Yes."
    later = now.later(10, result=Result(False, BUSY), heard=(speech(BOB, "Wait!"),))
    assert says(live(mind, later)) == "No, rather."
    assert [line.text for line in dialogue_of(mind).lines] == ["Hello, Ann.", "Wait!"]


def test_one_says_nothing_while_the_rule_of_turns_forbids_it() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule())
    silent = Conversation(1, (ANN, BOB), BOB, False, 8)
    refused = now.later(10, conversation=silent, result=Result(False, "it is not your turn"))
    assert isinstance(live(mind, refused), Idle)
    again = Conversation(1, (ANN, BOB), ANN, True, 8)
    assert says(live(mind, now.later(20, conversation=again))) == "Good morning."


@pytest.mark.parametrize(("end", "leaves"), [(True, True), (False, False)])
def test_one_leaves_with_the_words_if_one_says_so(end: bool, leaves: bool) -> None:
    _, _, action = make_addressed_mind(make_speech_rule("Good-bye, Bob.", end=end))
    assert isinstance(action, Talk)
    assert (action.text, action.leave) == ("Good-bye, Bob.", leaves)


def test_without_words_one_leaves_or_passes_as_one_says() -> None:
    mind, _, action = make_addressed_mind(make_speech_rule("  \n ", end=True))
    assert action == LEAVE
    assert mind.dialogue is not None
    mind, now, action = make_addressed_mind(make_speech_rule(""))
    assert action == Idle("talking with Bob Birch", "💬")
    live(mind, now.later(10))
    assert list_first_fields(mind) == ["relationship", "say"]
    live(mind, now.later(20, heard=(speech(BOB, "Well?"),)))
    assert list_first_fields(mind) == ["relationship", "say", "say"]


def test_one_who_asks_something_stays_for_the_answer() -> None:
    for text, leaves in (("See you at five?", False), ("See you at five.", True)):
        _, _, action = make_addressed_mind(make_speech_rule(text, end=True))
        assert isinstance(action, Talk)
        assert action.leave is leaves


def test_without_a_usable_reply_one_leaves() -> None:
    mind, _, action = make_addressed_mind(always_invalid)
    assert action == LEAVE
    assert mind.services.model.ledger.totals().fallbacks == 2


@pytest.mark.parametrize(
    ("left", "most", "leaves"), [(8, 16, False), (1, 16, True), (8, 2, True), (8, 3, False)]
)
def test_one_leaves_at_the_most_messages_and_at_the_last_allowed(
    left: int, most: int, leaves: bool
) -> None:
    mind = make_mind(make_speech_rule(), most_messages=most)
    talk = Conversation(1, (ANN, BOB), None, True, left)
    action = live(mind, Moment(conversation=talk, heard=(speech(BOB, "Hm."),)))
    assert isinstance(action, Talk)
    assert (action.text, action.leave) == ("Good morning.", leaves)
    assert ("good-bye" in list_requests(mind)[1].messages[1].content) is leaves


def test_with_conversation_off_one_leaves_at_once_and_asks_nothing() -> None:
    mind = make_mind(make_speech_rule(), conversation=False)
    now = Moment(conversation=TALK, heard=(speech(BOB, "Hello."),), people=(person(BOB),))
    assert live(mind, now, [make_observation(BOB, f"{BOB} is reading")]) == LEAVE
    assert live(mind, now.later(10, conversation=None)) is None
    assert not list_requests(mind)
    assert mind.dialogue is None


def test_what_was_thought_of_before_something_new_was_heard_is_not_said() -> None:
    def rule(request: CompletionRequest) -> str:
        on_fire = "on fire" in request.messages[1].content
        return str(make_speech_rule("Oh no!" if on_fire else "Fine.")(request))

    mind, now, first = make_addressed_mind(rule, latency_ticks={"converse": 1})
    assert isinstance(first, Idle)
    live(mind, now.later(10))
    alarm = now.later(20, heard=(speech(BOB, "The cafe is on fire!"),))
    assert isinstance(live(mind, alarm), Idle)
    assert says(live(mind, now.later(30))) == "Oh no!"


def test_words_for_a_conversation_that_is_over_are_dropped() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule("Fine."), latency_ticks={"converse": 1})
    live(mind, now.later(10))
    over = now.later(20, conversation=None)
    assert live(mind, over) is None
    assert mind.dialogue is None
    assert live(mind, over.later()) is None
    assert not mind.pending


def test_words_for_one_conversation_are_not_said_in_the_next() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule("Fine."), latency_ticks={"converse": 2})
    live(mind, now.later(20))  # Bob is thought of, words for him are asked for
    next_talk = Conversation(2, (ANN, CID), None, True, 8)
    cid = now.later(30, conversation=next_talk, heard=(speech(CID, "Ann!"),))
    assert isinstance(live(mind, cid), Idle)
    assert live(mind, cid.later(10)) == Idle("talking with Cid Cedar", "💬")
    assert dialogue_of(mind).unsaid == ""
    assert dialogue_of(mind).others == [CID]
    assert live(mind, cid.later(20)) == Idle("talking with Cid Cedar", "💬")
    assert "Fine." in [says(live(mind, cid.later(30 + 10 * k))) for k in range(4)]


def test_someone_who_joins_is_thought_of_too() -> None:
    mind, now, _ = make_addressed_mind(make_speech_rule())
    three = Conversation(1, (ANN, BOB, CID), None, True, 8)
    live(mind, now.later(10, conversation=three, heard=(speech(CID, "May I?"),)))
    assert list_first_fields(mind)[:3] == ["relationship", "say", "relationship"]
    assert [(name, tie.text) for name, tie in mind.ties.items()] == [
        (BOB, "an old friend"),
        (CID, "an old friend"),
    ]
    assert dialogue_of(mind).others == [BOB, CID]


def test_a_conversation_survives_a_checkpoint() -> None:
    minds = [
        make_addressed_mind(make_speech_rule("Well."), latency_ticks={"converse": 2})[0]
        for _ in range(2)
    ]
    minds[1].load_state(json.loads(json.dumps(minds[0].state())))
    now = Moment(conversation=TALK, people=(person(BOB),))
    for k in range(1, 9):
        heard = (speech(BOB, "And?"),) if k == 6 else ()
        first, second = (live(mind, now.later(10 * k, heard=heard)) for mind in minds)
        assert first == second
    assert minds[0].state() == minds[1].state()
    assert dialogue_of(minds[0]).lines[1].text == "Well."


def test_golden_transcript() -> None:
    mind = make_mind(make_speech_rule("Out of coffee, I fear.", end=True))
    mind.stream.add("event", "the coffee tin is empty", created=-3600, events=(4,))
    mind.stream.add("thought", "Bob is fond of coffee", created=-60, cause="seed")
    now = Moment(conversation=TALK, heard=(speech(BOB, "Ann! Any coffee left?"),))
    live(mind, now)
    live(mind, now.later(10, conversation=None))
    chat = mind.stream[2]
    effects = [
        f"{chat.kind} from events {list(chat.events)}, importance {chat.importance:g}",
        chat.text,
        f"talked: {mind.attention.talked}",
    ]
    assert is_golden(
        "converse.txt", transcript(list_requests(mind), endpoint_of(mind).rule, effects)
    )
