"""What others are to the agent: asked once, kept, and thought over where something changed."""

from genagents_env.policies.smallville.memo import find_latest_talk, format_tie, list_unknown
from genagents_env.policies.smallville.mind import Commitment, Dialogue, Tie
from tests.policies.percepts import profile
from tests.policies.smallville.minds import make_mind

BOB, CID = "Bob Birch", "Cid Cedar"


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


def test_what_was_promised_for_an_hour_long_past_stands_there_no_more() -> None:
    mind = make_mind()
    mind.commitments = [Commitment("2023-02-13", "08:00", "tea", "Cafe", "Bob")]
    assert ["promised", "Monday 13 February 08:00", "tea, at Cafe, with Bob"] in format_tie(
        mind, BOB, 3600
    )
    assert format_tie(mind, BOB, 3610) == []
