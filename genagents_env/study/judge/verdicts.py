"""Verdicts, one a line: each is kept the moment it is given, and never asked for twice."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from pydantic import TypeAdapter

from genagents_env.scenario.questions import When
from genagents_env.study.judge.line_file import LineFile

VERDICTS = "verdicts.jsonl"  # in the folder of a sweep, or beside run files
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

    def __post_init__(self) -> None:
        lengths = set(map(len, (self.texts, self.runs, self.conditions, self.contents)))
        is_choice = self.is_comparison if self.value is None else isinstance(self.value, str)
        if lengths not in ({1}, {2}) or is_choice != self.is_comparison:
            raise ValueError("a rating is of one text, a choice of two")

    @property
    def key(self) -> Key:
        """What tells it from every other judgement."""
        return (self.by, self.judge, self.rubric, self.edition, *self.texts, self.repeat)

    @property
    def reading(self) -> tuple[str, ...]:
        """What tells one reading from another; people compare whatever is put before them."""
        return self.texts if self.is_comparison and self.by == "human" else self.contents

    @property
    def points(self) -> int:
        """The rating; of two texts 1 where the one read first is better, -1 the other, 0 a tie."""
        sides = {"first": 1, "second": -1}
        return self.value if isinstance(self.value, int) else sides.get(self.value or "", 0)

    @property
    def is_comparison(self) -> bool:
        """Whether it is about two texts."""
        return len(self.texts) == 2


def format_judge(by: By, name: str) -> str:
    """Return a judge's name; a person's says so."""
    return f"{name} (human)" if by == "human" else name


def find_side(balance: int) -> Choice:
    """Return which of two texts is the better, where a positive number speaks for the first."""
    return "tie" if balance == 0 else "first" if balance > 0 else "second"


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


class Verdicts(LineFile[Judgement]):
    """The verdicts in a file, see `LineFile`.

    Args:
        path: of the file; it need not exist.

    Raises:
        FileError: the file cannot be read, or a line is no verdict; the message names it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, _ROW, "verdict of `genagents judge`")

    def find(self, blank: Judgement) -> Judgement | None:
        """Return the verdict on these texts; None where a judge would read other words by now."""
        found = self.get(blank.key)
        if found is None or found.value is None or found.contents != blank.contents:
            return None
        return found


_ROW = TypeAdapter(Judgement)
