"""Compare what two envs returned, byte for byte, and find memory that two values share."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env.percept import Percept

Array = npt.NDArray[Any]
Path = tuple[object, ...]

_PERCEPT_FIELDS = tuple(name for name in vars(Percept) if not name.startswith("_"))


def is_percept(value: object) -> bool:
    """Return True if `value` is one of our percepts (lazy, read by attribute)."""
    return all(hasattr(type(value), name) for name in ("agent", "tick", "me", "heard", "known"))


def to_plain(
    value: object, *, skip: tuple[str, ...] = (), later: list[object] | None = None
) -> object:
    """Return `value` as nested plain data that is equal only where type, dtype and bytes are.

    Args:
        value: anything an env returns: dicts, arrays, numbers, text, dataclasses, percepts.
        skip: names of fields left out.
        later: percepts are appended here unread instead of being read.
    """
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return ("scalar", value.dtype.str, value.tobytes())
    if isinstance(value, Mapping):
        return {k: to_plain(v, skip=skip, later=later) for k, v in value.items() if k not in skip}
    if isinstance(value, tuple | list):
        return [to_plain(v, skip=skip, later=later) for v in value]
    if isinstance(value, float):
        return ("float", value.hex())
    if is_percept(value):
        if later is not None:
            later.append(value)
            return ("percept",)
        return _fields(value, _PERCEPT_FIELDS, skip)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value, tuple(f.name for f in dataclasses.fields(value)), skip)
    return (type(value).__name__, value)


def _fields(value: object, names: tuple[str, ...], skip: tuple[str, ...]) -> dict[str, object]:
    return {name: to_plain(getattr(value, name), skip=skip) for name in names if name not in skip}


def find_difference(left: object, right: object, path: Path = ()) -> str | None:
    """Describe the first difference between two values of `to_plain`; None where they are equal."""
    if isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            return f"{_format_path(path)} has keys {list(left)} against {list(right)}"
        pairs = [(key, left[key], right[key]) for key in left]
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            return f"{_format_path(path)} has {len(left)} items against {len(right)}"
        pairs = [(k, a, b) for k, (a, b) in enumerate(zip(left, right, strict=True))]
    elif left == right:
        return None
    else:
        return f"{_format_path(path)}: {_format_value(left)} against {_format_value(right)}"
    differences = (find_difference(a, b, (*path, key)) for key, a, b in pairs)
    return next((why for why in differences if why is not None), None)


def _format_path(path: Path) -> str:
    return "".join(f"[{key!r}]" for key in path) or "the value"


def _format_value(value: object) -> str:
    if isinstance(value, tuple) and value and value[0] == "array":
        return f"an array of {value[1]}, shape {value[2]}, {np.frombuffer(value[3], value[1])[:12]}"
    text = repr(value[1]) if isinstance(value, tuple) and len(value) == 2 else repr(value)
    return text if len(text) <= 200 else text[:200] + "..."


def list_arrays(value: object, path: Path = ()) -> Iterator[tuple[Path, Array]]:
    """Yield every array in nested dicts and sequences, with the path to it."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from list_arrays(item, (*path, key))
    elif isinstance(value, tuple | list):
        for k, item in enumerate(value):
            yield from list_arrays(item, (*path, k))


def find_shared_memory(groups: Mapping[object, object]) -> str | None:
    """Name two groups that hold arrays over the same writeable memory, or None.

    Arrays that share memory within one group, and shared read-only ones, are allowed.
    """
    spans = sorted(
        (
            (*np.lib.array_utils.byte_bounds(array), group, path, array)
            for group, value in groups.items()
            for path, array in list_arrays(value)
            if array.size
        ),
        key=lambda span: span[:2],
    )
    for k, (_, end, group, path, array) in enumerate(spans):
        for low, _, other_group, other_path, other in spans[k + 1 :]:
            if low >= end:
                break
            writeable = array.flags.writeable or other.flags.writeable
            if group != other_group and writeable and np.shares_memory(array, other):
                return f"{group}{_format_path(path)} and {other_group}{_format_path(other_path)}"
    return None


def overwrite(value: object) -> None:
    """Overwrite every writeable array and empty every dict in `value`, as a careless caller may."""
    for _, array in list_arrays(value):
        if array.flags.writeable:
            array.fill(97)
    if isinstance(value, dict):
        for item in value.values():
            overwrite(item)
        value.clear()
