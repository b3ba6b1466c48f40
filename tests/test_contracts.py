"""What every third-party policy imports is small: a contract loads none of the town behind it."""

import json
import subprocess
import sys

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
