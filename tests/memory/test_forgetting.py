import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from genagents_env.errors import RecordError
from genagents_env.memory.columns import DECIMALS, Floats, unit_rows
from genagents_env.memory.forgetting import ForgettingMemory, link


def degrees(*angles: float) -> Floats:
    turns = np.radians(np.array(angles, np.float64))
    return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)


def add_memory(bank: ForgettingMemory, text: str, angle: float, at: int = 0) -> list[str]:
    """Add one memory; return the texts of what was forgotten."""
    gone = bank.add([(text, (at,))], degrees(angle), at, "summary")
    return [kept.text for kept in gone]


def vector_of(text: str) -> Floats:
    """Return a vector of 8 numbers that depends on the text alone; few are much alike."""
    kind, own = divmod(int(text), 100)
    common = np.random.default_rng(kind).standard_normal(8)
    return (common + 0.2 * np.random.default_rng(own).standard_normal(8)).astype(np.float32)


def vectors_of(texts: list[str]) -> Floats:
    return np.array([vector_of(text) for text in texts], np.float32).reshape(len(texts), 8)


@dataclass
class Plain:
    """A bank as one would write it first: a list, one cosine at a time."""

    capacity: int
    forget_above: float | None

    def __post_init__(self) -> None:
        self.kept: list[tuple[int, str, Floats]] = []
        self.next = 0

    def add(self, text: str) -> list[int]:
        (vector,) = unit_rows(vectors_of([text]))
        gone: list[int] = []
        if self.forget_above is not None:
            alike = [k for k in self.kept if cosine(k[2], vector) >= self.forget_above]
            gone += [id for id, *_ in alike]
            self.kept = [k for k in self.kept if k[0] not in gone]
        if len(self.kept) == self.capacity:
            gone.append(self.kept.pop(0)[0])
        self.kept.append((self.next, text, vector))
        self.next += 1
        return gone

    def nearest(self, text: str, k: int) -> list[int]:
        (query,) = unit_rows(vectors_of([text]))
        return [id for _, id in sorted((-cosine(v, query), -id) for id, _, v in self.kept)][:k]


def cosine(one: Floats, other: Floats) -> float:
    return round(float(one.astype(np.float64) @ other.astype(np.float64)), DECIMALS)


TEXTS = st.integers(0, 3).flatmap(lambda kind: st.integers(100 * kind, 100 * kind + 20)).map(str)
BATCHES = st.lists(st.lists(TEXTS, max_size=7), max_size=12)
CAPACITIES = st.integers(1, 20)
THRESHOLDS = st.sampled_from([None, 0.5, 0.9, 0.98, 1.0])


def test_a_seed_may_be_forgotten_once_it_has_a_vector() -> None:
    bank = ForgettingMemory(9, 0.9)
    seeded = bank.seed("I never drink tea")
    with pytest.raises(ValueError, match="no vector yet"):
        add_memory(bank, "I drink tea", 0)
    bank.embed([seeded], degrees(10))
    assert add_memory(bank, "I drink tea", 0) == ["I never drink tea"]


@settings(deadline=None)
@given(BATCHES, CAPACITIES, THRESHOLDS)
def test_a_forgetting_memory_equals_a_list_of_cosines(
    batches: list[list[str]], capacity: int, threshold: float | None
) -> None:
    bank, plain = ForgettingMemory(capacity, threshold), Plain(capacity, threshold)
    for at, batch in enumerate(batches):
        gone = bank.add([(t, (at,)) for t in batch], vectors_of(batch), at, "summary")
        assert [kept.id for kept in gone] == [id for text in batch for id in plain.add(text)]
        assert [kept.id for kept in bank] == [id for id, *_ in plain.kept]
        for k in (1, 3, 30):
            found = [kept.id for kept in bank.nearest(vector_of("107"), k)]
            assert [-id for id in found] == plain.nearest("107", k)


@settings(deadline=None)
@given(BATCHES, CAPACITIES, THRESHOLDS, st.sets(st.integers(0, 11)))
def test_a_loaded_memory_continues_like_the_original(
    batches: list[list[str]], capacity: int, threshold: float | None, kills: set[int]
) -> None:
    lived, resumed = ForgettingMemory(capacity, threshold), ForgettingMemory(capacity, threshold)
    for step, batch in enumerate(batches):
        if step in kills:
            saved = json.dumps(resumed.state())
            resumed = ForgettingMemory(capacity, threshold)
            resumed.load_state(json.loads(saved))
            assert json.dumps(resumed.state()) == saved
            missing = resumed.find_unembedded()
            assert missing == [kept.id for kept in resumed]
            resumed.embed(missing, vectors_of([resumed[id].text for id in missing]))
        new = [(text, (step,)) for text in batch]
        gone = [bank.add(new, vectors_of(batch), step, "summary") for bank in (lived, resumed)]
        assert gone[0] == gone[1]
        assert list(lived) == list(resumed)
        for query in ("3", "107", "215"):
            near = [bank.nearest(vector_of(query), 4) for bank in (lived, resumed)]
            assert near[0] == near[1]


@pytest.mark.parametrize("empty", [0, 16])
def test_the_place_of_a_vector_does_not_matter_among_thousands(empty: int) -> None:
    """The first numbers of a vector tell much of how alike it is, or nothing at all."""
    random = np.random.default_rng(5)
    centres = random.standard_normal((40, 48))
    noise = 0.33 * random.standard_normal((3000, 48))
    vectors = (centres[random.integers(0, 40, 3000)] + noise).astype(np.float32)
    vectors[:, :empty] = 0
    one, other = ForgettingMemory(600, 0.9), ForgettingMemory(600, 0.9)
    gone: list[list[int]] = [[], []]
    for at in range(0, 3000, 150):
        block = vectors[at : at + 150]
        new = [(str(at + k), ()) for k in range(150)]
        gone[0] += [kept.id for kept in one.add(new, block, 0, "summary")]
        for k in range(150):
            gone[1] += [kept.id for kept in other.add(new[k : k + 1], block[k : k + 1], 0, "seed")]
        state = other.state()
        other.load_state(state)
        shuffled = random.permutation(other.find_unembedded()).tolist()
        other.embed(shuffled, vectors[[int(other[id].text) for id in shuffled]])
        near = [bank.nearest(vectors[at], 20) for bank in (one, other)]
        assert [kept.id for kept in near[0]] == [kept.id for kept in near[1]]
    assert gone[0] == gone[1]
    assert len(gone[0]) > 2400
    assert one.texts == other.texts


@pytest.mark.parametrize(
    "vectors",
    [
        *(np.ones(shape) for shape in ((1, 2), (3, 2), (2, 3), 2, (2, 0))),
        *(np.array([[1, 0], [odd, 0]]) for odd in (0, np.nan, np.inf)),
    ],
)
def test_vectors_that_are_none_are_refused_and_change_nothing(vectors: Any) -> None:
    bank = ForgettingMemory(3, 0.9)
    for k in range(3):
        add_memory(bank, str(k), 90 * k)
    before = bank.state()
    for act in (
        lambda: bank.add([("a", ()), ("b", ())], vectors.astype(np.float32), 0, "summary"),
        lambda: bank.embed([0, 1], vectors.astype(np.float32)),
    ):
        with pytest.raises(ValueError, match=r"vectors|embedding"):
            act()
    assert bank.state() == before
    np.testing.assert_allclose(bank.vectors([0, 1, 2]), degrees(0, 90, 180), atol=1e-6)


GOOD = {
    "next": 9,
    "id": [3, 8],
    "text": ["a", "b"],
    "events": [[], [4]],
    "at": [0, 60],
    "origin": ["seed", "merged"],
}


@pytest.mark.parametrize(
    "change",
    [
        {"id": [3]},
        {"id": [3, 3]},
        {"id": [-1, 3]},
        {"id": [3, True]},
        {"next": 8},
        {"next": "9"},
        {"text": 3},
        {"events": [[], "45"]},
        {"at": [0, 1.5]},
        {"origin": ["seed", "dream"]},
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(change: dict[str, Any]) -> None:
    bank = ForgettingMemory(3, 0.9)
    add_memory(bank, "old", 0)
    for state in (GOOD | change, {}, {key: GOOD[key] for key in list(GOOD)[1:]}):
        with pytest.raises(RecordError, match="damaged"):
            bank.load_state(state)
    with pytest.raises(RecordError, match="at most 1"):
        ForgettingMemory(1, 0.9).load_state(GOOD)
    assert bank.texts == ["old"]
    assert bank.find_unembedded() == []
    bank.load_state(GOOD)
    assert bank.state() == GOOD


# Groups.


def test_alike_enough_is_the_threshold_itself_to_five_decimals_at_any_length() -> None:
    for cosine, above, alike in (
        (0.875, 0.875, True),
        (0.875, 0.87502, False),
        (0.874997, 0.875, True),
    ):
        pair = np.array([[1, 0], [cosine, np.sqrt(1 - cosine**2)]], np.float32)
        pair[1] *= 100
        assert link(pair, above) == ([[0, 1]] if alike else [[0], [1]])


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.sampled_from([0.3, 0.6, 0.875, 0.95]))
def test_groups_are_the_clusters_of_single_linkage(seed: int, count: int, above: float) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, 3)).astype(np.float32)
    tree = linkage(pdist(vectors.astype(np.float64), "cosine"), "single")
    labels = fcluster(tree, 1 - above, "distance")
    expected: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        expected.setdefault(label, []).append(row)
    assert link(vectors, above) == sorted(expected.values())


def test_no_vectors_and_one_vector_are_grouped() -> None:
    assert link(np.zeros((0, 4), np.float32), 0.9) == []
    assert link(np.ones((1, 4), np.float32), 0.9) == [[0]]
    with pytest.raises(ValueError, match="zero"):
        link(np.zeros((2, 4), np.float32), 0.9)
