"""What every third-party policy imports is small: a contract loads none of the town behind it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
