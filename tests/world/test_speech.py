from collections.abc import Mapping

import pytest

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.world.speech import small_talk
from tests.world.conftest import Play, Stage


@pytest.fixture
def trio(play: Play) -> Play:
    def build(conversation: Mapping[str, object] | None = None, **rules: object) -> Stage:
        changed = {"cooldown_seconds": 60, **(conversation or {})}
        stage = play(rules={"conversation": changed, **rules})
        for name, x in (("Ann", 2), ("Bob", 3), ("Cem", 5)):
            stage.place(name, x, 3)
        return stage

    return build


def test_the_addressed_and_the_overhearing_both_hear_and_know_which_they_are(trio: Play) -> None:
    stage = trio()
    stage.step(Ann=Talk("Bob", "Good morning"))
    to_bob, to_cem = stage.percept("Bob").heard[0], stage.percept("Cem").heard[0]
    assert (to_bob.speaker, to_bob.text, to_bob.addressed) == ("Ann Ash", "Good morning", True)
    assert (to_cem.text, to_cem.addressed) == ("Good morning", False)
    assert stage.heard("Dee") == []
    said = stage.events("say")[0]
    assert to_bob.event_id == said.id
    assert said.data["heard_by"] == ["Bob Birch", "Cem Cedar"]


def test_without_overhearing_only_members_hear(trio: Play) -> None:
    stage = trio(overhear=False)
    stage.step(Ann=Talk("Bob", "A secret"))
    assert stage.heard("Bob") == ["A secret"]
    assert stage.heard("Cem") == []


def test_hearing_ends_at_the_radius(trio: Play) -> None:
    stage = trio(hearing_radius=2)
    stage.step(Ann=Talk(None, "Hello"))
    assert stage.heard("Bob") == ["Hello"]
    assert stage.heard("Cem") == []
    stage.step(Ann=Talk("Cem", "Hello Cem"))
    assert "out of earshot" in stage.percept("Ann").result.text


def test_a_telephone_reaches_acquaintances_out_of_earshot(trio: Play) -> None:
    stage = trio(phone=True)
    stage.step(Ann=Talk("Dee", "Hello?"))
    assert "out of earshot" in stage.percept("Ann").result.text  # they never met
    stage.place("Dee", 6, 3)
    stage.step()
    stage.place("Dee", 15, 1)
    stage.step(Ann=Talk("Dee", "Hello!"))
    heard = stage.percept("Dee").heard[0]
    assert (heard.text, heard.by_phone) == ("Hello!", True)
    assert stage.heard("Bob") == ["Hello!"]  # beside the caller
    stage.step(Dee=Talk("Ann", "Hi Ann"))
    assert stage.heard("Ann") == ["Hi Ann"]


def test_speaking_opens_a_conversation_others_may_join_up_to_the_limit(trio: Play) -> None:
    stage = trio(conversation={"max_members": 2, "turn_taking": "free"})
    stage.step(Ann=Talk("Bob", "Hi"))
    assert set(stage.conversation("Ann").members) == {"Ann Ash", "Bob Birch"}
    stage.step(Cem=Talk("Bob", "Me too"))
    assert "full" in stage.percept("Cem").result.text
    assert stage.heard("Bob") == []


def test_after_too_many_exchanges_one_is_removed_with_a_notice_and_cools_down(trio: Play) -> None:
    stage = trio(conversation={"max_exchanges": 2})
    stage.step(Ann=Talk("Bob", "One"))
    stage.step(Bob=Talk("Ann", "Uno"))
    stage.step(Ann=Talk("Bob", "Two"))
    (notice,) = stage.percept("Ann").heard
    cause = next(e for e in stage.env.events if e.id == notice.event_id)
    assert (notice.kind, cause.agent, cause.data["reason"]) == ("notice", "Ann Ash", "limit")
    assert stage.percept("Ann").conversation is None
    assert stage.percept("Bob").conversation is None
    assert {e.data["reason"] for e in stage.events("leave")} == {"limit", "alone"}
    stage.step(Bob=Talk("Ann", "Wait"))
    assert "just now" in stage.percept("Bob").result.text
    for _ in range(6):
        stage.step()
    stage.step(Bob=Talk("Ann", "Again"))
    assert stage.heard("Ann") == ["Again"]


def test_walking_away_leaves_and_so_does_saying_so(trio: Play) -> None:
    stage = trio()
    stage.step(Ann=Talk("Bob", "Hi"))
    stage.step(Bob=Talk("Ann", "Bye", leave=True))
    assert stage.heard("Ann") == ["Bye"]
    assert stage.percept("Bob").conversation is None
    for _ in range(7):
        stage.step()
    stage.step(Ann=Talk("Bob", "Hi again"))
    reasons = []
    for _ in range(8):
        stage.step(Ann=Move("House/den"), Bob=Idle())
        reasons += [e.data["reason"] for e in stage.events("leave")]
    assert "walked_away" in reasons
    assert stage.percept("Bob").conversation is None


def test_silence_ends_a_conversation(trio: Play) -> None:
    stage = trio(conversation={"idle_seconds": 30})
    stage.step(Ann=Talk("Bob", "Hi"))
    for _ in range(3):
        stage.step()
    assert stage.percept("Ann").conversation is None


def test_one_speaker_at_a_time_and_the_other_is_told(trio: Play) -> None:
    stage = trio(conversation={"turn_taking": "one_speaker"})
    stage.step(Ann=Talk("Bob", "Hi"))
    stage.step(Ann=Talk("Bob", "So"), Bob=Talk("Ann", "Well"))
    texts = {stage.percept(n).result.text for n in ("Ann", "Bob")}
    assert "someone else was speaking" in texts
    assert len(stage.events("say")) == 1


def test_who_joins_by_speaking_may_not_speak_over_a_member_either(trio: Play) -> None:
    stage = trio(conversation={"turn_taking": "one_speaker"})
    stage.step(Ann=Talk("Bob", "Hi"))
    for _ in range(5):  # whoever comes first, only one of the two is heard
        stage.step(Ann=Talk("Bob", "So"), Cem=Talk("Bob", "Me too"))
        assert len(stage.events("say")) == 1
        stage.step(Cem=Talk(None, "", leave=True))


def test_of_two_who_speak_to_one_person_at_once_one_is_heard(trio: Play) -> None:
    stage = trio(conversation={"turn_taking": "one_speaker"})
    stage.step(Ann=Talk("Bob", "Hi"), Cem=Talk("Bob", "Hello"))
    assert len(stage.events("say")) == 1


def test_free_turn_taking_lets_both_speak_at_once(trio: Play) -> None:
    stage = trio(conversation={"turn_taking": "free"})
    stage.step(Ann=Talk("Bob", "Hi"))
    stage.step(Ann=Talk("Bob", "So"), Bob=Talk("Ann", "Well"))
    assert len(stage.events("say")) == 2


def test_round_robin_goes_round_and_passes_on_when_someone_stays_silent(trio: Play) -> None:
    stage = trio(conversation={"turn_taking": "round_robin", "turn_seconds": 20})
    stage.step(Ann=Talk("Bob", "Hi"))
    stage.step(Ann=Talk("Bob", "And another thing"))
    assert "not your turn" in stage.percept("Ann").result.text
    assert stage.conversation("Ann").turn == "Bob Birch"
    stage.step()
    stage.step()
    assert stage.conversation("Ann").may_speak


def test_hearing_a_fact_is_an_event_with_its_cause_and_source(trio: Play) -> None:
    stage = trio()
    stage.step(Ann=Talk("Bob", "Come to my PARTY tonight"))
    learned = {e.agent: e.data for e in stage.events("learn")}
    said = stage.events("say")[0]
    assert set(learned) == {"Bob Birch", "Cem Cedar"}
    assert learned["Bob Birch"] == {"fact": "party", "cause": said.id, "source": "Ann Ash"}
    assert stage.percept("Bob").heard[0].facts == ("party",)
    stage.step(Ann=Talk("Bob", "The party, yes"))
    assert stage.events("learn") == []


def test_small_talk_of_the_menu_tells_each_listener_each_fact_once(trio: Play) -> None:
    stage = trio()
    state = stage.world.state
    assert small_talk(state, 0, 1) == "Hello Bob. There is a party tonight."
    stage.step(Ann=Talk("Bob", small_talk(state, 0, 1)))
    assert small_talk(state, 0, 1) == "Hello Bob."
    assert small_talk(state, 1, 0) == "Hello Ann. There is a party tonight."


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Talk("Ann Ash", "me"), "oneself"),
        (Talk("Nobody", "hi"), "nobody called"),
        (Talk("Bob", ""), "nothing to say"),
        (Talk(None, "", leave=True), "no conversation"),
    ],
)
def test_impossible_talk_is_idling_with_a_reason(trio: Play, action: Action, reason: str) -> None:
    stage = trio()
    stage.step(Ann=action)
    assert reason in stage.percept("Ann").result.text
    assert not stage.events("say")


def test_words_are_cleaned_once_on_their_way_in(trio: Play) -> None:
    stage = trio()
    stage.step(Ann=Talk("Bob", "a\x1b[31mred\x07 \u202eword\ud800 \x00end" + "x" * 10_000))
    heard = stage.heard("Bob")[0]
    assert heard.startswith("ared word end")
    assert len(heard) <= 500
