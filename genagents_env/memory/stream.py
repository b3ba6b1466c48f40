"""An agent's memory stream: its perceptions, conversations, plans and thoughts, in order."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from genagents_env.errors import RecordError
from genagents_env.memory.columns import Column, Cosines, Floats, Matrix, Scalar

Kind: TypeAlias = Literal["event", "thought", "chat", "plan"]
Ids: TypeAlias = npt.NDArray[np.int64]

KINDS: tuple[Kind, ...] = get_args(Kind)
_CODE = {kind: code for code, kind in enumerate(KINDS)}
_NEVER = np.iinfo(np.int64).max
# What retrieval computes with; `row` is that of the text in the matrix of embeddings.
_COMPUTED = np.dtype(
    [
        ("kind", np.uint8),
        ("accessed", np.int64),
        ("expires", np.int64),
        ("importance", np.float64),
        ("idle", np.bool_),
        ("row", np.int64),
    ],
    align=True,
)
_LEAST, _MOST = 1.0, 10.0  # of importance; Park et al. 2023, section 4.1


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory.

    Attributes:
        id: its number in the stream, 0 for the first.
        kind: event, thought, chat or plan.
        text: one sentence.
        created: seconds of game time since the episode's start.
        accessed: time of the last retrieval, in the same seconds.
        importance: 1 (mundane) to 10 (poignant).
        depth: 0; for a thought 1 + the depth of its deepest evidence.
        events: ids of the record's events it was perceived from.
        evidence: ids of the memories it was inferred from, all older than itself.
        about: subject, predicate, object; or nothing.
        place: of the event or of the plan.
        start: of a plan: game second.
        duration: of a plan: seconds.
        expires: game second from which it is no longer recalled; None is never.
        cause: empty for perceptions, `seed` for knowledge from the profile, else the model call
            that made it, such as `reflect.insights #0 at tick 120`.
    """

    id: int
    kind: Kind
    text: str
    created: int
    accessed: int
    importance: float
    depth: int
    events: tuple[int, ...]
    evidence: tuple[int, ...]
    about: tuple[str, ...]
    place: str
    start: int | None
    duration: int | None
    expires: int | None
    cause: str


_SAVED = tuple(f.name for f in fields(Memory) if f.name not in ("id", "depth"))


class MemoryStream:
    """The memories of an agent, what retrieval computes with as columns, and their embeddings.

    A memory is added without its embedding, which `embed` attaches later; until then it is not
    recalled by similarity. Memories with the same text share a row of the matrix, so that a text is
    embedded once and its repetitions tie exactly. Memories are never removed: ids stay valid.
    """

    def __init__(self) -> None:
        self._memories: list[Memory] = []
        self._columns: Column[np.void] = Column(_COMPUTED)
        self._vectors = Matrix()
        self._row_of: dict[str, int] = {}
        self._first_expiry: int = _NEVER

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        created: int,
        importance: float = 1.0,
        events: Iterable[int] = (),
        evidence: Iterable[int] = (),
        about: Iterable[str] = (),
        place: str = "",
        start: int | None = None,
        duration: int | None = None,
        expires: int | None = None,
        cause: str = "",
    ) -> int:
        """Add a memory and return its id; the fields are those of `Memory`.

        Raises:
            ValueError: the kind is unknown, the memory has neither events nor evidence nor
                cause, its evidence is not in the stream, or its importance is not a number.
        """
        id, code = len(self), _code(kind)
        events, evidence = tuple(map(int, events)), tuple(map(int, evidence))
        about = tuple(about)
        if not (events or evidence or cause):
            raise ValueError(f"memory {text[:60]!r} has neither events, nor evidence, nor a cause")
        if any(not 0 <= e < id for e in evidence):
            raise ValueError(f"evidence {evidence} is not in the stream, which has {id} memories")
        importance = _clip(importance)
        depth = self._find_depth(kind, evidence)
        expires = None if expires is None else int(expires)
        created = int(created)
        self._memories.append(
            Memory(
                id=id,
                kind=kind,
                text=text,
                created=created,
                accessed=created,
                importance=importance,
                depth=depth,
                events=events,
                evidence=evidence,
                about=about,
                place=place,
                start=start,
                duration=duration,
                expires=expires,
                cause=cause,
            )
        )
        until = _NEVER if expires is None else expires
        row = self._find_row(text)
        self._columns.append((code, created, until, importance, "idle" in text, row))
        self._first_expiry = min(self._first_expiry, until)
        return id

    def _find_depth(self, kind: Kind, evidence: tuple[int, ...]) -> int:
        if kind != "thought":
            return 0
        return 1 + max((self._memories[e].depth for e in evidence), default=0)

    def _find_row(self, text: str) -> int:
        if text not in self._row_of:
            self._row_of[text] = self._vectors.append()
        return self._row_of[text]

    def __len__(self) -> int:
        return len(self._memories)

    def __iter__(self) -> Iterator[Memory]:
        """Go through the memories, the oldest first."""
        return iter(self._memories)

    def __getitem__(self, id: int) -> Memory:
        """Return memory `id`.

        Raises:
            IndexError: there is no such memory; negative ids are none.
        """
        self._check([id])
        return self._memories[id]

    def select(self, ids: Sequence[int]) -> list[Memory]:
        """Return the memories `ids`, in their order.

        Raises:
            IndexError: there is no such memory.
        """
        self._check(ids)
        return [self._memories[id] for id in ids]

    def rate(self, id: int, importance: float) -> None:
        """Give memory `id` an importance, clipped to 1 to 10.

        Raises:
            IndexError: there is no such memory.
            ValueError: `importance` is not a number.
        """
        self._check([id])
        importance = _clip(importance)
        self._columns.view["importance"][id] = importance
        self._memories[id] = replace(self._memories[id], importance=importance)

    def expire(self, id: int, at: int) -> None:
        """Let memory `id` expire at game second `at`, but not later than before.

        Raises:
            IndexError: there is no such memory.
        """
        self._check([id])
        memory = self._memories[id]
        expires = int(at) if memory.expires is None else min(memory.expires, int(at))
        self._columns.view["expires"][id] = expires
        self._first_expiry = min(self._first_expiry, expires)
        self._memories[id] = replace(memory, expires=expires)

    def touch(self, ids: Sequence[int], now: int) -> None:
        """Note that `ids` were recalled at game second `now`, unless later accesses are noted.

        Raises:
            IndexError: there is no such memory.
        """
        self._check(ids)
        self._set_accessed({id: now for id in ids if self._memories[id].accessed < now})

    def _set_accessed(self, times: Mapping[int, int]) -> None:
        accessed = self._columns.view["accessed"]
        for id, time in times.items():
            accessed[id] = time
            self._memories[id] = replace(self._memories[id], accessed=int(time))

    def recent(self, count: int, *, kinds: Collection[Kind] = KINDS, now: int) -> list[int]:
        """Return at most `count` ids of these kinds, newest first, none expired at `now`."""
        codes = {_code(kind) for kind in kinds}
        kind, expires = self._columns.view["kind"], self._columns.view["expires"]
        ids: list[int] = []
        for id in reversed(range(len(self))):
            if len(ids) >= count:
                break
            if int(kind[id]) in codes and now < expires[id]:
                ids.append(id)
        return ids

    def find_unembedded(self) -> list[int]:
        """Return the ids that have no vector yet, ascending."""
        if not self._vectors.missing:
            return []
        missing = ~self._vectors.known[self._columns.view["row"]]
        return [int(id) for id in np.flatnonzero(missing)]

    def embed(self, ids: Sequence[int], vectors: Floats) -> None:
        """Attach embeddings; every other memory of the same text gets the same one.

        Args:
            ids: K memories.
            vectors: shape (K, D), any scale; D is the same for the whole stream.

        Raises:
            IndexError: there is no such memory.
            ValueError: the shape is another, or a vector is zero or not finite.
        """
        self._check(ids)
        if len(ids):
            rows = self._columns.view["row"][np.asarray(ids, dtype=np.int64)]
            self._vectors.set(rows, vectors)

    def find_vector(self, id: int) -> Floats | None:
        """Return the embedding of memory `id`, of length one, or None.

        Raises:
            IndexError: there is no such memory.
        """
        self._check([id])
        return self._vectors.row(self._row_of[self._memories[id].text])

    @property
    def dim(self) -> int:
        """Length of an embedding; 0 before the first."""
        return self._vectors.dim

    @property
    def accessed(self) -> Ids:
        """Game second of every memory's last access, shape (N,); read only."""
        return _make_readonly(self._columns.view["accessed"])

    @property
    def importance(self) -> npt.NDArray[np.float64]:
        """Every memory's importance, shape (N,); read only."""
        return _make_readonly(self._columns.view["importance"])

    @property
    def idle(self) -> npt.NDArray[np.bool_]:
        """Whether *idle* is in each memory's text, shape (N,); read only."""
        return _make_readonly(self._columns.view["idle"])

    def of_kind(self, kind: Kind) -> npt.NDArray[np.bool_]:
        """Return a mask of the memories of this kind, shape (N,)."""
        return np.asarray(self._columns.view["kind"] == _code(kind))

    def recallable(self, now: int, *, chats: bool = True) -> Ids | None:
        """Return the ids that may be recalled at `now`, ascending; None when all may.

        A memory may be recalled if it has an embedding and has not expired; without `chats` it is
        no conversation, either.
        """
        if chats and not self._vectors.missing and now < self._first_expiry:
            return None
        columns = self._columns.view
        may = self._vectors.known[columns["row"]] & (now < columns["expires"])
        return np.flatnonzero(may if chats else may & ~self.of_kind("chat"))

    def compute_similarity(self, queries: Floats) -> Cosines:
        """Return the cosine of every memory to `queries` (Q, D) of any length: shape (Q, N).

        It is float64, rounded to eight decimals, and 0 for memories without an embedding.
        """
        products, rows = self._vectors.dot(queries), self._columns.view["row"]
        return products if len(self._vectors) == len(self) else products[:, rows]

    def sources(self, ids: Iterable[int]) -> tuple[int, ...]:
        """Return the record's events behind `ids` and their evidence, ascending.

        Raises:
            IndexError: there is no such memory.
        """
        open_, reached, events = list(ids), set[int](), set[int]()
        self._check(open_)
        while open_:
            id = open_.pop()
            if id not in reached:
                reached.add(id)
                events.update(self._memories[id].events)
                open_.extend(self._memories[id].evidence)
        return tuple(sorted(events))

    def state(self) -> dict[str, object]:
        """Return everything but the vectors as JSON columns, for `load_state`."""
        return {name: [_plain(getattr(m, name)) for m in self._memories] for name in _SAVED}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Become the stream that `state` describes, with no vector attached yet.

        Raises:
            RecordError: `state` is not what `state()` returns.
        """
        fresh = MemoryStream()
        try:
            columns, accesses = [state[name] for name in _SAVED], dict[int, int]()
            for values in zip(*columns, strict=True):
                row = dict(zip(_SAVED, values, strict=True))
                if not all(isinstance(part, str) for part in (row["text"], *row["about"])):
                    raise TypeError("a text is not text")
                accessed = row.pop("accessed")
                accesses[fresh.add(row.pop("kind"), row.pop("text"), **row)] = accessed
            fresh._set_accessed(accesses)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as fault:
            raise RecordError(f"the saved memory stream is damaged: {fault}") from None
        self.__dict__.update(fresh.__dict__)

    def _check(self, ids: Sequence[int]) -> None:
        for id in ids:
            if not 0 <= id < len(self):
                raise IndexError(f"no memory {id}: there are {len(self)}")


def _code(kind: Kind) -> int:
    if kind not in _CODE:
        raise ValueError(f"memory kind is {kind!r}, expected one of {', '.join(KINDS)}")
    return _CODE[kind]


def _clip(importance: float) -> float:
    if importance != importance:
        raise ValueError("importance is not a number")
    return min(_MOST, max(_LEAST, float(importance)))


def _make_readonly(view: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    view = view.view()
    view.flags.writeable = False
    return view


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
