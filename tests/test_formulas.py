import csv
import sys
import unicodedata
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.study.report.table import Table
from genagents_env.text import escape_formula

BEGINS = ("=", "+", "-", "@", "\t", "\r")
SIGNS = [
    sign
    for sign in map(chr, range(sys.maxunicode + 1))
    if unicodedata.normalize("NFKC", sign).startswith(BEGINS)
]
INVISIBLE = st.text("\u200b\u2060\ufeff\u00ad\ufe0f \u00a0\u3000\"'\u201c\x00", max_size=4)


def test_all_forms_of_the_dangerous_signs_are_known() -> None:
    assert len(SIGNS) == 21
    assert set("\uff1d\uff0b\uff0d\uff20\ufe66\u208c\u207a") <= set(SIGNS)  # any width, any height


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_a_cell_that_begins_like_a_formula_is_set_off(sign: str) -> None:
    assert escape_formula(f"{sign}1+1") == f"'{sign}1+1"


@given(INVISIBLE, st.sampled_from(SIGNS), st.text(max_size=5))
def test_nothing_invisible_hides_a_formula(before: str, sign: str, after: str) -> None:
    assert escape_formula(before + sign + after) == f"'{before}{sign}{after}"


@pytest.mark.parametrize("words", ["", "a=b", "2+2", '"Hello," she said', "'tis", "a\uff1db"])
def test_other_words_stay_as_they_are(words: str) -> None:
    assert escape_formula(words) == words


@pytest.mark.parametrize("sign", [sign for sign in SIGNS if sign.isprintable()], ids=ascii)
def test_a_report_opened_in_a_spreadsheet_computes_nothing_people_said(sign: str) -> None:
    table = Table("said", "Said", (f"{sign}head",), ((f"\ufeff{sign}cmd()",), (-1.5,), (-3,)))
    cells = [row[0] for row in csv.reader(StringIO(table.format_csv()))]
    assert [cell[0] for cell in cells[:2]] == ["'", "'"]
    assert cells[2:] == ["-1.5", "-3"]
