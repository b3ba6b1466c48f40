import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.study.report.table import Table, format_cell, format_number
from genagents_env.study.stats.intervals import Interval

WORDS = st.text(max_size=30)


def table(*rows: tuple[object, ...]) -> Table:
    columns = tuple(f"c{k}" for k in range(len(rows[0])))
    return Table("t", "A table", columns, rows)  # type: ignore[arg-type]


def test_cells_are_told_and_means_take_four_columns_of_a_spreadsheet() -> None:
    found = table((1234, None, True, Interval(0.5, None, None, 1)), (0.12345, "x", False, None))
    assert found.format_rows() == [["1,234", "-", "yes", "0.5 (n=1)"], ["0.123", "x", "no", "-"]]
    assert format_cell(Interval(0.5, 0.4, 0.6, 3)) == "0.5 [0.4, 0.6] (n=3)"
    rows = list(csv.reader(StringIO(found.format_csv())))
    assert rows[0] == ["c0", "c1", "c2", "c3", "c3: low", "c3: high", "c3: n"]
    assert rows[1] == ["1234", "", "True", "0.5", "", "", "1"]
    assert rows[2] == ["0.12345", "x", "False", "", "", "", ""]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (12345.6, "12,346"), (0.00012, "0.00012"), (1e-7, "1.0e-07"), (2.2e-16, "0")],
)
def test_numbers_have_three_digits(value: float, words: str) -> None:
    assert format_number(value) == words


@given(WORDS)
def test_no_word_becomes_a_formula(word: str) -> None:
    (_, (cell, _)) = csv.reader(StringIO(table((word, "end")).format_csv()))
    assert not cell.startswith(("=", "+", "-", "@"))
