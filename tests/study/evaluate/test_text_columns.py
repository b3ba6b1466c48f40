from hypothesis import given
from hypothesis import strategies as st

from genagents_env.study.evaluate.text_columns import format_columns

HEADS = ("name", "mean seconds", "open at the end")
ROWS = (("Ada", "1.5", "0"), ("Ben", "20.25", "13"))
RIGHT = (False, True, True)


def test_heads_take_several_lines_before_columns_are_broken_off() -> None:
    assert list(format_columns(HEADS, ROWS, RIGHT, 20)) == [
        "               open",
        "                 at",
        "         mean   the",
        "name  seconds   end",
        "Ada       1.5     0",
        "Ben     20.25    13",
    ]


def test_columns_that_do_not_fit_stand_below_beside_what_tells_rows_apart() -> None:
    heads = ("town", "name", "mean seconds", "silences")
    rows = [("tiny", *row) for row in ROWS]
    lines = list(format_columns(heads, rows, (False, *RIGHT), 22))
    assert [line.split() for line in lines] == [
        ["mean"],
        ["town", "name", "seconds"],
        ["tiny", "Ada", "1.5"],
        ["tiny", "Ben", "20.25"],
        ["name", "silences"],
        ["Ada", "0"],
        ["Ben", "13"],
    ]


CELLS = st.text("ab c", max_size=12)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4), st.integers(0, 40))
def test_every_cell_is_there_whole_at_any_width(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    text = "\n".join(format_columns(HEADS, rows, RIGHT, width))
    for row in rows:
        assert all(cell.strip() in text for cell in row)
    assert list(format_columns((), (), ())) == []
