from collections.abc import Mapping

import pytest

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.world.speech import ENGAGED, make_small_talk
from tests.world.conftest import MakeTown, TownDriver


@pytest.fixture
def trio(make_town: MakeTown) -> MakeTown:
    def build(conversation: Mapping[str, object] | None = None, **rules: object) -> TownDriver:
        changed = {"cooldown_seconds": 60, **(conversation or {})}
        town = make_town(rules={"conversation": changed, **rules})
        for name, x in (("Ann", 2), ("Bob", 3), ("Cem", 5)):
            town.place(name, x, 3)
        return town

    return build


def test_the_addressed_and_the_overhearing_both_hear_and_know_which_they_are(
    trio: MakeTown,
) -> None:
    town = trio()
    town.step(Ann=Talk("Bob", "Good morning"))
    to_bob, to_cem = town.percept("Bob").heard[0], town.percept("Cem").heard[0]
    assert (to_bob.speaker, to_bob.text, to_bob.addressed) == ("Ann Ash", "Good morning", True)
    assert (to_cem.text, to_cem.addressed) == ("Good morning", False)
    assert town.heard("Dee") == []
    said = town.events("say")[0]
    assert to_bob.event_id == said.id
    assert said.data["heard_by"] == ["Bob Birch", "Cem Cedar"]
    town = trio(overhear=False)
    town.step(Ann=Talk("Bob", "A secret"))
    assert (town.heard("Bob"), town.heard("Cem")) == (["A secret"], [])


def test_hearing_ends_at_the_radius(trio: MakeTown) -> None:
    town = trio(hearing_radius=2)
    town.step(Ann=Talk(None, "Hello"))
    assert town.heard("Bob") == ["Hello"]
    assert town.heard("Cem") == []
    town.step(Ann=Talk("Cem", "Hello Cem"))
    assert "out of earshot" in town.percept("Ann").result.text


def test_a_telephone_reaches_acquaintances_out_of_earshot(trio: MakeTown) -> None:
    town = trio(phone=True)
    town.step(Ann=Talk("Dee", "Hello?"))
    assert "out of earshot" in town.percept("Ann").result.text  # they never met
    town.place("Dee", 6, 3)
    town.step()
    town.place("Dee", 15, 1)
    town.step(Ann=Talk("Dee", "Hello!"))
    heard = town.percept("Dee").heard[0]
    assert (heard.text, heard.by_phone) == ("Hello!", True)
    assert town.heard("Bob") == ["Hello!"]  # beside the caller
    town.step(Dee=Talk("Ann", "Hi Ann"))
    assert town.heard("Ann") == ["Hi Ann"]


def test_who_talks_to_somebody_present_does_not_answer_the_telephone(trio: MakeTown) -> None:
    town = trio(phone=True)
    town.place("Dee", 6, 3)
    town.step()
    town.place("Dee", 15, 1)
    town.step(Ann=Talk("Bob", "Hi"))
    town.step(Dee=Talk("Ann", "Hello?"))
    assert town.percept("Dee").result.text == f"Ann Ash {ENGAGED}"
    assert set(town.conversation("Ann").members) == {"Ann Ash", "Bob Birch"}
    town.step(Ann=Talk(None, "", leave=True))
    town.step(Dee=Talk("Ann", "Hello!"))
    assert town.heard("Ann") == ["Hello!"]


def test_speaking_opens_a_conversation_others_may_join_up_to_the_limit(trio: MakeTown) -> None:
    town = trio(conversation={"max_members": 2, "turn_taking": "free"})
    town.step(Ann=Talk("Bob", "Hi"))
    assert set(town.conversation("Ann").members) == {"Ann Ash", "Bob Birch"}
    town.step(Cem=Talk("Bob", "Me too"))
    assert "full" in town.percept("Cem").result.text
    assert town.heard("Bob") == []


def test_after_too_many_exchanges_the_agent_is_removed_with_a_notice_and_cools_down(
    trio: MakeTown,
) -> None:
    town = trio(conversation={"max_exchanges": 2})
    town.step(Ann=Talk("Bob", "One"))
    town.step(Bob=Talk("Ann", "Uno"))
    town.step(Ann=Talk("Bob", "Two"))
    (notice,) = town.percept("Ann").heard
    cause = next(e for e in town.env.events if e.id == notice.event_id)
    assert (notice.kind, cause.agent, cause.data["reason"]) == ("notice", "Ann Ash", "limit")
    assert town.percept("Ann").conversation is None
    assert town.percept("Bob").conversation is None
    assert {e.data["reason"] for e in town.events("leave")} == {"limit", "alone"}
    town.step(Bob=Talk("Ann", "Wait"))
    assert "just now" in town.percept("Bob").result.text
    for _ in range(6):
        town.step()
    town.step(Bob=Talk("Ann", "Again"))
    assert town.heard("Ann") == ["Again"]


def test_walking_away_leaves_and_so_does_saying_so(trio: MakeTown) -> None:
    town = trio()
    town.step(Ann=Talk("Bob", "Hi"))
    town.step(Bob=Talk("Ann", "Bye", leave=True))
    assert town.heard("Ann") == ["Bye"]
    assert town.percept("Bob").conversation is None
    for _ in range(7):
        town.step()
    town.step(Ann=Talk("Bob", "Hi again"))
    reasons = []
    for _ in range(8):
        town.step(Ann=Move("House/den"), Bob=Idle())
        reasons += [e.data["reason"] for e in town.events("leave")]
    assert "walked_away" in reasons
    assert town.percept("Bob").conversation is None


def test_round_robin_passes_on_when_someone_is_silent_until_all_are(
    trio: MakeTown,
) -> None:
    rules = {"turn_taking": "round_robin", "turn_seconds": 20, "idle_seconds": 50}
    town = trio(conversation=rules)
    town.step(Ann=Talk("Bob", "Hi"))
    town.step(Ann=Talk("Bob", "And another thing"))
    assert "not your turn" in town.percept("Ann").result.text
    assert town.conversation("Ann").turn == "Bob Birch"
    town.step()
    town.step()
    assert town.conversation("Ann").may_speak
    for _ in range(3):
        town.step()
    assert town.percept("Ann").conversation is None  # silence ends it


def test_hearing_a_fact_is_an_event_with_its_cause_and_source(trio: MakeTown) -> None:
    town = trio()
    town.step(Ann=Talk("Bob", "Come to my PARTY tonight"))
    learned = {e.agent: e.data for e in town.events("learn")}
    said = town.events("say")[0]
    assert set(learned) == {"Bob Birch", "Cem Cedar"}
    assert learned["Bob Birch"] == {"fact": "party", "cause": said.id, "source": "Ann Ash"}
    assert town.percept("Bob").heard[0].facts == ("party",)
    town.step(Ann=Talk("Bob", "The party, yes"))
    assert town.events("learn") == []


def test_small_talk_of_the_menu_tells_each_listener_each_fact_once(trio: MakeTown) -> None:
    town = trio()
    state = town.world.state
    assert make_small_talk(state, 0, 1) == "Hello Bob. There is a party tonight."
    town.step(Ann=Talk("Bob", make_small_talk(state, 0, 1)))
    assert make_small_talk(state, 0, 1) == "Hello Bob."
    assert make_small_talk(state, 1, 0) == "Hello Ann. There is a party tonight."


FACTS = [
    {"id": id_, "statement": text, "known_by": ["Ann Ash"], "patterns": [id_], "secret": secret}
    for id_, text, secret in (
        ("theft", "Ann took the silver.", True),
        ("party", "There is a party tonight.", False),
    )
]


@pytest.mark.parametrize(("facts", "statement"), [(1, ""), (2, " There is a party tonight.")])
def test_small_talk_never_tells_a_secret(make_town: MakeTown, facts: int, statement: str) -> None:
    state = make_town(facts=FACTS[:facts]).world.state
    assert state.facts[0] == (1 << facts) - 1
    assert make_small_talk(state, 0, 1) == f"Hello Bob.{statement}"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Talk("Ann Ash", "me"), "oneself"),
        (Talk("Nobody", "hi"), "nobody called"),
        (Talk("Bob", ""), "nothing to say"),
        (Talk(None, "", leave=True), "no conversation"),
    ],
)
def test_impossible_talk_is_idling_with_a_reason(
    trio: MakeTown, action: Action, reason: str
) -> None:
    town = trio()
    town.step(Ann=action)
    assert reason in town.percept("Ann").result.text
    assert not town.events("say")


def test_words_are_cleaned_once_on_their_way_in(trio: MakeTown) -> None:
    town = trio()
    town.step(Ann=Talk("Bob", "a\x1b[31mred\x07 \u202eword\ud800 \x00end" + "x" * 10_000))
    heard = town.heard("Bob")[0]
    assert heard.startswith("ared word end")
    assert len(heard) <= 500


@pytest.mark.parametrize(("turns", "heard"), [("one_speaker", 1), ("free", 2)])
def test_of_two_who_speak_at_once_one_is_heard_unless_turns_are_free(
    trio: MakeTown, turns: str, heard: int
) -> None:
    town = trio(conversation={"turn_taking": turns})
    town.step(Ann=Talk("Bob", "Hi"), Cem=Talk("Bob", "Hello"))
    assert len(town.events("say")) == heard
    town = trio(conversation={"turn_taking": turns})
    town.step(Ann=Talk("Bob", "Hi"))
    town.step(Ann=Talk("Bob", "So"), Bob=Talk("Ann", "Well"))
    assert len(town.events("say")) == heard
    texts = {town.percept(n).result.text for n in ("Ann", "Bob")}
    assert ("someone else was speaking" in texts) == (heard == 1)
    for _ in range(5):  # also where one of the two joins by speaking
        town.step(Ann=Talk("Bob", "So"), Cem=Talk("Bob", "Me too"))
        assert len(town.events("say")) == heard
        town.step(Cem=Talk(None, "", leave=True))
