"""Verdicts, one a line: each is kept the moment it is given, and never asked for twice."""

import errno
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Self, TypeAlias, TypeVar

from pydantic import TypeAdapter

from genagents_env.errors import DiskError, RecordError
from genagents_env.files import guard_files, open_to_add, open_to_read, read_lines
from genagents_env.record.lock import RunLock
from genagents_env.record.rows import encode
from genagents_env.scenario.questions import When

By: TypeAlias = Literal["model", "human"]
Choice: TypeAlias = Literal["first", "second", "tie"]
Key: TypeAlias = tuple[str | int, ...]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one judge gave one text by one rubric, or which of two texts it found the better.

    Attributes:
        texts: the ids of what was read, see `JudgedText`: one that is rated, or two that are
            compared, in the order of reading.
        runs: of the texts, as are `conditions`.
        contents: of each text the hash of all that a judge reads. What is said of the very same
            words elsewhere is a copy: it tells nothing more about the judge.
        block: of the conditions, see `JudgedText`.
        seed: as are `agent`, `when` and `question`, of what was judged.
        number: of the interview, from 0.
        rubric: its name; `edition` changes with its content.
        low: the ends of its scale, `high` included.
        judge: the name of the model or of the person.
        by: which of the two it is.
        repeat: how often the judge had been asked this before; of two texts, in this order.
        value: a whole number of the scale, or which of two texts is the better; None where the
            reply was neither.
        why: in the judge's words.
        prompt_tokens: read; 0 of a person.
        completion_tokens: written.
    """

    texts: tuple[str, ...]
    runs: tuple[str, ...]
    conditions: tuple[str, ...]
    contents: tuple[str, ...]
    block: str
    seed: int
    agent: str
    when: When
    question: str
    number: int
    rubric: str
    edition: str
    low: int
    high: int
    judge: str
    by: By
    repeat: int
    value: int | Choice | None = None
    why: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def key(self) -> Key:
        """What tells it from every other judgement."""
        return (self.by, self.judge, self.rubric, self.edition, *self.texts, self.repeat)

    @property
    def reading(self) -> tuple[str, ...]:
        """What tells one reading from another; people compare whatever is put before them."""
        return self.texts if self.is_comparison and self.by == "human" else self.contents

    @property
    def is_in_order(self) -> bool:
        """Whether the texts were read in the order of their conditions' names."""
        return self.conditions[0] <= self.conditions[-1]

    @property
    def is_comparison(self) -> bool:
        """Whether it is about two texts."""
        return len(self.texts) == 2


_ROW = TypeAdapter(Judgement)


def format_judge(by: By, name: str) -> str:
    """Return a judge's name; a person's says so."""
    return f"{name} (human)" if by == "human" else name


def label_rubrics(given: Iterable[Judgement]) -> Mapping[tuple[str, str], str]:
    """Return what each rubric and edition is called: by its name, while it has one edition."""
    both = sorted({(one.rubric, one.edition) for one in given})
    names = [name for name, _ in both]
    return {
        (name, edition): name if names.count(name) == 1 else f"{name} ({edition})"
        for name, edition in both
    }


def group_by(given: Iterable[Judgement], key: Callable[[Judgement], K]) -> dict[K, list[Judgement]]:
    """Return `given` in groups, in the order in which the groups begin."""
    groups: dict[K, list[Judgement]] = {}
    for one in given:
        groups.setdefault(key(one), []).append(one)
    return groups


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

    def find(self, blank: Judgement) -> Judgement | None:
        """Return the verdict on these texts; None where a judge would read other words by now."""
        found = self._known.get(blank.key)
        if found is None or found.value is None or found.contents != blank.contents:
            return None
        return found

    def add(self, one: Judgement) -> None:
        """Keep a verdict, in place of an earlier one with its key.

        Raises:
            RecordError: this is not inside `with`.
        """
        if self._file is None:
            raise RecordError(f"{self.path}: verdicts are added inside `with verdicts:` only")
        if self._known.get(one.key) == one:
            return
        self._append(self._file, encode(asdict(one)).encode() + b"\n")
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
        with guard_files(self.path, "read"):
            if not self.path.exists():
                return
        with open_to_read(self.path) as file:
            for number, line in enumerate(read_lines(self.path, file), 1):
                if not line.endswith(b"\n"):
                    return
                self._whole += len(line)
                if line.strip():
                    one = _parse_line(self.path, number, line)
                    self._known[one.key] = one


def _parse_line(path: Path, number: int, line: bytes) -> Judgement:
    try:
        one = _ROW.validate_json(line, strict=True)
        lengths = set(map(len, (one.texts, one.runs, one.conditions, one.contents)))
        is_choice = isinstance(one.value, str)
        if lengths not in ({1}, {2}) or (one.value is not None and is_choice != one.is_comparison):
            raise ValueError("texts, runs and conditions")
        return one
    except ValueError as error:
        raise RecordError(
            f"{path}:{number}: this line is no verdict ({type(error).__name__}); "
            "a line is one as `genagents judge` writes them: remove it"
        ) from None
