"""The examples of training frameworks are those that are shown, and run where theirs is there."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.frameworks import EXAMPLES, ROOT, TASKS
from genagents_env.train.tasks import get_task

DOC = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", DOC, re.DOTALL))
# A few updates each: that it runs unmodified, not how well it learns.
SHORT = {"torchrl": "1500", "tianshou": "1500"}
LAST = re.compile(r"(\w+): return of an agent (\S+) at first, (\S+) at last")


def test_the_page_shows_the_files_that_are_run() -> None:
    files = {f"examples/frameworks/{path.name}": path.read_text() for path in EXAMPLES.glob("*.py")}
    assert files == SHOWN


@pytest.mark.parametrize("task", TASKS)
def test_maskable_ppo_trains_as_it_stands(task: str, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    from examples import train_sb3

    low, high = get_task(task).bounds
    file = tmp_path / "model.zip"
    assert low <= train_sb3.main(["--task", task, "--total-steps", "1", "--out", str(file)]) <= high
    assert file.is_file()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", SHORT)
def test_an_example_trains_as_it_stands(name: str, task: str) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"needs {name}")
    file = ROOT / "examples" / "frameworks" / f"train_{name}.py"
    done = subprocess.run(
        [sys.executable, str(file), task, SHORT[name]],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    found = LAST.search(done.stdout)
    assert found is not None
    assert found[1] == task
    low, high = get_task(task).bounds
    assert low <= float(found[2]) <= high
    assert low <= float(found[3]) <= high
