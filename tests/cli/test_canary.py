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
from tests.cli.conftest import Run, Serve

_TINY = Path(__file__).parents[2] / "scenarios" / "tiny"
KEY = "sk-CANARY-0f1e2d3c4b5a69788796a5b4c3d2e1f0/+="
CRASH = """
import os
from genagents_env.policy import Policy
class Crash(Policy):
    name = 'crash'
    def reset(self, profiles, seed, context):
        raise RuntimeError('with ' + os.environ['OPENAI_API_KEY'])
"""


def traces(folder: Path, *texts: str) -> list[str]:
    """Return where the key is to be found, however it is written."""
    raw = KEY.encode()
    forms = [raw, quote(KEY, safe="").encode(), base64.b64encode(raw), b"0f1e2d3c4b5a69788796"]
    places = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    places |= {f"text {number}": text.encode() for number, text in enumerate(texts)}
    return [place for place, content in places.items() if any(form in content for form in forms)]


def test_the_key_is_in_no_byte_that_a_run_leaves(tmp_path: Path) -> None:
    command = ["run", "tiny", "--policy", "reactive", "--model", "town-model"]
    with FaultServer({1: ServerFault(), 2: ServerFault()}, always="401") as server:
        own = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        logs = {"OPENAI_LOG": "debug", "GENAGENTS_LOG": "debug"}
        child = subprocess.run(
            [sys.executable, "-m", "genagents_env", *command],
            env={**os.environ, **own, **logs},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert child.returncode == 75, child.stderr  # a key that is refused in mid-run pauses it
    assert "401" in child.stderr
    assert (tmp_path / "run.sqlite").is_file()
    assert traces(tmp_path, child.stdout, child.stderr) == []


def test_the_key_is_in_no_message_of_a_policy_and_a_scenario_that_holds_it_is_not_run(
    genagents: Run, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "crash.py").write_text(CRASH)
    code, out, err = genagents("run", "tiny", "--policy", "crash.py")
    assert (code, "RuntimeError: with [hidden]" in err) == (2, True)
    assert traces(tmp_path, out, err) == []
    shutil.copytree(_TINY, tmp_path / "mine")
    file = tmp_path / "mine" / "scenario.toml"
    file.write_text(file.read_text().replace("Cottage", f"Cottage {KEY[10:30]}"))
    serve()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    code, _, err = genagents("run", "mine", "--policy", "reactive", "--model", "m")
    assert (code, "scenario: holds the key of the endpoint" in err) == (2, True)
    assert not (tmp_path / "run.sqlite").exists()


@pytest.mark.slow
def test_the_key_is_in_no_byte_at_any_cut() -> None:
    assert key_canary.main(part=20) == []
