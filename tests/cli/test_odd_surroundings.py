"""A folder that is gone, files with a byte order mark, names with an equals sign."""

import os
import shutil
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from tests.cli.conftest import Run


def test_files_may_begin_with_a_byte_order_mark_and_names_have_an_equals_sign(
    genagents: Run, tmp_path: Path
) -> None:
    mark = b"\xef\xbb\xbf"
    shutil.copytree(Path(__file__).parents[2] / "scenarios" / "tiny", tmp_path / "town")
    for file in (tmp_path / "town").glob("*.t*"):
        text = file.read_text("utf-8").replace('"tiny"', '"town"')
        file.write_bytes(mark + text.replace("Ada Brook", "Ada=B Brook").encode())
    genagents("new-policy", "my_policy")
    own = tmp_path / "my_policy.py"
    own.write_bytes(mark + own.read_bytes())
    study = 'name = "x"\nscenario = "town"\nhours = 0.01\nseeds = 1\npolicy = "my_policy.py"\n'
    (tmp_path / "study.toml").write_bytes(mark + study.encode())
    assert genagents("validate", "town")[0] == 0
    assert genagents("sweep", "study.toml", "--out", "out", "--quiet")[0] == 0
    how = "run town --hours 0.01 -q --policy reactive --model scripted:neighbour"
    asked = ("--policy", "Ada=B Brook=idle", "--model", "Ada=B Brook=scripted:obedient")
    assert genagents(*how.split(), *asked)[0] == 0
    with RunReader(tmp_path / "run.sqlite") as run:
        assert run.meta.policies["Ada=B Brook"]["name"] == "idle"
        assert run.meta.policies["Ben Carver"]["name"] == "reactive"


@pytest.mark.parametrize(
    "command",
    [
        "run tiny --hours 0.01 --out run.sqlite",
        "resume run.sqlite",
        "show run.sqlite",
        "view run.sqlite",
        "sweep study.toml",
        "list tasks meet --seed 0 --out town",
        "new town",
    ],
)
def test_a_folder_that_is_gone_is_named(genagents: Run, tmp_path: Path, command: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    code, _, err = genagents(*command.split())
    assert code == 2
    assert "the current folder does not exist any more" in " ".join(err.split())
    assert "Traceback" not in err
