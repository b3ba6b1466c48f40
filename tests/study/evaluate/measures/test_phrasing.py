from pathlib import Path

import pytest

from genagents_env.study.evaluate.measures.phrasing import (
    find_requests,
    load_phrases,
    straighten_quotes,
)
from tests.study.evaluate.measures.street import ADA, BEN, CAT, joins, make_utterance, record_street
from tests.study.evaluate.measures.test_talk import value

TRIO = (ADA, BEN, CAT)

ASKS = [
    "Would you like to come to my party?",
    "Would you like to join me for coffee at Hobbs Cafe?",
    "Could you help me with the decorations?",
    "Do you want to study together tonight?",
    "How about lunch at the cafe tomorrow?",
    "Why don\u2019t we take a walk in the park?",
    "Let's meet at five.",
    "Please come to the party on Valentine's Day.",
    "You're all invited to Hobbs Cafe at five.",
    "I'd love for you to come.",
    "Hope you can make it!",
    "Will you vote for me?",
    "Shall we go?",
    "Come by the cafe at five, there will be cake.",
    "I am inviting you to the party.",
]
ASKS_NOTHING = [
    "I am having a party at Hobbs Cafe on Valentine's Day.",
    "The weather is lovely today.",
    "Good morning, Klaus.",
    "Sam is running for mayor.",
    "What are you working on?",
    "Can you believe it?",
    "I went to the store.",
    "Let's see.",
    "Did you hear about the party?",
]
DECLINES = [
    "No, thank you.",
    "No thanks, I have plans.",
    "I'm sorry, I can't make it tonight.",
    "I am afraid I have to work.",
    "Oh no, I can't.",
    "I'd rather stay home.",
    "Maybe another time.",
    "I can\u2019t, I have a class.",
    "I don't want to go.",
    "I won't be able to come.",
    "I'll have to pass on that.",
    "Sorry, I'm too busy this week.",
    "Thank you, but I'm not interested.",
    "Not today.",
]
ACCEPTS = [
    "Yes, I would love to.",
    "Sure, sounds good!",
    "Of course! See you at five.",
    "That sounds lovely.",
    "I'd be happy to help.",
    "Count me in.",
    "Absolutely, I'll be there.",
    "Great idea, let's do it.",
    "I can't wait!",
    "No problem, I'll bring the cake.",
    "Thank you for inviting me, Isabella.",
    "I wouldn't miss it, I'll come.",
]
NEITHER = [
    "What time does it begin?",
    "Hm.",
    "Who else is coming?",
    "I would like to know more first.",
]


@pytest.mark.parametrize("text", [*ASKS, *ASKS_NOTHING])
def test_an_utterance_asks_or_asks_nothing(text: str) -> None:
    assert bool(load_phrases()["ask"].search(straighten_quotes(text))) == (text in ASKS)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, "declined") for text in DECLINES),
        *((text, "accepted") for text in ACCEPTS),
        *((text, "neither") for text in NEITHER),
    ],
)
def test_what_an_answer_is(text: str, kind: str, tmp_path: Path) -> None:
    happenings = [
        make_utterance(1, ADA, "Would you like to come?", (BEN,)),
        make_utterance(2, BEN, text, (ADA,)),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        (first, *_) = find_requests(record)
        assert (first.agent, first.kind) == (BEN, kind)


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


def test_asked_and_never_answered(tmp_path: Path) -> None:
    happenings = [make_utterance(1, ADA, "Would you like to come?", (BEN,))]
    with record_street(tmp_path, happenings, last=60) as record:
        assert [one.kind for one in find_requests(record)] == [None]
        assert value(record, "declined") is None


@pytest.mark.parametrize(
    ("text", "formal"),
    [
        ("It is a pleasure to see you, dear husband.", True),
        ("Good morning, Professor. How are you today?", True),
        ("Thank you so much for your time.", True),
        ("I hope you are well. I would be delighted to assist.", True),
        ("Hey, what's up?", False),
        ("Morning! Coffee's on.", False),
        ("I'm off, don't wait up.", False),
        ("Maria's book is here.", False),
        ("Yes.", False),
    ],
)
def test_formal_words(text: str, formal: bool, tmp_path: Path) -> None:
    with record_street(tmp_path, [make_utterance(1, ADA, text, (BEN,))], last=60) as record:
        assert value(record, "formality") == float(formal)
