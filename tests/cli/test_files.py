import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.record.test_upgrade import unpack


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return unpack("finished", tmp_path)


def test_verify_says_what_is_damaged_and_exits_with_1(genagents: Run, old: Path) -> None:
    genagents("verify", "--upgrade", "finished.sqlite")
    code, out, _ = genagents("verify", "finished.sqlite")
    assert (code, out.splitlines()[0]) == (0, "finished.sqlite: whole, finished")
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DELETE FROM judgements")
        connection.commit()
    code, out, _ = genagents("verify", "finished.sqlite")
    assert (code, out.splitlines()[0]) == (1, "finished.sqlite: DAMAGED, finished")
    assert "  judgements            0  rows of judgements are missing or were added" in out
    code, out, _ = genagents("verify", "finished.sqlite", "--json")
    told = json.loads(out)
    assert (code, told["whole"], told["status"]) == (1, False, "finished")


def test_an_upgraded_file_is_shown_and_reported(genagents: Run, old: Path) -> None:
    code, out, _ = genagents("verify", "--upgrade", "finished.sqlite", "--out", "new.sqlite")
    assert code == 0
    assert "new.sqlite is of this version's format now" in out
    assert "Lizhi Chen" in genagents("show", "new.sqlite")[1]
    assert genagents("report", "new.sqlite")[0] == 0


def test_an_upgraded_file_is_gone_on_with_and_interviewed(genagents: Run, old: Path) -> None:
    stopped = unpack("stopped", old.parent)
    assert genagents("verify", "--upgrade", stopped.name)[0] == 0
    assert genagents("resume", stopped.name, "--model", "scripted:gossip")[0] == 0
    code, out, _ = genagents(
        "interview", stopped.name, "--agent", "Ben Carver", "--question", "Who?"
    )
    assert (code, "Ben Carver" in out) == (0, True)
