import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.testimony import PARTS, find_told, read_labelled, score
from genagents_env.memory.columns import Floats
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.testimony import FactFinder, Statement, name_people
from genagents_env.memory.testimony import Testimony as Found
from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import Fact

KNIFE = Fact(
    id="knife",
    statement="Franco Bay left the inn with a knife.",
    patterns=(r"\bfranco\b.*\bknife\b",),
)
STRICT = KNIFE.model_copy(update={"patterns": (r"\bfranco\b[^.]*\bknife\b",)})  # in one sentence
EMPTY = Fact(id="empty", statement="There was nobody in the inn.", patterns=(r"\binn was empty\b",))


class Meaning:
    """Knows that a blade is a knife and a tavern an inn; not what anything else means."""

    name, stored = "minilm-int8", False

    async def embed(self, texts: Sequence[str]) -> Floats:
        rows = []
        for text in texts:
            words = text.lower().replace("blade", "knife").replace("tavern", "inn")
            rows.append([0.01, *(float(word in words) for word in ("knife", "inn", "nobody"))])
        return np.array(rows, dtype=np.float32)

    async def aclose(self) -> None:
        """Nothing is held."""


class Grams(Meaning):
    """N-grams: similar where the words are."""

    name = "hashed:64"


def find(text: str, embedder: Embedder | None = None, by: str | None = None) -> list[Found]:
    finder = FactFinder([KNIFE, EMPTY], ["Franco Bay", "Ada Ash"], embedder)
    return list(asyncio.run(finder.find([Statement(text, by)]))[0])


@pytest.mark.parametrize(
    "text",
    [
        "Did Franco have a knife?",
        "Franco had a knife, is that what you saw?",
        "Please find out if Franco had a knife.",
        "If Franco had a knife, we are lost.",
        "Perhaps Franco had a knife.",
        "Franco never had any knife, he told me.",
        "It is not true that Franco had a knife.",
        "",
    ],
)
def test_a_question_a_supposition_and_a_denial_are_no_testimony(text: str) -> None:
    assert find(text) == find(text, Embedder(Meaning())) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Hello. Franco had a knife! Did you know?", "Franco had a knife!"),
        ("I told nobody, but Franco had a knife.", "but Franco had a knife."),
        ("I saw Franco. He had a knife.", "He had a knife."),
        ("Mr. Bay is Franco; I saw Ada tell him of his knife.", "I saw Ada tell him of his knife."),
        ("Franco? He had a knife.", "He had a knife."),
    ],
)
def test_the_sentence_that_states_it_is_quoted(text: str, sentence: str) -> None:
    assert find(text) == [Found("knife", sentence, None)]


def test_names_of_people_are_no_likeness() -> None:
    class Names(Meaning):
        async def embed(self, texts: Sequence[str]) -> Floats:
            rows = [[0.01, float("Bay" in text), float("knife" in text)] for text in texts]
            near: Floats = np.array(rows, dtype=np.float32)
            near /= np.linalg.norm(near, axis=1)[:, None]
            return near

    finder = FactFinder([KNIFE], [], Embedder(Names()))  # not among the people of the run
    assert asyncio.run(finder.find([Statement("Franco Bay is in the inn.")])) == [()]


def test_what_a_fact_needs_to_be_stated() -> None:
    assert [one.fact for one in find("I am not sure, the inn was empty.")] == ["empty"]  # denies
    found = find("Yes. Franco's knife. Franco's big knife.")  # two words state nothing
    assert [one.sentence for one in found] == ["Franco's big knife."]


def test_other_words_state_it_where_the_embedder_knows_meaning() -> None:
    said = "He left the inn with a blade."
    assert find(said) == find(said, Embedder(Grams())) == []
    (testimony,) = find(said, Embedder(Meaning()))
    assert (testimony.fact, testimony.sentence) == ("knife", said)
    assert testimony.similarity == pytest.approx(1, abs=0.01)
    assert find("He never left the inn with a blade.", Embedder(Meaning())) == []
    timed = KNIFE.model_copy(update={"statement": "Franco Bay left the inn at 8 with a knife."})
    for text, found in ((said, 0), ("He left the inn with a blade at eight.", 1)):
        finder = FactFinder([timed], [], Embedder(Meaning()))
        assert len(asyncio.run(finder.find([Statement(text)]))[0]) == found
    assert [one.fact for one in find("There was nobody in the tavern.", Embedder(Meaning()))] == [
        "empty"
    ]


def test_first_and_second_person_become_names() -> None:
    said = Statement("", "Ada Ash", "Franco Bay")
    assert name_people("I'm ill and you have my knife", said) == (
        "Ada Ash is ill and Franco Bay has Ada Ash's knife"
    )
    assert name_people("I am ill", Statement("")) == "I am ill"


def test_patterns_find_half_of_the_statements_and_hardly_anything_else() -> None:
    lines = read_labelled()
    assert len(lines) > 80
    assert {line.part for line in lines} == set(PARTS)
    assert {line.kind for line in lines} == {"plain", "paraphrase", "question", "denial", "topic"}
    written = [line for line in lines if line.part != "played"]
    found = score(asyncio.run(find_told(written, None)))
    assert found.precision > 0.95
    assert 0.5 < found.recall < 0.7
    played = score(asyncio.run(find_told([a for a in lines if a.part == "played"], None)))
    assert played.precision > 0.85
    assert played.recall > 0.8
    for kind in ("question", "denial"):
        assert score(asyncio.run(find_told([a for a in lines if a.kind == kind], None))).wrong == 0


def test_hearers_of_facts_in_a_played_run_are_as_counted_by_a_reader() -> None:
    lines = [line for line in read_labelled() if line.part == "played" and line.said.hearer]
    known = {fact.id: {*fact.known_by} for fact in load_scenario("murder_mystery").facts}
    testimony = {
        (fact, line.said.hearer)
        for line, facts in asyncio.run(find_told(lines, None))
        for fact in facts
        if line.said.hearer not in known[fact]
    }
    assert testimony == {
        ("testimony", "Richard Smith"),
        ("testimony", "Lizhi Chen"),
        ("argument", "Richard Smith"),
        ("argument", "Lizhi Chen"),
        ("last_seen", "Dmitri Ivanov"),
        ("last_seen", "Lizhi Chen"),
        ("caller", "Richard Smith"),
    }
