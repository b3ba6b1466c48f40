import subprocess
import sys
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.run.policies import load_policy

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *options: str) -> str:
    """Run an example as a user would; return what it prints."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={"PYTHONIOENCODING": "utf-8", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_quickstart_prints_events_a_frame_and_percepts() -> None:
    shown = run("quickstart.py")
    assert "Ada Brook: say" in shown
    assert "What Ben Carver perceives:\n" in shown
    assert "Cottage" in shown
    assert len((EXAMPLES / "quickstart.py").read_text("utf-8").splitlines()) <= 40


def test_the_own_policy_runs_by_itself_and_by_path() -> None:
    assert "Hello, " in run("own_policy.py")
    policy = load_policy(f"{EXAMPLES / 'own_policy.py'}:FollowTheCrowd")
    assert policy.name == "follow_the_crowd"
    assert len((EXAMPLES / "own_policy.py").read_text("utf-8").splitlines()) <= 60


@pytest.mark.slow
def test_the_papers_figures_are_one_command_that_repeats_no_finished_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    asked = ("--out", str(tmp_path), "--figures", "table2", "--runs", "1", "--hours", "0.02")
    model = ("--model", "scripted:neighbour", "--embedder", "hashed")
    assert run("lyfe_paper.py", *asked, *model).endswith("report/report.html\n")
    page = tmp_path / "report" / "report.html"
    with RunReader(tmp_path / "medicine-lyfe-0.sqlite") as record:
        began = [call.started_at for call in record.calls()]
    assert "medicine" in page.read_text("utf-8")
    page.unlink()
    run("lyfe_paper.py", *asked, *model)
    assert page.is_file()
    with RunReader(tmp_path / "medicine-lyfe-0.sqlite") as record:
        assert [call.started_at for call in record.calls()] == began
