"""Imports point downward only, no files import in a circle, and importing the package is light."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parent.parent


def test_the_import_contracts_in_pyproject_hold() -> None:
    assert lint_imports(str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def run_python(code: str, folder: Path = ROOT) -> str:
    """Return what a program prints in a process of its own."""
    command = [sys.executable, "-c", f"import sys, json; {code}"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60, cwd=folder
    ).stdout


MODULES = "print(json.dumps(sorted(sys.modules)))"


def test_importing_the_package_loads_no_model_library_and_no_policy() -> None:
    loaded = json.loads(run_python(f"import genagents_env, genagents_env.town_v0; {MODULES}"))
    heavy = {"openai", "torch", "PIL", "tiktoken", "xllamacpp", "matplotlib"}
    assert not heavy & {module.split(".")[0] for module in loaded}
    assert not [module for module in loaded if module.startswith("genagents_env.polic")]


MOST_MODULES = 12  # of the package, `genagents_env` itself among them


CONTRACTS = ("policy", "profile", "percept", "actions", "errors", "text")


@pytest.mark.parametrize(
    "code",
    ["genagents_env; genagents_env.load_policy", *(f"genagents_env.{one}" for one in CONTRACTS)],
)
def test_a_contract_loads_few_modules_and_none_that_is_heavy(code: str) -> None:
    loaded = json.loads(run_python(f"import {code}; {MODULES}"))
    own = [module for module in loaded if module.split(".")[0] == "genagents_env"]
    assert len(own) <= MOST_MODULES or "load_policy" in code, own
    assert not {"pydantic", "scipy", "numpy", "openai", "pettingzoo"} & set(loaded)


def test_a_run_by_rule_loads_no_library_of_models(tmp_path: Path) -> None:
    command = ["run", "tiny", "--policy", "scripted", "--hours", "0.0111", "--out", "run.sqlite"]
    code = f"from genagents_env.cli import main; sys.argv[1:] = {command!r}\n"
    run_python(f"{code}try: main()\nfinally: assert 'openai' not in sys.modules", tmp_path)


@pytest.mark.parametrize("names", ["genagents_env, pettingzoo", "pettingzoo, genagents_env"])
def test_the_town_is_in_the_registry_and_its_hook_leaves_no_trace(names: str) -> None:
    pytest.importorskip("pettingzoo", "1.27")
    run_python(
        f"finders = list(sys.meta_path); import importlib, {names}\n"
        "pettingzoo.make('parallel', 'genagents/town-v0', scenario='tiny').close()\n"
        "assert sys.meta_path == finders\n"
        "assert pettingzoo.__spec__.loader is pettingzoo.__loader__\n"
        "assert type(pettingzoo.__loader__).__module__.startswith('_frozen_importlib')\n"
        "importlib.reload(pettingzoo)"
    )
