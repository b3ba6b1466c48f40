import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from genagents_env.memory.columns import Floats
from genagents_env.memory.forgetting import link


def degrees(*angles: float) -> Floats:
    turns = np.radians(np.array(angles, np.float64))
    return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)


def test_groups_are_chains_of_what_is_alike() -> None:
    angles = (200, 0, 100, 40, 220, 20)
    assert link(degrees(*angles), 0.9) == [[0, 4], [1, 3, 5], [2]]
    assert link(degrees(*angles), 1.0) == [[0], [1], [2], [3], [4], [5]]
    assert link(degrees(*angles), -1.0) == [[0, 1, 2, 3, 4, 5]]


def test_the_threshold_itself_is_alike_enough_and_length_is_no_matter() -> None:
    pair = np.array([[1, 0], [0.875, np.sqrt(1 - 0.875**2)]], np.float32)
    pair[1] *= 100
    assert link(pair, 0.875) == [[0, 1]]
    assert link(pair, 0.87502) == [[0], [1]]
    pair[1] = [0.874997, np.sqrt(1 - 0.874997**2)]  # alike to five decimals
    assert link(pair, 0.875) == [[0, 1]]


def test_no_vectors_and_one_vector_are_grouped() -> None:
    assert link(np.zeros((0, 4), np.float32), 0.9) == []
    assert link(np.ones((1, 4), np.float32), 0.9) == [[0]]
    assert link(np.ones((3, 4), np.float32), 0.9) == [[0, 1, 2]]
    with pytest.raises(ValueError, match="zero"):
        link(np.zeros((2, 4), np.float32), 0.9)


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


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_the_order_of_rows_changes_no_group(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, 3)).astype(np.float32)
    order = random.permutation(count)
    groups = {frozenset(group) for group in link(vectors, 0.8)}
    moved = {frozenset(order[group].tolist()) for group in link(vectors[order], 0.8)}
    assert groups == moved
