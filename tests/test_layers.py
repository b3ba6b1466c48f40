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


def test_importing_the_package_loads_no_model_library_and_no_policy() -> None:
    code = (
        "import sys, genagents_env, genagents_env.town_v0\n"
        "heavy = {'openai', 'torch', 'PIL', 'tiktoken', 'xllamacpp', 'matplotlib'}\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in heavy"
        " or m.startswith('genagents_env.polic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


MOST_MODULES = 12  # of the package, `genagents_env` itself among them
_LIST = "import json, sys, genagents_env.{name}; print(json.dumps(sorted(sys.modules)))"


@pytest.mark.parametrize("name", ["policy", "profile", "percept", "actions", "errors", "text"])
def test_a_contract_loads_few_modules_and_none_that_is_heavy(name: str) -> None:
    told = subprocess.check_output([sys.executable, "-c", _LIST.format(name=name)], text=True)
    loaded = json.loads(told)
    own = [module for module in loaded if module.split(".")[0] == "genagents_env"]
    assert len(own) <= MOST_MODULES, own
    assert not {"pydantic", "scipy", "numpy", "openai", "pettingzoo"} & set(loaded)


def test_finding_a_policy_loads_no_town() -> None:
    code = "import json, sys, genagents_env; genagents_env.load_policy; "
    told = subprocess.check_output(
        [sys.executable, "-c", f"{code}print(json.dumps(sorted(sys.modules)))"], text=True
    )
    assert not {"pydantic", "numpy", "openai", "pettingzoo"} & set(json.loads(told))


def test_a_run_by_rule_loads_no_library_of_models(tmp_path: Path) -> None:
    command = ["run", "tiny", "--policy", "scripted", "--hours", "0.0111", "--out", "run.sqlite"]
    code = f"import sys; from genagents_env.cli import main; sys.argv[1:] = {command!r}\n"
    code += "try: main()\nfinally: assert 'openai' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True)


MAKE = "pettingzoo.make('parallel', 'genagents/town-v0', scenario='tiny').close()"


def run_python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "imports",
    ["import genagents_env, pettingzoo", "import pettingzoo, genagents_env"],
)
def test_the_town_is_in_the_registry_whoever_is_imported_first(imports: str) -> None:
    pytest.importorskip("pettingzoo", "1.27")
    run_python(f"{imports}; {MAKE}")


def test_import_hook_leaves_no_trace_on_pettingzoo() -> None:
    run_python(
        "import sys; finders = list(sys.meta_path); import genagents_env, pettingzoo, importlib;"
        "assert sys.meta_path == finders;"
        "assert pettingzoo.__spec__.loader is pettingzoo.__loader__;"
        "assert type(pettingzoo.__loader__).__module__.startswith('_frozen_importlib');"
        "importlib.reload(pettingzoo)"
    )
