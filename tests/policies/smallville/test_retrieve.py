import asyncio
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from genagents_env.memory.embedder import Embedder
from genagents_env.policies.smallville import retrieve
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.policies.smallville.retrieve import ShownTexts, reduce_words
from tests.policies.percepts import Value
from tests.policies.smallville.minds import make_mind

TEXTS = ["red apple", "red rose", "green apple", "blue sky", "green leaf", "red brick"]


class Colours:
    """An embedding source of three colours and a little of the rest; counts what it is asked."""

    name, stored = "colours", False

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += texts
        await asyncio.sleep(0)
        rows = [[text.count(c) + 0.01 for c in ("red", "green", "blue")] for text in texts]
        return np.array(rows, dtype=np.float32)

    async def aclose(self) -> None: ...


def colourful(texts: Sequence[str] = TEXTS, **config: Value) -> tuple[SmallvilleMind, Colours]:
    mind, source = make_mind(**config), Colours()
    object.__setattr__(mind.services, "embedder", Embedder(source))
    for text in texts:
        mind.stream.add("event", text, created=0, events=(1,))
    return mind, source


def recall(
    mind: SmallvilleMind, queries: Sequence[str], now: int = 0, **options: Value
) -> list[str]:
    found = asyncio.run(retrieve.recall(mind, queries, now, **options))
    return [memory.text for _, memory in found]


def test_the_best_of_each_question_come_in_turns_and_each_once() -> None:
    mind, _ = colourful(recall=2)
    turns = ["red apple", "green apple", "red rose", "green leaf"]
    assert recall(mind, ["red", "red red", "green"]) == turns
    everything, _ = colourful(recall=30)
    assert len(recall(everything, ["red"])) == len(TEXTS)


@pytest.mark.parametrize("how", ["switched off", "no embedder"])
def test_without_retrieval_the_latest_come_whatever_is_asked(how: str) -> None:
    mind, source = colourful(recall=3, retrieval=how != "switched off")
    if how == "no embedder":
        object.__setattr__(mind.services, "embedder", None)
    assert recall(mind, ["blue"], now=9) == ["red brick", "green leaf", "blue sky"]
    assert source.asked == []
    assert [mind.stream[id_].accessed for id_ in range(6)] == [0, 0, 0, 9, 9, 9]


@pytest.mark.parametrize("retrieval", [True, False])
def test_nothing_that_is_forgotten_is_recalled_and_of_the_latest_the_kinds_asked_for(
    retrieval: bool,
) -> None:
    mind, _ = colourful(retrieval=retrieval)
    mind.stream.add("chat", "red talk", created=0, cause="x")
    mind.stream.add("plan", "red plan", created=0, cause="x", expires=100)
    mind.stream.add("thought", "red thought", created=0, cause="x")
    latest = retrieve.recall_latest(mind, 9, 99, kinds=("plan", "chat"))
    assert [memory.text for _, memory in latest] == ["red plan", "red talk"]
    assert "red plan" in recall(mind, ["red"], 99)
    assert "red plan" not in recall(mind, ["red"], 100)
    assert len(recall(mind, ["red"], 100)) == len(TEXTS) + 2


@pytest.mark.parametrize(("weights", "first"), [("paper", "green"), ("public_code", "red")])
def test_the_weights_are_an_option(weights: str, first: str) -> None:
    mind, _ = colourful([], retrieval_weights=weights, recall=1)
    # To the point but long out of mind, against fresh and important.
    mind.stream.add("event", "red", created=0, importance=1, events=(1,))
    mind.stream.add("event", "green", created=360_000, importance=9, events=(2,))
    mind.stream.add("event", "green", created=360_000, importance=1, events=(3,))
    assert recall(mind, ["red"], 360_000) == [first]


def test_what_stands_in_the_prompt_is_not_recalled_again() -> None:
    mind, _ = colourful()
    mind.stream.add("event", "Bob said: red", created=0, events=(7,))
    mind.stream.add("chat", "Talked with Bob of red", created=0, events=(7, 8), cause="x")
    found = recall(mind, ["red"], without=("Red apple!", 7))
    assert "red apple" not in found
    assert "Bob said: red" not in found
    assert "Talked with Bob of red" in found  # it rests on more than those words


@pytest.mark.parametrize("retrieval", [True, False])
def test_repetitions_fill_no_places(retrieval: bool) -> None:
    mind, _ = colourful(["Bob is reading a red book"] * 300, retrieval=retrieval, recall=5)
    for text in TEXTS:
        mind.stream.add("event", text, created=0, events=(2,))
    found = recall(mind, ["red book"])
    assert found.count("Bob is reading a red book") <= 1
    assert len(found) == 5


def test_the_public_codes_weights_recall_repetitions_as_that_code_does() -> None:
    texts = ["red apple"] * 3 + ["the red oven is idle"]
    mind, _ = colourful(texts, retrieval_weights="public_code")
    mind.stream.add("chat", "red talk", created=0, cause="x")
    assert recall(mind, ["red"]) == ["red apple"] * 3


NAME = "Isabella Rodriguez"
SAME, NEAR, FAR = np.array([1.0, 0.0]), np.array([0.95, 0.3122]), np.array([0.6, 0.8])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I run Hobbs Cafe.", "Isabella Rodriguez runs Hobbs Cafe"),
        ("I'm planning my party", "Isabella is planning her party"),
        ("Klaus Mueller is reading", "klaus mueller is READING!"),
        ("Isabella knows Klaus: he eats here", "I know Klaus \u2013 he eats here"),
    ],
)
def test_who_speaks_makes_no_difference(one: str, other: str) -> None:
    assert reduce_words(one, NAME) == reduce_words(other, NAME)
    assert ShownTexts(NAME, [one]).repeats(other, lambda: None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maria likes Klaus", "Klaus likes Maria"),
        ("the party is from 5 to 7", "the party is from 6 to 8"),
        ("Maria will come", "Maria will not come"),
        ("the oven is off", "the oven is on"),
        ("plan for Monday 13 February: baking", "plan for Tuesday 14 February: baking"),
        ("Klaus said to Maria: hello", "Klaus said to Isabella: hello"),
    ],
)
def test_what_differs_in_a_word_that_matters_is_not_the_same(one: str, other: str) -> None:
    shown = ShownTexts(NAME)
    shown.add(one, lambda: SAME)
    assert not shown.repeats(other, lambda: SAME)  # however alike a model of language finds them


@pytest.mark.parametrize(("vector", "repeats"), [(NEAR, True), (FAR, False), (None, False)])
def test_fewer_words_repeat_more_of_them_where_they_mean_the_same(
    vector: np.ndarray | None, repeats: bool
) -> None:
    shown = ShownTexts(NAME)
    shown.add("Maria is reading a book at the library", lambda: SAME)
    assert shown.repeats("Maria is reading a book", lambda: vector) is repeats
    assert not shown.repeats("Maria is reading a book with Klaus", lambda: vector)
