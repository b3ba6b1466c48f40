"""A memory that forgets: new items replace old ones that are similar to them.

The container of Summarize-and-Forget. Source: Lyfe Agents (Kaiya et al. 2023), sections 3.4 and
A.3. `link` groups memories to be merged; merging their texts is the policy's task.
"""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias, cast, get_args

import numpy as np
from pydantic import Field, TypeAdapter
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from genagents_env.errors import RecordError
from genagents_env.memory.columns import Floats, compare, unit_rows
from genagents_env.memory.rows import VectorRows

Origin: TypeAlias = Literal["seed", "summary", "merged", "observed"]

ORIGINS: tuple[Origin, ...] = get_args(Origin)


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """An item of a forgetting memory.

    Attributes:
        id: its unique serial number; higher is newer.
        text: in words.
        events: ids of the record's events it comes from.
        at: time of its making, in seconds of game time; 0 for knowledge from before.
        origin: `seed` for knowledge from before, `summary` for a sentence of a summary, `merged`
            for several items merged into one, `observed` for perceptions.
    """

    id: Annotated[int, Field(ge=0)]
    text: str
    events: tuple[int, ...]
    at: int
    origin: Origin


_SAVED = tuple(f.name for f in fields(MemoryItem))
_ITEMS = TypeAdapter(list[MemoryItem])
_ID = TypeAdapter(Annotated[int, Field(ge=0)])


class ForgettingMemory:
    """Memories in the order of their making, with a unit vector for each.

    Forgetting depends only on the memories and their order: similarities are computed in double
    precision and rounded to 5 decimals, so that neither a vector's place in the matrix matters, nor
    whether the memory grew in this process or was loaded from a state.

    `capacity` vectors take 4 bytes a number: 10,000 of 384 numbers 15 MB, of 1,536 61 MB. Room is
    doubled when needed, and the room of forgotten vectors is reused.

    Args:
        capacity: the most memories; the oldest are dropped.
        forget_above: memories with at least this cosine to a new one are forgotten; None forgets
            none.

    Raises:
        ValueError: `capacity` is less than 1, or `forget_above` is not in (0, 1].
    """

    def __init__(self, capacity: int, forget_above: float | None) -> None:
        if capacity < 1:
            raise ValueError(f"capacity is {capacity}, expected at least 1")
        if forget_above is not None and not 0 < forget_above <= 1:
            raise ValueError(f"forget_above is {forget_above}, expected more than 0, at most 1")
        self.capacity, self.forget_above = capacity, forget_above
        self._items: OrderedDict[int, MemoryItem] = OrderedDict()
        self._rows = VectorRows(capacity)
        self._next = 0

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[MemoryItem]:
        """Go through the memories, the oldest first."""
        return iter(self._items.values())

    def __contains__(self, id: object) -> bool:
        """Return True if memory `id` is still here."""
        return id in self._items

    def __getitem__(self, id: int) -> MemoryItem:
        """Return memory `id`.

        Raises:
            KeyError: it is not here, or no more.
        """
        return self._items[id]

    @property
    def texts(self) -> list[str]:
        """The texts of all memories, the oldest first."""
        return [item.text for item in self]

    @property
    def full(self) -> bool:
        """Whether one more would push out the oldest."""
        return len(self) >= self.capacity

    def seed(
        self, text: str, events: Iterable[int] = (), at: int = 0, origin: Origin = "seed"
    ) -> int:
        """Add a memory without a vector, which makes no other be forgotten; return its id.

        If the memory is full the oldest is dropped.

        Raises:
            ValueError: the origin is unknown.
        """
        _check_origin(origin)
        return self._new(text, events, at, origin, [])

    def add(
        self,
        memories: Sequence[tuple[str, tuple[int, ...]]],
        vectors: Floats,
        at: int,
        origin: Origin,
    ) -> list[MemoryItem]:
        """Add memories one after the other; each makes similar ones be forgotten.

        These may be earlier ones of the same batch. Then the oldest are dropped while there are
        more than `capacity`.

        Args:
            memories: K texts, each with its events.
            vectors: shape (K, D), any scale; D is the same for the whole memory.
            at: game second.
            origin: of all of them.

        Returns:
            The memories forgotten or dropped, in that order; perhaps some of the new ones.

        Raises:
            ValueError: the shape is another, a vector is zero or not finite, the origin is
                unknown, or it forgets and has memories without a vector: `embed` them first.
        """
        if not memories:
            return []
        unit = self._rows.normalize(vectors, len(memories))
        _check_origin(origin)
        if self.forget_above is not None and self._rows.count < len(self):
            raise ValueError(f"{len(self) - self._rows.count} memories have no vector yet")
        above = self.forget_above
        similarity = self._rows.bound_similarity(unit, above) if above is not None else None
        among = unit @ unit.T
        gone: list[MemoryItem] = []
        for k, (text, events) in enumerate(memories):
            if above is not None and similarity is not None:
                similar = self._rows.find_similar(unit[k], similarity[k], above)
                gone += [self._remove(id_) for id_ in similar]
            id_ = self._new(text, events, at, origin, gone)
            row = self._rows.put(id_, unit[k])
            if similarity is not None:
                similarity[:, row] = among[:, k]
        return gone

    def _new(
        self, text: str, events: Iterable[int], at: int, origin: Origin, gone: list[MemoryItem]
    ) -> int:
        """Append a memory; what that pushes out is added to `gone`. Returns its id."""
        while self.full:
            gone.append(self._remove(next(iter(self._items))))
        id_ = self._next
        self._items[id_] = MemoryItem(id_, text, tuple(map(int, events)), at, origin)
        self._next += 1
        return id_

    def _remove(self, id_: int) -> MemoryItem:
        self._rows.drop(id_)
        return self._items.pop(id_)

    def find_unembedded(self) -> list[int]:
        """Return the ids that have no vector yet, ascending."""
        if self._rows.count == len(self):
            return []
        return [id_ for id_ in self._items if id_ not in self._rows]

    def embed(self, ids: Sequence[int], vectors: Floats) -> None:
        """Attach vectors; this makes no memory be forgotten.

        Args:
            ids: K memories.
            vectors: shape (K, D), any scale; D is the same for the whole memory.

        Raises:
            KeyError: there is no such memory.
            ValueError: the shape is another, or a vector is zero or not finite.
        """
        for id_ in ids:
            _ = self[id_]
        if not ids:
            return
        for id_, vector in zip(ids, self._rows.normalize(vectors, len(ids)), strict=True):
            self._rows.put(id_, vector)

    def vectors(self, ids: Sequence[int]) -> Floats:
        """Return the unit vectors of `ids`, shape (len(ids), D).

        Raises:
            KeyError: one is not here, or has no vector.
        """
        return self._rows.get(ids)

    def nearest(self, query: Floats, k: int) -> list[MemoryItem]:
        """Return the `k` memories most similar to `query`, best first; of equals the newer first.

        Memories without a vector are left out.

        Args:
            query: shape (D,), any scale.
            k: at most this many.

        Raises:
            ValueError: the query has another width, or is zero or not finite.
        """
        if k < 1 or not self._rows.count:
            return []
        vector = self._rows.normalize(np.asarray(query)[None], 1)
        rows = self._rows.find_nearest(vector, k)
        cosines = self._rows.compute_cosines(rows, vector[0])
        ids = self._rows.owner[rows]
        order = np.lexsort((-ids, -cosines))[:k]
        return [self._items[id_] for id_ in ids[order].tolist()]

    def clear(self) -> None:
        """Drop everything. Ids continue where they were."""
        self._items.clear()
        self._rows = VectorRows(self.capacity)

    def state(self) -> dict[str, object]:
        """Return everything but the vectors as JSON columns, for `load_state`."""
        columns = {name: [_plain(getattr(item, name)) for item in self] for name in _SAVED}
        return {"next": self._next, **columns}

    def load_state(self, state: Mapping[str, object]) -> None:
        """Become the memory that `state` describes, with no vector attached yet.

        Raises:
            RecordError: `state` is not what `state()` of such a memory returns.
        """
        try:
            columns = cast(list[list[object]], [state[name] for name in _SAVED])
            rows = [dict(zip(_SAVED, row, strict=True)) for row in zip(*columns, strict=True)]
            items = _ITEMS.validate_json(json.dumps(rows), strict=True)
            following = _ID.validate_python(state["next"], strict=True)
            ids = [item.id for item in items]
            if any(id_ >= later for id_, later in pairwise([*ids, following])):
                raise ValueError("the ids do not ascend")
            if len(items) > self.capacity:
                raise ValueError(f"{len(items)} memories, at most {self.capacity} are kept")
        except (KeyError, TypeError, ValueError) as fault:
            raise RecordError(f"the saved memories are damaged: {fault}") from None
        self.clear()
        self._items.update(zip(ids, items, strict=True))
        self._next = following


def link(vectors: Floats, above: float) -> list[list[int]]:
    """Return the groups of vectors by single linkage.

    Two rows are in one group if their cosine, rounded to 5 decimals, is at least `above`, or a
    chain of such pairs connects them. Source: Kaiya et al. 2023, section A.3; the public release
    runs DBSCAN with one sample a cluster, which is single linkage.

    Args:
        vectors: shape (N, D), any scale; N may be 0. Memory and time grow with N squared.
        above: a cosine.

    Returns:
        Row numbers, ascending in each group; groups by their first row.

    Raises:
        ValueError: a vector is zero or not finite.
    """
    if not len(vectors):
        return []
    unit = unit_rows(np.asarray(vectors, dtype=np.float32))
    near = compare(unit, unit) >= above
    _, labels = connected_components(csr_array(near), directed=False)
    groups: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(row)
    return list(groups.values())


def _check_origin(origin: object) -> None:
    if origin not in ORIGINS:
        raise ValueError(f"origin is {origin!r}, expected one of {', '.join(ORIGINS)}")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
