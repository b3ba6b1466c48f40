"""A folder that is gone, files with a byte order mark, names with an equals sign."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from tests.cli.conftest import Run

TINY = Path(__file__).parents[2] / "scenarios" / "tiny"
NO_NAMES: Mapping[str, str] = {}
SHORT = ("--hours", "0.01", "--quiet", "--out", "run.sqlite")
STUDY = """
name = "x"
scenario = "town"
hours = 0.01
seeds = 1
policy = "my_policy.py:MyPolicy"
"""


def make_town(folder: Path, mark: bytes = b"", names: Mapping[str, str] = NO_NAMES) -> None:
    """Copy the smallest town to `folder`, with other names in it and a mark before its files."""
    shutil.copytree(TINY, folder)
    for file in folder.glob("*.t*"):
        text = file.read_text("utf-8").replace('"tiny"', f'"{folder.name}"')
        for old, new in names.items():
            text = text.replace(old, new)
        file.write_bytes(mark + text.encode())


@pytest.mark.parametrize(
    "command",
    [
        ("run", "tiny", *SHORT),
        ("resume", "run.sqlite"),
        ("show", "run.sqlite"),
        ("report", "run.sqlite"),
        ("view", "run.sqlite"),
        ("sweep", "study.toml"),
        ("list", "tasks", "meet", "--seed", "0", "--out", "town"),
        ("new", "town"),
        ("new-policy", "mine"),
    ],
)
def test_a_folder_that_is_gone_is_named(
    genagents: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    code, _, err = genagents(*command)
    assert code == 2
    assert "the current folder does not exist any more" in " ".join(err.split())
    assert "Traceback" not in err


def test_files_may_begin_with_a_byte_order_mark(genagents: Run, tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    make_town(tmp_path / "town", mark)
    assert genagents("new-policy", "my_policy")[0] == 0
    own = tmp_path / "my_policy.py"
    own.write_bytes(mark + own.read_bytes())
    (tmp_path / "study.toml").write_bytes(mark + STUDY.encode())
    assert genagents("validate", "town")[0] == 0
    assert genagents("run", "town", *SHORT, "--policy", "my_policy.py:MyPolicy")[0] == 0
    assert genagents("sweep", "study.toml", "--out", "out", "--quiet")[0] == 0


def test_a_name_with_an_equals_sign_can_be_given_a_policy(genagents: Run, tmp_path: Path) -> None:
    make_town(tmp_path / "town", names={"Ada Brook": "Ada=B Brook"})
    own = ("--policy", "Ada=B Brook=idle", "--model", "Ada=B Brook=scripted:obedient")
    code, _, err = genagents(
        "run", "town", *SHORT, *own, "--policy", "reactive", "--model", "scripted:neighbour"
    )
    assert code == 0, err
    with RunReader(tmp_path / "run.sqlite") as run:
        assert run.meta.policies["Ada=B Brook"]["name"] == "idle"
        assert run.meta.policies["Ben Carver"]["name"] == "reactive"
