import numpy as np

from genagents_env.memory.embed import HashedNgrams


def test_rows_are_unit_vectors_even_of_empty_and_odd_text() -> None:
    assert HashedNgrams(4)([]).shape == (0, 4)
    rows = HashedNgrams(64)(["", "a", "Maria is in the café.", "🙂", "x" * 5000])
    assert rows.dtype == np.float32
    assert rows.shape == (5, 64)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-6)


def test_the_embedding_of_a_text_is_fixed_for_good() -> None:
    row = HashedNgrams(8)(["tea in the kitchen"])[0]
    np.testing.assert_allclose(
        row,
        [0, 0.493197, -0.493197, 0.164399, -0.164399, -0.328798, -0.493197, -0.328798],
        atol=1e-6,
    )
