import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from genagents_env.testing.fault_server import FaultServer, ServerFault
from tests.campaigns import key_canary

_TINY = Path(__file__).parents[2] / "scenarios" / "tiny"
KEY = "sk-CANARY-0f1e2d3c4b5a69788796a5b4c3d2e1f0/+="


def traces(folder: Path, *texts: str) -> list[str]:
    """Return where the key is to be found, however it is written."""
    raw = KEY.encode()
    forms = [raw, quote(KEY, safe="").encode(), base64.b64encode(raw), b"0f1e2d3c4b5a69788796"]
    places = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    places |= {f"text {number}": text.encode() for number, text in enumerate(texts)}
    return [place for place, content in places.items() if any(form in content for form in forms)]


_CRASH = """
import os
import genagents_env.run as runs
from genagents_env.cli import main
def fail(*arguments, **more):
    raise RuntimeError("with " + os.environ["OPENAI_API_KEY"])
runs.run = fail
main()
"""


@pytest.mark.parametrize("policy", ["reactive", "crash", "fault"])
def test_the_key_is_in_no_byte_that_a_run_leaves(tmp_path: Path, policy: str) -> None:
    program = ("-c", _CRASH) if policy == "fault" else ("-m", "genagents_env")  # one of our own
    if policy == "crash":
        policy = str(tmp_path / "crash.py")
        Path(policy).write_text(
            "import os\n"
            "from genagents_env.policy import Policy\n"
            "class Crash(Policy):\n"
            "    name = 'crash'\n"
            "    def reset(self, profiles, seed, context):\n"
            "        raise RuntimeError('with ' + os.environ['OPENAI_API_KEY'])\n"
        )
    with FaultServer({1: ServerFault(), 2: ServerFault()}, always="401") as server:
        child = subprocess.run(
            [
                *(sys.executable, *program, "run", "tiny"),
                *("--policy", policy, "--model", "town-model"),
            ],
            env={
                **os.environ,
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": server.url,
                "OPENAI_LOG": "debug",
                "GENAGENTS_LOG": "debug",
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        asked = server.calls
    codes = {"fault": 70, "reactive": 75}  # a key that is refused in mid-run pauses it
    assert child.returncode == codes.get(policy, 2), child.stderr
    assert bool(asked) == (policy == "reactive")
    if policy != "fault":
        assert ("401" if asked else "RuntimeError: with [hidden]") in child.stderr
    else:
        (report,) = tmp_path.glob("genagents-crash-*.txt")
        assert "RuntimeError: with [hidden]" in report.read_text()
    assert (tmp_path / "run.sqlite").is_file() == bool(asked)
    assert traces(tmp_path, child.stdout, child.stderr) == []
    assert "Traceback" not in child.stderr


def test_a_scenario_that_holds_the_key_is_not_run(tmp_path: Path) -> None:
    shutil.copytree(_TINY, tmp_path / "mine")
    file = tmp_path / "mine" / "scenario.toml"
    file.write_text(file.read_text().replace("Cottage", f"Cottage {KEY[10:30]}"))
    with FaultServer() as server:
        child = subprocess.run(
            [
                sys.executable,
                "-m",
                "genagents_env",
                *["run", "mine", "--policy", "reactive", "--model", "m"],
            ],
            env={**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert child.returncode == 2
    assert "scenario: holds the key of the endpoint" in child.stderr
    assert not (tmp_path / "run.sqlite").exists()


@pytest.mark.slow
def test_the_key_is_in_no_byte_at_any_cut() -> None:
    assert key_canary.main(tenth=True) == []
