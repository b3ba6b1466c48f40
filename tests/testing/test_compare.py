"""The comparison sees type, dtype and bytes; shared memory is found wherever it lies."""

import numpy as np

from genagents_env.testing.compare import find_difference, find_shared_memory, overwrite, to_plain


def same(one: object, two: object) -> bool:
    return find_difference(to_plain(one), to_plain(two)) is None


def test_equal_only_with_the_same_type_dtype_and_bytes() -> None:
    assert same({"a": np.zeros(3), "b": [1, "x", None]}, {"b": [1, "x", None], "a": np.zeros(3)})
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same(0.0, -0.0)
    assert not same(np.zeros(3), np.zeros(3, dtype=np.float32))
    assert not same(np.zeros(3), np.zeros((3, 1)))
    assert same(float("nan"), float("nan"))


def test_a_difference_is_named_by_its_path() -> None:
    why = find_difference(to_plain({"a": [0, {"b": 1}]}), to_plain({"a": [0, {"b": 2}]}))
    assert why == "['a'][1]['b']: 1 against 2"
    assert (
        find_difference(to_plain({"a": 1}), to_plain({})) == "the value has keys ['a'] against []"
    )


def test_views_of_one_writeable_array_share_memory_and_rows_do_not() -> None:
    base = np.zeros((4, 8))
    assert find_shared_memory({"one": base[0], "two": base[1]}) is None
    assert find_shared_memory({"one": base[:2], "two": base[1]}) is not None
    assert find_shared_memory({"one": base[:, ::2], "two": base[:, 1::2]}) is None
    assert find_shared_memory({"one": [base[0], base[0]]}) is None


def test_read_only_memory_may_be_shared() -> None:
    base = np.zeros(4)
    base.flags.writeable = False
    assert find_shared_memory({"one": base, "two": base}) is None


def test_scribbling_spares_what_is_read_only() -> None:
    kept = np.zeros(2)
    kept.flags.writeable = False
    gone = np.zeros(2, dtype=np.int8)
    held = {"a": {"kept": kept, "gone": gone}}
    overwrite(held)
    assert held == {}
    assert kept.tolist() == [0, 0]
    assert gone.tolist() == [97, 97]
