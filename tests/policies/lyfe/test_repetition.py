import asyncio

import pytest

from genagents_env.policies.lyfe import repetition
from genagents_env.policies.lyfe.mind import LyfeMind
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Value

OWN, HEARD = True, False
ASKED = "Who did it?"


def make_uttering_mind(*utterances: tuple[str, bool], **config: Value) -> LyfeMind:
    mind = make_mind(**config)

    async def all_of_them() -> None:
        for text, own in utterances:
            await repetition.note_utterance(mind, text, own)

    asyncio.run(all_of_them())
    return mind


@pytest.mark.parametrize(
    ("times", "above", "repetitive"), [(2, 0.9, False), (3, 0.9, True), (9, 1.0, False)]
)
def test_three_repeats_more_alike_than_the_threshold_are_repetitive(
    times: int, above: float, repetitive: bool
) -> None:
    mind = make_uttering_mind((ASKED, OWN), *[(ASKED, HEARD)] * times, repetition_above=above)
    assert repetition.is_repetitive(mind) is repetitive


@pytest.mark.parametrize(
    ("whose", "noted"),
    [("both", ["a", "b", "a"]), ("own", ["a", "a"]), ("heard", ["b"])],
)
def test_whose_utterances_count_is_configured(whose: str, noted: list[str]) -> None:
    said = (("a", OWN), ("b", HEARD), ("", OWN), ("", HEARD), ("a", OWN))
    mind = make_uttering_mind(*said, repetition_of=whose)
    assert mind.uttered == noted


def test_what_lies_before_the_window_is_not_looked_back_on() -> None:
    words = [f"utterance about {topic}" for topic in ("ships", "wells", "gold", "frogs")]
    lines = [(text, OWN) for text in (words[0], words[0], *words[1:], words[0])]
    mind = make_uttering_mind(*lines, repetition_window=3, repetition_above=0.99)
    assert mind.uttered == [words[2], words[3], words[0]]
    assert mind.repeats == [False, False, False]
    assert not repetition.is_repetitive(mind)
