import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.conftest import Run


def test_verify_says_what_is_damaged_and_exits_with_1(genagents: Run, tmp_path: Path) -> None:
    genagents("run", "tiny", "--policy", "idle", "--hours", "0.02", "--out", "run.sqlite")
    code, out, _ = genagents("verify", "run.sqlite")
    assert (code, out.splitlines()[0]) == (0, "run.sqlite: whole, finished")
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as connection:
        (events,) = connection.execute("SELECT count(*) FROM actions").fetchone()
        connection.execute("DELETE FROM actions")
        connection.commit()
    assert events
    code, out, _ = genagents("verify", "run.sqlite")
    assert (code, out.splitlines()[0]) == (1, "run.sqlite: DAMAGED, finished")
    assert "  actions               0  rows of actions are missing or were added" in out
    code, out, _ = genagents("verify", "run.sqlite", "--json")
    told = json.loads(out)
    assert (code, told["whole"], told["status"]) == (1, False, "finished")
