"""A table for the page, a spreadsheet and the terminal; how numbers and lists are told in words."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TypeAlias

from genagents_env.study.evaluate.text_columns import format_columns
from genagents_env.study.stats.effects import Effect
from genagents_env.study.stats.intervals import Interval, list_bounds
from genagents_env.text import clean, escape_formula

CellValue: TypeAlias = str | int | float | bool | Interval | None

NOTHING = "-"
_INDENT = "    "
_LIMIT = 2000
_ERROR = 1e-12
_ENDS = ("low", "high", "n")  # the further columns of a mean in a spreadsheet


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a title.

    Attributes:
        name: of its file.
        title: above it.
        columns: their heads, with units.
        rows: as long as `columns` each; None is shown as a dash.
        note: below it; may be empty.
        strong: the places of the rows that stand in bold.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    note: str = ""
    strong: frozenset[int] = frozenset()

    @property
    def number_columns(self) -> frozenset[int]:
        """The places of the columns that hold numbers or nothing, and some numbers."""
        return frozenset(
            k
            for k in range(len(self.columns))
            if any(row[k] is not None for row in self.rows)
            and all(_is_number(row[k]) for row in self.rows if row[k] is not None)
        )

    def format_rows(self) -> list[list[str]]:
        """Return the rows as they are read, numbers rounded."""
        return [[format_cell(cell) for cell in row] for row in self.rows]

    def format_csv(self) -> str:
        """Return it for a spreadsheet: numbers in full, a mean with its interval in four columns.

        Words that a spreadsheet would take for a formula are set off by an apostrophe.
        """
        wide = [
            any(isinstance(row[k], Interval) for row in self.rows) for k in range(len(self.columns))
        ]
        heads: list[str] = []
        for column, is_wide in zip(map(_format_words, self.columns), wide, strict=True):
            heads += [column, *(f"{column}: {end}" for end in _ENDS if is_wide)]
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(heads)
        for row in self.rows:
            cells = zip(row, wide, strict=True)
            writer.writerow([value for cell, is_wide in cells for value in _spread(cell, is_wide)])
        return out.getvalue()

    def format_lines(self, width: int = 0) -> Iterator[str]:
        """Yield it for a terminal: its title, heads and rows in columns, its note.

        Args:
            width: characters of a line, where columns have to be broken off; 0 for as many as
                they need.
        """
        right = [k in self.number_columns for k in range(len(self.columns))]
        yield f"{self.title}:"
        room = max(1, width - len(_INDENT)) if width else 0
        for line in format_columns(self.columns, self.format_rows(), right, room):
            yield f"{_INDENT}{line}"
        if self.note:
            yield f"{_INDENT}{self.note}"


def _is_number(cell: CellValue) -> bool:
    return isinstance(cell, int | float | Interval) and not isinstance(cell, bool)


def format_cell(cell: CellValue) -> str:
    """Return a cell in words."""
    if cell is None:
        return NOTHING
    if isinstance(cell, Interval):
        return f"{format_number(cell.mean)}{format_bounds(cell)} (n={cell.n})"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return format_number(cell) if isinstance(cell, float) else clean(cell, _LIMIT)


def format_bounds(one: Interval | Effect, by: float = 1) -> str:
    """Return ` [low, high]`, each times `by`; nothing where there is no interval."""
    ends = [format_number(by * end) for end in list_bounds(one)]
    return f" [{', '.join(ends)}]" if ends else ""


def format_number(value: float) -> str:
    """Return a number with three digits that count, without an exponent where one can do so.

    What is only the rounding error of sums is 0.
    """
    if abs(value) < _ERROR:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.1e}"


def format_count(number: int, noun: str) -> str:
    """Return `1 run`, `2 runs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def list_some(names: Sequence[str], most: int = 8, between: str = ", ") -> str:
    """Return the first `most` names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def _spread(cell: CellValue, is_wide: bool) -> list[object]:
    """Return what a cell is in a spreadsheet: one value, or four in a column of means."""
    if isinstance(cell, Interval):
        return [cell.mean, cell.low, cell.high, cell.n]
    value = _format_words(cell) if isinstance(cell, str) else cell
    return [value, *(None for _ in _ENDS if is_wide)]


def _format_words(text: str) -> str:
    return escape_formula(clean(text, _LIMIT))
