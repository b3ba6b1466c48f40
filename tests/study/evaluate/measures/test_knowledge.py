import pytest

from genagents_env.scenario.schema import Fact
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
        ("Cy", [3], True, False),  # learned it there, though the words do not show it
        ("Dot", [5], True, False),  # news
        ("Eve", [6], True, False),  # an inner thought
        ("Ada", [], True, False),  # knew it from the start
        ("Ben", [], False, True),  # heard it, and names no event
        ("Ben", [7], False, True),  # names an event of something else
        ("Ben", [3], False, True),  # names what others heard
        ("Cy", [8], False, True),  # learned another fact there
        ("Fay", [9], False, False),  # said it, which is no evidence of having heard it
        ("Gus", [10], True, False),  # from one who is not of the run
        ("Gus", [-1, 999, 2**60], False, True),  # there are no such events
        ("Hal", [], False, False),  # heard nothing
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
    given += [reply("Hal", "Yes.", question="a"), reply("Cy", "No.", 3, question="a")]
    found = find_knowledge(TEA, ["a", "b"], given, EVENTS)
    assert found is not None
    assert found.as_json() == {
        "asked": 3,
        "claimed": ["Ben", "Hal"],
        "verified": ["Ben"],
        "hallucinated": ["Hal"],
        "uncited": [],
        "claimed_share": 2 / 3,
        "verified_share": 1 / 3,
    }
