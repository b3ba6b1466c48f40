import json
import os
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import RecordError
from genagents_env.llm.budget import Budget, Spend
from genagents_env.sweep.spending.journal import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spending.json"


def restore(path: Path) -> Budget:
    budget = Budget()
    Journal(path).restore(budget)
    return budget


def test_where_there_is_no_file_nothing_was_spent(path: Path) -> None:
    assert restore(path).spent == Spend()
    assert list(path.parent.iterdir()) == []


def test_what_is_written_comes_back_however_often_it_is_written(path: Path) -> None:
    journal = Journal(path)
    for spend in (Spend(1, 2, Decimal("0.1")), Spend(10**15, 10**15, Decimal("12345.678901"))):
        journal.write(spend, 7.25)
        assert restore(path).spent == spend  # before it is closed: as after a kill
    journal.write(Spend(3), 8.5)
    journal.close()
    assert json.loads(path.read_text()) == {
        "calls": 3,
        "tokens": 0,
        "dollars": "0",
        "seconds": 8.5,
    }
    assert 8.5 <= restore(path).elapsed < 9.5
    assert [file.name for file in path.parent.iterdir()] == ["spending.json"]


def test_a_file_of_another_hand_is_read_and_replaced(path: Path) -> None:
    path.write_text('{"calls": 5, "tokens": 6,\n "dollars": "0.5", "seconds": 0}' + " " * 9000)
    journal, budget = Journal(path), Budget()
    journal.restore(budget)
    assert budget.spent == journal.written == Spend(5, 6, Decimal("0.5"))
    journal.write(Spend(7), 1)
    assert restore(path).spent == Spend(7)
    journal.close()
    assert path.stat().st_size == 512


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '"spent"',
        "{}",
        '{"calls": 1, "tokens": 2, "dollars": "3"}',
        '{"calls": 1, "tokens": 2, "dollars": "much", "seconds": 0}',
        '{"calls": 1, "tokens": 2, "dollars": "NaN", "seconds": 0}',
        '{"calls": 1, "tokens": 2, "dollars": "Infinity", "seconds": 0}',
        '{"calls": -1, "tokens": 2, "dollars": "3", "seconds": 0}',
        '{"calls": 1.5, "tokens": 2, "dollars": "3", "seconds": 0}',
        '{"calls": 1, "tokens": "2", "dollars": "3", "seconds": 0}',
        '{"calls": 1, "tokens": 2, "dollars": "3", "seconds": NaN}',
        '{"calls": 1, "tokens": 2, "dollars": null, "seconds": 0}',
        "\x00" * 512,
    ],
)
def test_a_damaged_file_is_named_and_never_taken_for_nothing(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(RecordError, match=r"spending\.json.*tokens"):
        restore(path)
    assert path.read_text() == text


def test_a_folder_in_its_place_is_told(path: Path) -> None:
    path.mkdir()
    with pytest.raises(RecordError, match="this is a folder"):
        restore(path)


def test_a_write_that_fails_leaves_what_was_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(path)
    journal.write(Spend(1), 0)

    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space"):
        journal.write(Spend(2), 0)
    assert journal.written == Spend(1) == restore(path).spent
    journal.close()


@given(written=st.tuples(*[st.integers(0, 3)] * 3), spend=st.tuples(*[st.integers(0, 3)] * 3))
def test_it_covers_what_is_less_in_every_kind(
    written: tuple[int, int, int], spend: tuple[int, int, int]
) -> None:
    journal = Journal(Path("unwritten"))
    journal.written = Spend(written[0], written[1], Decimal(written[2]))
    less = all(own <= there for own, there in zip(spend, written, strict=True))
    assert journal.covers(Spend(spend[0], spend[1], Decimal(spend[2]))) == less
