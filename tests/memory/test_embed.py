import numpy as np
import pytest

from genagents_env.memory.embed import HashedNgrams


def test_rows_are_unit_vectors_even_of_empty_and_odd_text() -> None:
    assert HashedNgrams(4)([]).shape == (0, 4)
    rows = HashedNgrams(64)(["", "a", "Maria is in the café.", "🙂", "x" * 5000])
    assert rows.dtype == np.float32
    assert rows.shape == (5, 64)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-6)


def test_like_texts_lie_closer_than_unlike_ones() -> None:
    a, b, c = HashedNgrams(256)(
        ["Isabella plans a party", "a party is planned by isabella", "the stove is off"]
    )
    assert a @ b > a @ c + 0.2


def test_the_embedding_of_a_text_is_fixed_for_good() -> None:
    row = HashedNgrams(8)(["tea in the kitchen"])[0]
    np.testing.assert_allclose(
        row,
        [0, 0.493197, -0.493197, 0.164399, -0.164399, -0.328798, -0.493197, -0.328798],
        atol=1e-6,
    )


def test_the_cache_is_bounded_and_changes_nothing() -> None:
    embed, fresh = HashedNgrams(16), HashedNgrams(16)
    texts = [f"text {k}" for k in range(5000)]
    first = embed(texts)
    first[0] = 0  # a caller's writing must not reach the cache
    assert len(embed._cache) <= 4096
    np.testing.assert_array_equal(embed(texts), fresh(texts))


def test_a_width_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        HashedNgrams(0)
