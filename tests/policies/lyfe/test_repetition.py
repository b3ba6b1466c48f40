import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.policies.lyfe import repetition
from genagents_env.policies.lyfe.mind import LyfeMind
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Value

OWN, HEARD = True, False


def make_uttering_mind(*utterances: tuple[str, bool], **config: Value) -> LyfeMind:
    """Return a mind that has noted utterances."""
    mind = make_mind(**config)

    async def all_of_them() -> None:
        for text, own in utterances:
            await repetition.note_utterance(mind, text, own)

    asyncio.run(all_of_them())
    return mind


def is_repetitive(mind: LyfeMind) -> bool:
    return bool(repetition.is_repetitive(mind))


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_three_repeats_are_repetitive(times: int) -> None:
    mind = make_uttering_mind(("Who did it?", OWN), *[("Who did it?", HEARD)] * times)
    assert mind.repeats == [False, *[True] * times]
    assert is_repetitive(mind) == (times >= 3)


def test_other_words_are_no_repeats_and_small_changes_do_not_hide_one() -> None:
    mind = make_uttering_mind(
        ("I saw him leave the hotel late at night", OWN),
        ("The ducks at the river are hungry today", HEARD),
        ("I saw him leave the hotel late at night!", OWN),
    )
    assert mind.repeats == [False, False, True]


@pytest.mark.parametrize(
    ("whose", "noted"),
    [("both", ["a", "b", "a"]), ("own", ["a", "a"]), ("heard", ["b"])],
)
def test_whose_utterances_count_is_configured(whose: str, noted: list[str]) -> None:
    mind = make_uttering_mind(("a", OWN), ("b", HEARD), ("a", OWN), repetition_of=whose)
    assert mind.uttered == noted


def test_what_lies_before_the_window_is_not_looked_back_on() -> None:
    words = [f"utterance about {topic}" for topic in ("ships", "wells", "gold", "frogs")]
    lines = [(text, OWN) for text in (words[0], words[0], *words[1:], words[0])]
    mind = make_uttering_mind(*lines, repetition_window=3, repetition_above=0.99)
    assert mind.uttered == [words[2], words[3], words[0]]
    assert mind.repeats == [False, False, False]
    assert not is_repetitive(mind)


def test_only_more_than_the_threshold_is_a_repeat() -> None:
    assert not is_repetitive(make_uttering_mind(*[("Who did it?", OWN)] * 9, repetition_above=1.0))


def test_a_cleared_mind_begins_anew() -> None:
    mind = make_uttering_mind(*[("Who did it?", OWN)] * 9)
    assert is_repetitive(mind)
    repetition.clear(mind)
    assert (mind.uttered, mind.repeats) == ([], [])
    assert not is_repetitive(mind)


def test_silence_repeats_nothing() -> None:
    assert make_uttering_mind(*[("", OWN)] * 9).uttered == []


@given(st.lists(st.tuples(st.sampled_from(["a tree", "a ship", "gold"]), st.booleans())))
def test_a_mind_that_was_loaded_notes_the_same(utterances: list[tuple[str, bool]]) -> None:
    lived = make_uttering_mind(*utterances, repetition_window=5)
    half = len(utterances) // 2
    resumed = make_mind(repetition_window=5)
    resumed.load_state(json.loads(json.dumps(make_uttering_mind(*utterances[:half]).state())))
    resumed.uttered, resumed.repeats = resumed.uttered[-5:], resumed.repeats[-5:]

    async def rest() -> None:
        for text, own in utterances[half:]:
            await repetition.note_utterance(resumed, text, own)

    asyncio.run(rest())
    assert lived.uttered == resumed.uttered
    assert len(lived.repeats) == len(lived.uttered) <= 5
