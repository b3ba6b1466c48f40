import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.study.evaluate.measures.talk import (
    compute_evenness,
    count_partners,
    count_talk,
    list_lengths,
    split_words,
)
from genagents_env.study.evaluate.measures.wording import compute_mtld, find_requests
from genagents_env.study.evaluate.phrases import load_phrases, straighten
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAT,
    joins,
    leaves,
    make_utterance,
    record_street,
    value,
)

TRIO = (ADA, BEN, CAT)


def test_an_hour_of_two_conversations(tmp_path: Path) -> None:
    """Three in the first, of whom Cat says nothing; Ada alone speaks in the second."""
    happenings = [
        *joins(1, 0, ADA, BEN, CAT),
        make_utterance(1, ADA, "Good morning, there's cake!", (BEN, CAT), facts=["cake"]),
        make_utterance(2, BEN, "Is there?", (ADA, CAT)),
        make_utterance(3, ADA, "Yes.", (BEN, CAT)),
        *(leaves(4, 0, name) for name in (ADA, BEN)),
        leaves(4, 0, CAT, "silence"),
        *joins(10, 1, ADA, CAT),
        make_utterance(10, ADA, "Cat?", (CAT,), conversation=1),
        leaves(12, 1, ADA),
        make_utterance(20, BEN, "Nobody is here.", conversation=None),
    ]
    with record_street(tmp_path, happenings, last=60, names=TRIO) as record:
        assert value(record, "conversations") == pytest.approx(5 / 3)
        assert value(record, "utterances") == pytest.approx(5 / 3)
        assert value(record, "turns") == 2
        assert value(record, "words") == pytest.approx((4 + 2 + 1 + 1 + 3) / 5)
        two_to_one = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)) / math.log(3)
        assert value(record, "turn_balance") == pytest.approx(two_to_one / 2)
        assert list_lengths(record) == [180, 180, 180, 120]
        assert value(record, "conversation_seconds") == 165
        assert count_talk(record).unended == 1
        # Cat's second membership never ends: 3 + 3 + 3 + 2 minutes, and 50 of Cat's.
        assert value(record, "talking_time") == pytest.approx((3 * 3 + 2 + 50) / 180)


def test_who_talks_to_whom(tmp_path: Path) -> None:
    happenings = [
        make_utterance(1, ADA, "Hello", (BEN, CAT)),
        make_utterance(2, BEN, "Hello", (ADA,)),
        make_utterance(3, ADA, "Hello", (BEN,)),
        (4, "say", CAT, {**make_utterance(4, CAT, "Hm", (ADA,))[3], "heard_by": []}),
    ]
    with record_street(tmp_path, happenings, last=60, names=TRIO) as record:
        assert count_partners(record).tolist() == [[0, 2, 1], [1, 0, 0], [0, 0, 0]]
        assert value(record, "partners") == pytest.approx((2 + 1 + 1) / 3)
        assert value(record, "reciprocity") == pytest.approx(2 / 3)
        assert value(record, "clustering") == 0


def test_partners_of_one_may_be_partners_of_one_another(tmp_path: Path) -> None:
    words = [make_utterance(1, ADA, "Hello", (BEN, CAT)), make_utterance(2, BEN, "Hello", (CAT,))]
    with record_street(tmp_path, words, last=60, names=TRIO) as record:
        assert value(record, "clustering") == 1


def test_an_hour_of_silence(tmp_path: Path) -> None:
    """What was counted is 0; what has nothing to be a share of is none."""
    with record_street(tmp_path, last=60) as record:
        for name in ("conversations", "utterances", "partners"):
            assert value(record, name) == 0, name
        for name in (
            *("turns", "words", "turn_balance"),
            *("reciprocity", "conversation_seconds", "distinct_2"),
            *("lexical_diversity", "self_repetition", "echo", "declined"),
            "formality",
        ):
            assert value(record, name) is None, name


def test_one_agent_alone_has_no_network(tmp_path: Path) -> None:
    with record_street(tmp_path, [make_utterance(1, ADA, "Hm")], last=60, names=(ADA,)) as record:
        for name in ("partners", "reciprocity", "together"):
            assert value(record, name) is None, name
        assert value(record, "density") is None


def test_saying_the_same_again(tmp_path: Path) -> None:
    happenings = [
        make_utterance(1, ADA, "The cake is on the table", (BEN,)),
        make_utterance(2, BEN, "The cake is on the table, you say", (ADA,)),  # echo, then his words
        make_utterance(3, ADA, "The cake is on the table now", (BEN,)),  # again; and what Ben said
        make_utterance(4, BEN, "Let me see what else there is", (ADA,)),
        make_utterance(5, BEN, "Oh well", (ADA,)),  # too short to tell
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        assert value(record, "self_repetition") == pytest.approx(1 / 2)
        assert value(record, "echo") == pytest.approx(2 / 3)


def test_distinct_words_and_pairs(tmp_path: Path) -> None:
    happenings = [make_utterance(1, ADA, "a b a b", (BEN,)), make_utterance(2, BEN, "a", (ADA,))]
    with record_street(tmp_path, happenings, last=60) as record:
        assert value(record, "distinct_2") == pytest.approx(2 / 3)
        assert value(record, "lexical_diversity") is None  # fewer than 50 words


def test_mtld_of_a_known_text() -> None:
    """By hand: `a b a a` reaches 2/4 at its end, so does its mirror at the third word."""
    forward = 1.0  # at the third word 2/3 <= 0.72; the rest, one word, is all different
    backward = 1.0 + 0.0  # at the second word 1/2; then `b a`, all different
    for words in (["a", "b", "a", "a"], ["a", "a", "b", "a"]):
        assert compute_mtld(words) == pytest.approx((4 / forward + 4 / backward) / 2)
    assert compute_mtld(["a", "a"]) == 2  # nothing is left over
    assert compute_mtld(list("abcdef")) == 6  # not even part of a stretch: as long as the whole


def test_words_are_runs_of_letters() -> None:
    words = ["don't", "i'm", "45", "caf\u00e9", "x"]
    assert split_words("Don\u2019t -- I'm 45, caf\u00e9_x!") == words


@given(st.lists(st.integers(0, 50), min_size=2, max_size=12))
def test_evenness_stays_in_its_bounds(counts: list[int]) -> None:
    even = compute_evenness(counts, len(counts))
    if not sum(counts):
        assert even is None
        return
    assert even is not None
    assert 0 <= even <= 1
    if len(set(counts)) == 1:
        assert even == pytest.approx(1)
    if sum(count > 0 for count in counts) == 1:
        assert even == 0


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
OTHERWISE = [
    "Yes, I would love to.",
    "That sounds lovely.",
    "I'd be happy to help.",
    "I can't wait!",
    "No problem, I'll bring the cake.",
    "Thank you for inviting me, Isabella.",
    "I wouldn't miss it, I'll come.",
    "What time does it begin?",
    "I would like to know more first.",
]


@pytest.mark.parametrize("text", [*ASKS, *ASKS_NOTHING])
def test_an_utterance_asks_or_asks_nothing(text: str) -> None:
    assert bool(load_phrases()["ask"].search(straighten(text))) == (text in ASKS)


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
        found = [(one.agent, one.declined) for one in find_requests(record)]
        assert sorted(found, key=str) == [(BEN, None), (BEN, True), (CAT, False), (CAT, None)]
        assert value(record, "declined") == pytest.approx(1 / 2)


ANSWERS = {**dict.fromkeys(DECLINES, True), **dict.fromkeys(OTHERWISE, False)}


def test_an_answer_declines_or_does_not(tmp_path: Path) -> None:
    """Each is asked and answered in a conversation of its own; the last question is not."""
    happenings = []
    for number, text in enumerate([*ANSWERS, ""]):
        asked = make_utterance(number, ADA, "Would you like to come?", (BEN,), number)
        happenings += [asked, make_utterance(number, BEN, text, (ADA,), number)][: 1 + bool(text)]
    with record_street(tmp_path, happenings, last=60) as record:
        found = [one.declined for one in find_requests(record)]
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
