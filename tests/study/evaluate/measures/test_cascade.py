"""The tree by which a fact was told on."""

from pathlib import Path

from genagents_env.study.evaluate.measures.cascade import count_generations
from genagents_env.study.evaluate.tellings import Telling, ToldFact
from tests.study.evaluate.measures.street import ADA, BEN, make_utterance, record_street
from tests.study.evaluate.measures.test_talk import value


def tell(event: int, teller: str | None, *hearers: str, knew: bool = True) -> Telling:
    return Telling(event, event, teller, hearers, "said", "", "", "", knew)


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
    assert count_generations(ToldFact("party", "It is tonight.", ("Ada",), (), ())) == {}


def test_a_fact_that_nobody_passes_on_has_no_cascade(tmp_path: Path) -> None:
    with record_street(tmp_path, [make_utterance(1, ADA, "Hello", (BEN,))], last=4) as record:
        found = value(record, "cascade_depth")
        assert set(found.values()) == {0.0} == set(value(record, "cascade_breadth").values())
