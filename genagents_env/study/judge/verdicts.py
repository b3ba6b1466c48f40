"""Verdicts, one a line: each is kept the moment it is given, and never asked for twice."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Literal, Self, TypeAlias

from pydantic import TypeAdapter

from genagents_env.errors import DiskError, RecordError
from genagents_env.files import guard_files, open_to_add, open_to_read, read_lines
from genagents_env.record.lock import RunLock
from genagents_env.record.rows import encode
from genagents_env.scenario.questions import When

By: TypeAlias = Literal["model", "human"]
Side: TypeAlias = Literal["first", "second"]
Choice: TypeAlias = Literal["first", "second", "tie"]
Key: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseJudgement:
    """What ratings and comparisons have in common.

    Attributes:
        block: of the conditions, see `JudgedText`.
        seed: as are `agent`, `when` and `question`, of what was judged.
        number: of the interview, from 0.
        rubric: its name; `edition` changes with its content.
        judge: the name of the model or of the person.
        by: which of the two it is.
        repeat: how often the judge had been asked this before; of a pair, in this order.
        why: in the judge's words.
        prompt_tokens: read; 0 of a person.
        completion_tokens: written.
    """

    block: str
    seed: int
    agent: str
    when: When
    question: str
    number: int
    rubric: str
    edition: str
    judge: str
    by: By
    repeat: int
    why: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def rubric_key(self) -> Key:
        """What tells the judge and the rubric from every other."""
        return (self.by, self.judge, self.rubric, self.edition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating(BaseJudgement):
    """What one judge gave one answer by one rubric.

    Attributes:
        answer: the id of what was judged, see `JudgedText`.
        run: of the answer, as is `condition`.
        low: the scale's ends, `high` included.
        value: a whole number of the scale; None where the reply was none.
    """

    answer: str
    run: str
    condition: str
    low: int
    high: int
    value: int | None

    @property
    def key(self) -> Key:
        """What tells it from every other verdict."""
        return ("rating", *self.rubric_key, self.answer, self.repeat)

    @property
    def has_verdict(self) -> bool:
        """Whether the reply was a verdict."""
        return self.value is not None

    @property
    def answers(self) -> tuple[str, ...]:
        """The ids of what was judged."""
        return (self.answer,)

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that it is about."""
        return (self.run,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(BaseJudgement):
    """Which of two answers one judge found the better by one rubric.

    Attributes:
        first: the id of the answer in `first_condition`.
        second: the id of the answer in `second_condition`.
        first_run: of the first answer.
        second_run: of the second.
        first_condition: one of the two conditions.
        second_condition: the other.
        shown: which of the two the judge read first.
        verdict: the better one; None where the reply was none.
    """

    first: str
    second: str
    first_run: str
    second_run: str
    first_condition: str
    second_condition: str
    shown: Side
    verdict: Choice | None

    @property
    def key(self) -> Key:
        """What tells it from every other verdict: the two in the order in which they were read."""
        read = (self.first, self.second) if self.shown == "first" else (self.second, self.first)
        return ("comparison", *self.rubric_key, *read, self.repeat)

    @property
    def has_verdict(self) -> bool:
        """Whether the reply was a verdict."""
        return self.verdict is not None

    @property
    def answers(self) -> tuple[str, ...]:
        """The ids of what was judged."""
        return (self.first, self.second)

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that it is about."""
        return (self.first_run, self.second_run)


Judgement: TypeAlias = Rating | Comparison


@cache
def _find_kinds() -> dict[str, TypeAdapter[Rating] | TypeAdapter[Comparison]]:
    """Return what checks the types of each kind of verdict, made when it is first needed."""
    return {"rating": TypeAdapter(Rating), "comparison": TypeAdapter(Comparison)}


class Verdicts:
    """The verdicts in a file of JSON lines, to which lines are only ever added.

    Of several lines with one key the last counts. Inside `with` it can be added to, by one process
    at a time; what was added is on the disk when `add` returns. A last line that a crash tore is
    no verdict, and gives way to the next.

    Args:
        path: of the file; it need not exist.

    Raises:
        RecordError: a line is no verdict; the message names it.
        FileError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: RunLock | None = None
        self._file: int | None = None  # to be written, inside `with`
        self._whole = 0  # bytes of whole lines
        self._known: dict[Key, Judgement] = {}
        self._read()

    def __iter__(self) -> Iterator[Judgement]:
        return iter(tuple(self._known.values()))

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: Key) -> Judgement | None:
        """Return the verdict that has this key, or None."""
        return self._known.get(key)

    def add(self, one: Judgement) -> None:
        """Keep a verdict, in place of an earlier one with its key.

        Raises:
            RecordError: this is not inside `with`.
        """
        if self._file is None:
            raise RecordError(f"{self.path}: verdicts are added inside `with verdicts:` only")
        if self._known.get(one.key) == one:
            return
        kind = "rating" if isinstance(one, Rating) else "comparison"
        self._append(self._file, encode({"kind": kind, **asdict(one)}).encode() + b"\n")
        self._known[one.key] = one

    def __enter__(self) -> Self:
        """Become the one who writes, and read what others wrote meanwhile.

        Raises:
            RunLocked: another process writes it.
            FileError: it cannot be written.
        """
        with guard_files(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = RunLock(self.path)
        try:
            with guard_files(self.path):
                self._file = open_to_add(self._lock.path)
            self._read()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _append(self, file: int, line: bytes) -> None:
        """Write a line in place of what is torn at the end, whole or not at all."""
        try:
            written = os.pwrite(file, line, self._whole)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.ftruncate(file, self._whole + len(line))
            os.fsync(file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(file, self._whole)
            raise DiskError(
                f"{self.path} cannot be written: {error.strerror}; the verdicts before are in it, "
                "and the same command goes on with them"
            ) from None
        self._whole += len(line)

    def _read(self) -> None:
        self._whole, self._known = 0, {}
        with self._open() as file:
            for number, line in enumerate(read_lines(self.path, file), 1):
                if not line.endswith(b"\n"):
                    return
                self._whole += len(line)
                if line.strip():
                    one = _parse_line(self.path, number, line)
                    self._known[one.key] = one

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        with guard_files(self.path, "read"):
            if not self.path.exists():
                yield BytesIO()
                return
        with open_to_read(self.path) as file:
            yield file


def _parse_line(path: Path, number: int, line: bytes) -> Judgement:
    try:
        data = json.loads(line)
        kind = _find_kinds()[data.pop("kind")]
        return kind.validate_json(json.dumps(data), strict=True)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(
            f"{path}:{number}: this line is no verdict ({type(error).__name__}); "
            "a line is a rating or a comparison as `genagents judge` writes them: remove it"
        ) from None
