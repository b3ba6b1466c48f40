"""Imports point downward only, no files import in a circle, and importing the package is light."""

import subprocess
import sys
from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parent.parent


def test_the_import_contracts_in_pyproject_hold() -> None:
    assert lint_imports(str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_importing_the_package_loads_no_model_library_and_no_policy() -> None:
    code = (
        "import sys, genagents_env, genagents_env.town_v0\n"
        "heavy = {'openai', 'torch', 'PIL', 'tiktoken', 'xllamacpp', 'matplotlib'}\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in heavy"
        " or m.startswith('genagents_env.polic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
