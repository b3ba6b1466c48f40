import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.report.groups import Mean
from genagents_env.report.table import Table, escape_markdown, format_cell, format_number

WORDS = st.text(max_size=30)


def table(*rows: tuple[object, ...]) -> Table:
    columns = tuple(f"c{k}" for k in range(len(rows[0])))
    return Table("t", "A table", columns, rows)  # type: ignore[arg-type]


def test_cells_are_told_and_means_take_three_columns_of_a_spreadsheet() -> None:
    found = table((1234, None, True, Mean(0.5, None, 1)), (0.12345, "x", False, None))
    assert found.format_rows() == [["1,234", "-", "yes", "0.5 (n=1)"], ["0.123", "x", "no", "-"]]
    assert format_cell(Mean(0.5, 0.1, 3)) == "0.5 ± 0.1 (n=3)"
    rows = list(csv.reader(StringIO(found.format_csv())))
    assert rows[0] == ["c0", "c1", "c2", "c3", "c3: s.e.m.", "c3: n"]
    assert rows[1] == ["1234", "", "True", "0.5", "", "1"]
    assert rows[2] == ["0.12345", "x", "False", "", "", ""]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (12345.6, "12,346"), (0.00012, "0.00012"), (1e-7, "1.0e-07"), (74.23, "74.2")],
)
def test_numbers_have_three_digits(value: float, words: str) -> None:
    assert format_number(value) == words


@given(WORDS)
def test_no_word_breaks_a_row_of_markdown(word: str) -> None:
    lines = table((word, "end")).format_markdown().split("\n")
    assert len(lines) == 3
    bare = lines[2].replace("\\\\", "").replace("\\|", "")
    assert bare.count("|") == 3


@given(WORDS)
def test_no_word_becomes_a_formula(word: str) -> None:
    (_, (cell, _)) = csv.reader(StringIO(table((word, "end")).format_csv()))
    assert not cell.startswith(("=", "+", "-", "@"))


def test_markup_is_escaped() -> None:
    assert escape_markdown("<b> [x](y) `c`") == "\\<b\\> \\[x\\]\\(y\\) \\`c\\`"


def test_for_readers_columns_and_rows_of_dashes_are_left_out_and_named() -> None:
    found = table(("a", 1, None, "x"), ("b", None, None, "y"), ("c", Mean(2.0, None, 1), None, "z"))
    shown = found.drop_blanks()
    assert shown.columns == ("c0", "c1", "c3")
    assert [row[0] for row in shown.rows] == ["a", "c"]
    assert shown.note == (
        "Left out, with nothing to show: c2. Left out, without a number: 1 row (b)."
    )
    assert found.number_columns == {1}


def test_a_table_without_numbers_keeps_its_rows() -> None:
    found = table(("a", None), ("b", "x"))
    assert found.drop_blanks() == found


def test_rows_of_mostly_dashes_are_told_below_unless_they_are_to_stay() -> None:
    found = table(("a", 1, 2, 3), ("b", 4, None, None), ("c", None, None, 5))
    shown = found.fold_sparse_rows({"c"})
    assert [row[0] for row in shown.rows] == ["a", "c"]
    assert shown.note == "Also: b: c1 4."
    assert table(("b", 4, None, None), ("a", 1, None, None)).fold_sparse_rows().note == ""
