"""The promise of a shared budget, kept by real processes that are really killed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SPENT, KILLED, ABANDONED, LOST = 3, -9, 70, 4


def play_spenders(folder: Path, **plan: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.sweep.spending.spenders", str(folder), json.dumps(plan)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_eight_processes_spend_the_budget_and_not_a_token_more(tmp_path: Path) -> None:
    tokens = 150_000
    found = play_spenders(tmp_path, tokens=tokens, workers=8)
    assert found["billed"] == found["spent"] == found["kept"] <= tokens
    assert found["billed"] > tokens - found["largest"], "it stopped before the budget was used up"
    assert found["exhausted"] == "tokens"
    assert found["ends"] == [SPENT]


@pytest.mark.slow
def test_the_budget_holds_while_workers_are_killed(tmp_path: Path) -> None:
    tokens = 400_000  # enough for some kills on a busy machine, too
    found = play_spenders(tmp_path, tokens=tokens, workers=8, kill_worker=20)
    assert found["billed"] <= found["spent"] == found["kept"] <= tokens
    assert found["spent"] > tokens - found["largest"]
    assert found["kills"] >= 4
    assert found["ends"] == [KILLED, SPENT]


def test_the_budget_holds_while_servers_are_killed_too(tmp_path: Path) -> None:
    tokens = 200_000
    found = play_spenders(tmp_path, tokens=tokens, workers=8, kill_worker=40, kill_server=70)
    assert found["billed"] <= found["spent"] == found["kept"] <= tokens
    assert found["server_kills"] >= 2
    assert {KILLED, SPENT, ABANDONED} <= set(found["ends"]) <= {KILLED, SPENT, ABANDONED, LOST}
