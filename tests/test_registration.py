"""The entry in PettingZoo's registry is there whoever is imported first, and imports nothing."""

import subprocess
import sys

import pytest

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
