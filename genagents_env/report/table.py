"""A table once, for the page, for Markdown and for a spreadsheet."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TypeAlias

from genagents_env.report.groups import Mean
from genagents_env.text import clean

Cell: TypeAlias = str | int | float | bool | Mean | None

NOTHING = "-"
_RULE = "---"
_LIMIT = 2000
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a title.

    Attributes:
        name: of its file.
        title: above it.
        columns: their heads, with units.
        rows: as long as `columns` each; None is shown as a dash.
        note: below it; may be empty.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def words(self) -> list[list[str]]:
        """Return the rows as they are read, numbers rounded."""
        return [[told(cell) for cell in row] for row in self.rows]

    def csv(self) -> str:
        """Return it for a spreadsheet: numbers in full, a mean in three columns.

        Words that a spreadsheet would take for a formula are set off by an apostrophe.
        """
        wide = [
            any(isinstance(row[k], Mean) for row in self.rows) for k in range(len(self.columns))
        ]
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        heads = zip(self.columns, wide, strict=True)
        writer.writerow([h for column, three in heads for h in _heads(column, three)])
        for row in self.rows:
            cells = zip(row, wide, strict=True)
            writer.writerow([value for cell, three in cells for value in _values(cell, three)])
        return out.getvalue()

    def markdown(self) -> str:
        """Return it as a Markdown table in which no word can break a row or be markup."""
        lines = [list(self.columns), [_RULE] * len(self.columns), *self.words()]
        return "\n".join(f"| {' | '.join(map(plain, line))} |" for line in lines)


def told(cell: Cell) -> str:
    """Return a cell in words."""
    if cell is None:
        return NOTHING
    if isinstance(cell, Mean):
        spread = "" if cell.sem is None else f" ± {number(cell.sem)}"
        return f"{number(cell.value)}{spread} (n={cell.n})"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return number(cell) if isinstance(cell, float) else clean(cell, _LIMIT)


def number(value: float) -> str:
    """Return a number with three digits that count, without an exponent where one can do so."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.1e}"


def plain(words: str) -> str:
    """Return `words` as Markdown that shows them and does nothing else."""
    if words == _RULE:
        return words
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>|#!~$&" else c for c in words)


def _heads(column: str, three: bool) -> list[str]:
    return [column, f"{column}: s.e.m.", f"{column}: n"] if three else [column]


def _values(cell: Cell, three: bool) -> Sequence[object]:
    if isinstance(cell, Mean):
        return [cell.value, "" if cell.sem is None else cell.sem, cell.n]
    value: object = "" if cell is None else cell
    if isinstance(cell, str):
        words = clean(cell, _LIMIT)
        value = f"'{words}" if words.startswith(_FORMULA) else words
    return [value, "", ""] if three else [value]
