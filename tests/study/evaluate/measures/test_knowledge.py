import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.interviews import InterviewReply
from genagents_env.study.evaluate.measures.knowledge import find_knowledge
from genagents_env.world.events import Event
from tests.study.evaluate.talks import learn, news, reply, say

TEA = Fact(
    id="tea", statement="There is tea at five.", known_by=("Ada",), patterns=(r"\btea at five\b",)
)
TOLD = "Come, there is tea at five!"
EVENTS = [
    say(1, "Ada", ["Ben"], TOLD),
    learn(2, "Ben", "tea", 1, "Ada"),
    say(3, "Ada", ["Cy"], "Come to the usual thing.", facts=["tea"]),
    learn(4, "Cy", "tea", 3, "Ada"),
    news(5, ["Dot"], "There will be tea at five."),
    Event(6, 6, "whisper", "Eve", {"text": "There might be tea at five."}),
    say(7, "Ben", ["Ada"], "It rains."),
    learn(8, "Cy", "cake", 7, "Ben"),
    say(9, "Fay", [], TOLD),
    say(10, "Zed", ["Gus"], TOLD),
]


@pytest.mark.parametrize(
    ("agent", "evidence", "verified", "uncited"),
    [
        ("Ben", [1], True, False),  # heard it said, and so learned it
        ("Ben", [7, 1], True, False),
        ("Cy", [3], True, False),  # learned it there, though the words do not show it
        ("Dot", [5], True, False),  # news
        ("Eve", [6], True, False),  # an inner thought
        ("Ada", [], True, False),  # knew it from the start
        ("Ada", [999], True, False),
        ("Ben", [], False, True),  # heard it, and names no event
        ("Ben", [7], False, True),  # names an event of something else
        ("Ben", [3], False, True),  # names what others heard
        ("Cy", [8], False, True),  # learned another fact there
        ("Dot", [1], False, True),  # others heard that, she heard the news
        ("Eve", [5], False, True),
        ("Fay", [9], False, False),  # said it, which is no evidence of having heard it
        ("Gus", [10], True, False),  # from one who is not of the run
        ("Gus", [-1, 999, 2**60], False, True),  # there are no such events
        ("Hal", [], False, False),  # heard nothing
        ("Hal", [1, 5, 6], False, False),
    ],
)
def test_a_claim_is_borne_out_by_hearing_it_or_by_the_start(
    agent: str, evidence: list[int], verified: bool, uncited: bool
) -> None:
    found = find_knowledge(
        TEA, ["q"], [reply(agent, "Yes, there is tea at five.", *evidence)], EVENTS
    )
    assert found is not None
    assert found.asked == found.claimed == (agent,)
    assert found.verified == ((agent,) if verified else ())
    assert found.uncited == ((agent,) if uncited else ())
    assert found.hallucinated == (() if verified or uncited else (agent,))


def test_what_is_not_claimed_is_neither_verified_nor_hallucinated() -> None:
    found = find_knowledge(TEA, ["q"], [reply("Ben", "No, I have not heard of that.", 1)], EVENTS)
    assert found is not None
    assert (found.claimed, found.verified, found.hallucinated) == ((), (), ())
    assert found.claimed_share == found.verified_share == 0.0


def test_nobody_asked_is_no_finding() -> None:
    assert find_knowledge(TEA, ["q"], [], EVENTS) is None
    assert find_knowledge(TEA, ["q"], [reply("Ben", "Yes.", 1, question="other")], EVENTS) is None
    assert find_knowledge(TEA, [], [reply("Ben", "Yes.", 1)], EVENTS) is None


def test_what_came_later_is_no_evidence() -> None:
    found = find_knowledge(TEA, ["q"], [reply("Ben", "Yes.", 1, tick=0)], EVENTS)
    assert found is not None
    assert found.hallucinated == ("Ben",)
    assert found.uncited == ()  # had not heard it then


def test_of_several_questions_one_answer_is_enough() -> None:
    given = [reply("Ben", "No.", question="a"), reply("Ben", "Yes, I do.", 1, question="b")]
    found = find_knowledge(TEA, ["a", "b"], [*given, reply("Hal", "Yes.", question="a")], EVENTS)
    assert found is not None
    assert found.asked == ("Ben", "Hal")
    assert found.verified == ("Ben",)
    assert found.hallucinated == ("Hal",)
    assert (found.claimed_share, found.verified_share) == (1.0, 0.5)
    assert found.as_json() == {
        "asked": 2,
        "claimed": ["Ben", "Hal"],
        "verified": ["Ben"],
        "hallucinated": ["Hal"],
        "uncited": [],
        "claimed_share": 1.0,
        "verified_share": 0.5,
    }


PEOPLE = ["Ada", "Ben", "Cy", "Dot", "Eve", "Fay"]
replies = st.builds(
    lambda agent, text, evidence: reply(agent, text, *evidence),
    st.sampled_from(PEOPLE),
    st.sampled_from(["Yes.", "No.", "There is tea at five.", "Is there tea at five?", ""]),
    st.lists(st.integers(-2, 12), max_size=4),
)


@given(st.lists(replies, max_size=12))
def test_claims_are_verified_uncited_or_hallucinated_and_verified_ones_were_heard(
    given_: list[InterviewReply],
) -> None:
    found = find_knowledge(TEA, ["q"], given_, EVENTS)
    if found is None:
        assert not given_
        return
    parts = (found.verified, found.uncited, found.hallucinated)
    assert sorted(name for part in parts for name in part) == sorted(found.claimed)
    assert {*found.claimed} <= {*found.asked} == {one.asked.agent for one in given_}
    assert {*found.verified} <= {"Ada", "Ben", "Cy", "Dot", "Eve"}
    assert {*found.hallucinated} <= {"Fay"}
    assert found.verified_share <= found.claimed_share <= 1
