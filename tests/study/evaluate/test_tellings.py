from collections.abc import Iterable
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.measures.tellings import (
    Telling,
    ToldFact,
    count_generations,
    trace_tellings,
)
from genagents_env.study.evaluate.run_data import RunData
from tests.study.report.planted import ADA, BEN, Happening, make_utterance, plant, scenario

CRUMBS = "Ben has crumbs."


def trace(
    path: Path, happenings: Iterable[Happening], known_by: tuple[str, ...] = (ADA,)
) -> ToldFact:
    fact = Fact(id="crumbs", statement=CRUMBS, known_by=known_by, patterns=("crumbs",))
    with RunReader(plant(path, 9, happenings, scenario=scenario(facts=(fact,)))) as run:
        (found,) = trace_tellings(RunData(run))
    return found


def learn(tick: int, who: str, cause: int, source: str | None) -> Happening:
    return tick, "learn", who, {"fact": "crumbs", "cause": cause, "source": source}


def test_a_telling_has_its_words_the_sentence_that_states_it_and_its_place(tmp_path: Path) -> None:
    words = f"Good morning! {CRUMBS} Did you see?"
    found = trace(tmp_path / "a", [make_utterance(2, ADA, words), learn(2, BEN, 2, ADA)])
    (one,) = found.tellings
    assert (one.teller, one.hearers, one.tick, one.event) == (ADA, (BEN,), 2, 2)
    assert (one.words, one.sentence) == (words, CRUMBS)
    assert (one.means, one.place, one.knew) == ("said", "Cottage/kitchen", True)
    assert (found.at_start, found.heard, found.never) == ((ADA,), (BEN,), ())


@pytest.mark.parametrize(
    ("kind", "data", "means"),
    [
        ("news", {"text": CRUMBS, "place": None, "heard_by": [BEN]}, "news"),
        ("whisper", {"text": CRUMBS}, "whisper"),
        ("doing", {"doing": "eating crumbs", "emoji": ""}, "otherwise"),
    ],
)
def test_what_nobody_said_has_no_teller(
    tmp_path: Path, kind: str, data: dict[str, object], means: str
) -> None:
    agent = None if kind == "news" else BEN
    found = trace(tmp_path / "a", [(2, kind, agent, data), learn(2, BEN, 2, None)])
    (one,) = found.tellings
    assert (one.teller, one.means, one.knew) == (None, means, False)
    assert list(found.walk_tree()) == [(0, one)]


def test_a_question_that_names_it_is_heard_and_states_nothing(tmp_path: Path) -> None:
    asked = "Does anybody know who left crumbs?"
    found = trace(tmp_path / "a", [make_utterance(2, ADA, asked), learn(2, BEN, 2, ADA)])
    assert [(one.words, one.sentence) for one in found.tellings] == [(asked, "")]


def test_who_tells_it_before_having_heard_it_is_marked_and_nothing_goes_in_a_circle(
    tmp_path: Path,
) -> None:
    said = [make_utterance(2, BEN, CRUMBS), learn(2, ADA, 2, BEN)]
    said += [make_utterance(3, ADA, CRUMBS), learn(3, BEN, 4, ADA)]
    found = trace(tmp_path / "a", said, known_by=())
    assert [one.knew for one in found.tellings] == [False, True]
    assert [depth for depth, _ in found.walk_tree()] == [0, 1]
    own = [make_utterance(2, BEN, CRUMBS), learn(2, BEN, 2, BEN)]  # heard by its own words
    assert [one.knew for one in trace(tmp_path / "b", own, known_by=()).tellings] == [False]


def test_a_damaged_record_names_causes_that_are_not_there(tmp_path: Path) -> None:
    found = trace(
        tmp_path / "a",
        [learn(2, BEN, 999, "Nobody known"), learn(3, BEN, 2, ADA), learn(3, ADA, 2, BEN)],
    )
    (one,) = found.tellings  # each heard it once, and who knew it from the start never
    assert (one.teller, one.means, one.words, one.place) == ("Nobody known", "otherwise", "", "")


def chain(links: int) -> ToldFact:
    """Return a fact that went from the first of many people to the next, link by link."""
    tellings = tuple(
        Telling(k, k, f"p{k}", (f"p{k + 1}", f"q{k + 1}"), "said", "", CRUMBS, CRUMBS, True)
        for k in range(links)
    )
    return ToldFact("crumbs", CRUMBS, ("p0",), tellings, ())


def test_each_telling_stands_below_the_one_from_which_its_teller_had_it() -> None:
    depths = [depth for depth, _ in chain(5000).walk_tree()]
    assert depths == list(range(5000))
    assert chain(2).common_words == CRUMBS
    assert chain(1).common_words == ""  # nothing is shared by one


def tell(event: int, teller: str | None, *hearers: str) -> Telling:
    return Telling(event, event, teller, hearers, "said", "", "", "", True)


def test_generations_are_counted_along_the_chains() -> None:
    """Ada tells Ben and Cat, Ben tells Dan, the news tells Eve, and Eve tells Fay and Gus."""
    told = (
        tell(1, "Ada", "Ben", "Cat"),
        tell(2, "Ben", "Dan"),
        tell(3, None, "Eve"),
        tell(4, "Eve", "Fay", "Gus"),
    )
    fact = ToldFact("party", "It is tonight.", ("Ada",), told, ("Hal",))
    assert count_generations(fact) == {1: 3, 2: 3}
