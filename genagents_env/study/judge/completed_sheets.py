"""Reading a filled sheet: what people judged, or every fault of the file with its row."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import combinations
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.files import read_text
from genagents_env.scenario.faults import quote, suggest
from genagents_env.study.judge.by_rubric import copy_ratings, make_blank
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.session import NAME_LIMIT
from genagents_env.study.judge.sheets import LETTERS, Form, list_columns
from genagents_env.study.judge.texts import JudgedText
from genagents_env.study.judge.verdicts import Choice, Judgement
from genagents_env.text import clean, fold

_NOTE = 500  # characters
_MOST_FAULTS = 50  # listed at once
_MOST = 50_000_000  # bytes of a file
_CHOICES: dict[str, Choice] = {"a": "first", "b": "second", "tie": "tie", "=": "tie"}
_ID = "id"


@dataclass(frozen=True, slots=True)
class CompletedSheet:
    """What one person made of a sheet.

    Attributes:
        verdicts: in the order of the rows; of ranks one for each pair of answers in a row.
        rows: of the sheet.
        empty: how many of these were left empty.
        copies: of ratings, for what reads the very same elsewhere.
    """

    verdicts: tuple[Judgement, ...]
    rows: int
    empty: int
    copies: tuple[Judgement, ...] = ()


def read_sheet(
    path: Path, answers: Iterable[JudgedText], rubric: Rubric, rater: str
) -> CompletedSheet:
    """Return the verdicts in a filled sheet; rows left empty are counted and passed over.

    The columns show the form. Commas, semicolons or tabs may part them, in any order, with
    any line ends, with a mark at the beginning or none.

    Args:
        path: of the CSV file.
        answers: that the sheet was made of, and any others.
        rubric: that it was made for.
        rater: who filled it in.

    Raises:
        ConfigError: the file has faults: all are listed, each with row, column and what is allowed.
    """
    name = clean(rater, NAME_LIMIT)
    if not name:
        raise ConfigError("rater: whoever filled the sheet in needs a name")
    known = {said.id: said for said in answers}
    heads, rows = read_table(path)
    reading = _SheetReader(path, known, rubric, name, *_find_form(path, heads))
    found: list[Judgement] = []
    empty = 0
    for number, cells in rows:
        row = dict(zip(heads, cells, strict=False))
        given = reading.read_row(number, row)
        empty += not given
        found += given
    if reading.faults:
        more = len(reading.faults) - _MOST_FAULTS
        told = reading.faults[:_MOST_FAULTS] + ([f"and {more} more"] if more > 0 else [])
        raise ConfigError("\n".join(told))
    copies = tuple(copy_ratings(found, known.values(), rubric))
    return CompletedSheet(tuple(found), len(rows), empty, copies)


def read_table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the heads, and every row that has anything, with its number in the spreadsheet."""
    text = read_text(path, _MOST)
    first = text.partition("\n")[0]
    parting = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=parting, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{path}: this is no CSV ({error})") from None
    heads = [fold(head).replace(" ", "_") for head in rows[0]] if rows else []
    numbered = [(number, row) for number, row in enumerate(rows[1:], 2) if any(map(str.strip, row))]
    return heads, numbered


def _find_form(path: Path, heads: Sequence[str]) -> tuple[Form, int]:
    """Return which form a sheet has, and how many answers stand in a row."""
    answers = [head for head in heads if head.startswith("answer_")]
    form: Form = "rubric"
    if answers:
        form = "pairs" if "rating" in heads else "ranks"
    wanted = [
        c for c in list_columns(form, len(answers)) if c == _ID or c.startswith(("rating", "rank"))
    ]
    missing = [column for column in wanted if heads.count(column) != 1]
    if missing:
        raise ConfigError(
            f"{path}: row 1: one column of each name is wanted: {', '.join(missing)}; "
            f"there are {', '.join(map(quote, heads)) or 'none'}"
        )
    return form, len(answers)


@dataclass
class _SheetReader:
    """One sheet while it is read; `faults` fill up."""

    path: Path
    answers: Mapping[str, JudgedText]
    rubric: Rubric
    rater: str
    form: Form
    width: int
    faults: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def read_row(self, number: int, row: Mapping[str, str]) -> list[Judgement]:
        """Return the verdicts in a row; none where it is empty or has a fault."""
        columns = list_columns(self.form, self.width)
        names = [column for column in columns if column.startswith(("rating", "rank_"))]
        cells = [row.get(name, "").strip() for name in names]
        said = self._find_texts(number, row.get(_ID, "").strip())
        if said is None or not any(cells):
            return []
        note = clean(row.get("note", ""), _NOTE)
        if self.form == "ranks":
            return list(self._read_ranks(number, cells, said, note))
        read = self._read_rating if self.form == "rubric" else self._read_choice
        value = read(number, cells[0])
        return [] if value is None else [self._judge(said, value, note)]

    def _find_texts(self, number: int, id_: str) -> list[JudgedText] | None:
        """Return the answers that an id stands for: one, two, or of ranks two or more."""
        *ids, edition = id_.split(".")
        known = all(one in self.answers for one in ids)
        wanted = {"rubric": 1, "pairs": 2}.get(self.form, max(2, len(ids)))
        if not known or len(ids) != wanted:
            what = f"{quote(id_)} is no answer of these runs; ids are left as they were written"
        elif edition != f"r{self.rubric.edition}":
            what = f"this sheet was made for another rubric than {self.rubric.name} as it is now"
        elif id_ in self.seen:
            what = f"the same id stands in row {self.seen[id_]}"
        else:
            self.seen[id_] = number
            return [self.answers[one] for one in ids]
        self._note_fault(number, _ID, what)
        return None

    def _read_rating(self, number: int, cell: str) -> int | None:
        low, high = self.rubric.low, self.rubric.high
        value = _parse_whole(cell)
        if value is not None and low <= value <= high:
            return value
        allowed = f"allowed: a whole number from {low} to {high}, or nothing"
        self._note_fault(number, "rating", f"{quote(cell)} is no rating; {allowed}")
        return None

    def _read_choice(self, number: int, cell: str) -> Choice | None:
        choice = _CHOICES.get(fold(cell).removeprefix("answer_"))
        if choice is None:
            what = f"{quote(cell)} is no verdict; {suggest(cell, ['a', 'b', 'tie'])} (or nothing)"
            self._note_fault(number, "rating", what)
        return choice

    def _read_ranks(
        self, number: int, cells: Sequence[str], said: Sequence[JudgedText], note: str
    ) -> Iterator[Judgement]:
        ranks = [_parse_whole(cell) for cell in cells[: len(said)]]
        for column, cell, rank in zip(LETTERS, cells, ranks, strict=False):
            if rank is None or not 1 <= rank <= len(said):
                what = f"{quote(cell)} is no rank" if cell else "this rank is missing"
                allowed = f"allowed: 1 to {len(said)} for every answer of the row, or nothing in it"
                self._note_fault(number, f"rank_{column}", f"{what}; {allowed}")
        for column, cell in zip(LETTERS[len(said) :], cells[len(said) :], strict=False):
            if cell:
                self._note_fault(number, f"rank_{column}", "there is no such answer in this row")
        known = [rank for rank in ranks if rank is not None]
        if len(known) < len(said):
            return
        for i, j in combinations(range(len(said)), 2):
            better: Choice = "first" if known[i] < known[j] else "second"
            choice = "tie" if known[i] == known[j] else better
            yield self._judge([said[i], said[j]], choice, note)

    def _judge(self, read: Sequence[JudgedText], value: int | Choice, note: str) -> Judgement:
        return replace(make_blank(read, self.rubric, self.rater, "human"), value=value, why=note)

    def _note_fault(self, number: int, column: str, what: str) -> None:
        self.faults.append(f"{self.path}: row {number}, column {column}: {what}")


def _parse_whole(cell: str) -> int | None:
    """Return a whole number as spreadsheets write it, `5`, `5.0` or `5,0`; None of any other."""
    plain = cell.lstrip("'").replace(",", ".")
    whole, _, rest = plain.partition(".")
    digits = whole.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10 and not rest.strip("0")):
        return None
    return int(whole)
