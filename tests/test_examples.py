import subprocess
import sys
from pathlib import Path

from genagents_env.policy import load_policy

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str) -> str:
    """Run an example as a user would; return what it prints."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
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
