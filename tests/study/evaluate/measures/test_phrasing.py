from pathlib import Path

import pytest

from genagents_env.study.evaluate.measures.phrasing import (
    find_requests,
    load_phrases,
    straighten_quotes,
)
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAT,
    joins,
    make_utterance,
    record_street,
    value,
)

TRIO = (ADA, BEN, CAT)

ASKS = [
    "Would you like to come to my party?",
    "Could you help me with the decorations?",
    "How about lunch at the cafe tomorrow?",
    "Why don\u2019t we take a walk in the park?",
    "Let's meet at five.",
    "Please come to the party on Valentine's Day.",
    "You're all invited to Hobbs Cafe at five.",
    "I'd love for you to come.",
    "Hope you can make it!",
    "Come by the cafe at five, there will be cake.",
]
ASKS_NOTHING = [
    "I am having a party at Hobbs Cafe on Valentine's Day.",
    "What are you working on?",
    "Can you believe it?",
    "Let's see.",
    "Did you hear about the party?",
]
DECLINES = [
    "No, thank you.",
    "I'm sorry, I can't make it tonight.",
    "I'd rather stay home.",
    "Maybe another time.",
    "I can\u2019t, I have a class.",
    "I'll have to pass on that.",
    "Sorry, I'm too busy this week.",
    "Not today.",
]
ACCEPTS = [
    "Yes, I would love to.",
    "That sounds lovely.",
    "I'd be happy to help.",
    "I can't wait!",
    "No problem, I'll bring the cake.",
    "Thank you for inviting me, Isabella.",
    "I wouldn't miss it, I'll come.",
]
NEITHER = [
    "What time does it begin?",
    "I would like to know more first.",
]


@pytest.mark.parametrize("text", [*ASKS, *ASKS_NOTHING])
def test_an_utterance_asks_or_asks_nothing(text: str) -> None:
    assert bool(load_phrases()["ask"].search(straighten_quotes(text))) == (text in ASKS)


def test_everyone_addressed_answers_for_themselves(tmp_path: Path) -> None:
    """Ben says no, Cat nothing at first and yes in the end; Ada's asking again is not answered."""
    happenings = [
        *joins(0, 0, *TRIO),
        make_utterance(1, ADA, "Would you like to come to my party?", (BEN, CAT)),
        make_utterance(2, BEN, "No, thank you.", (ADA, CAT)),
        make_utterance(3, ADA, "Please come, Cat!", (BEN, CAT)),
        make_utterance(4, CAT, "Sure, sounds good!", (ADA, BEN)),
        make_utterance(5, CAT, "No, wait, I can't.", (ADA, BEN)),  # nobody asked any more
        make_utterance(
            6, ADA, "Would you like to come?", (BEN,), conversation=None
        ),  # in no conversation
        make_utterance(7, BEN, "No.", (ADA,), conversation=None),
    ]
    with record_street(tmp_path, happenings, last=60, names=TRIO) as record:
        found = [(one.agent, one.kind) for one in find_requests(record)]
        assert sorted(found, key=str) == [
            (BEN, "declined"),
            (BEN, None),
            (CAT, "accepted"),
            (CAT, None),
        ]
        assert value(record, "declined") == pytest.approx(1 / 2)
        assert value(record, "accepted") == pytest.approx(1 / 2)


ANSWERS = {
    **dict.fromkeys(DECLINES, "declined"),
    **dict.fromkeys(ACCEPTS, "accepted"),
    **dict.fromkeys(NEITHER, "neither"),
}


def test_an_answer_declines_accepts_or_does_neither(tmp_path: Path) -> None:
    """Each is asked and answered in a conversation of its own; the last question is not."""
    happenings = []
    for number, text in enumerate([*ANSWERS, ""]):
        asked = make_utterance(number, ADA, "Would you like to come?", (BEN,), number)
        happenings += [asked, make_utterance(number, BEN, text, (ADA,), number)][: 1 + bool(text)]
    with record_street(tmp_path, happenings, last=60) as record:
        found = [one.kind for one in find_requests(record)]
        assert dict(zip(ANSWERS, found[:-1], strict=True)) == ANSWERS
        assert found[-1] is None
        assert value(record, "declined") == pytest.approx(len(DECLINES) / len(ANSWERS))


FORMAL = [
    "It is a pleasure to see you, dear husband.",
    "Good morning, Professor. How are you today?",
    "Thank you so much for your time.",
    "I hope you are well. I would be delighted to assist.",
]
INFORMAL = ["Hey, what's up?", "Morning! Coffee's on.", "I'm off, don't wait up."]


def test_formality_is_the_share_of_formal_words(tmp_path: Path) -> None:
    formal = load_phrases()["formal"]
    assert [text for text in (*FORMAL, *INFORMAL) if formal.search(text)] == FORMAL
    happenings = [make_utterance(1, ADA, text, (BEN,)) for text in (*FORMAL, *INFORMAL)]
    with record_street(tmp_path, happenings, last=2) as record:
        assert value(record, "formality") == pytest.approx(4 / 7)
