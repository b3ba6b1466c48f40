"""Imports point downward only, and importing the package stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = [
    {"errors", "text", "rng"},
    {"scenario"},
    {"world"},
    {"actions", "percept", "profile", "render"},
    {"observe", "act", "rewards", "env", "town_v0"},
    {"llm", "memory"},
    {"policy"},
    {"cognition"},
    {"policies"},
    {"record"},
    {"wrappers"},
    {"evaluate", "run", "stats"},
    {"judge"},
    {"sweep"},
    {"report"},
    {"testing"},
    {"cli", "__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Which upward or sideways steps are meant, each with its reason.
ALLOWED = {
    ("llm", "testing"),  # `--model scripted` opens the scripted model, imported on that path only
}


def _sources() -> list[Path]:
    return sorted([*(ROOT / "genagents_env").rglob("*.py"), *(ROOT / "policies").rglob("*.py")])


def _module(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ("genagents_env", *parts) if parts[0] == "policies" else parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def _imports(path: Path) -> set[str]:
    """Return the top-level parts of this package that a file imports."""
    here = _module(path)
    package = here if path.name == "__init__.py" else here[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            names = [f"{stem}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "genagents_env" and len(parts) > 1:
                found.add(parts[1])
    return found & set(LEVEL)


@pytest.mark.parametrize("path", _sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_imports_upward(path: Path) -> None:
    module = _module(path)
    if len(module) < 2:
        return  # the package's own __init__
    own = module[1]
    assert own in LEVEL, f"say in which layer {own} lies"
    for other in _imports(path):
        if other != own and (own, other) not in ALLOWED:
            assert LEVEL[other] <= LEVEL[own], f"{own} imports {other}, which lies above it"


@pytest.mark.parametrize("low", ["world", "scenario", "env", "observe", "act"])
def test_the_world_and_the_environment_know_no_policy_and_no_model(low: str) -> None:
    for path in _sources():
        if _module(path)[1:2] == (low,):
            assert not _imports(path) & {"llm", "memory", "policy", "policies", "record"}


def test_importing_the_package_loads_no_model_library_and_no_policy() -> None:
    code = (
        "import sys, genagents_env, genagents_env.town_v0\n"
        "heavy = {'openai', 'torch', 'PIL', 'tiktoken', 'xllamacpp', 'matplotlib'}\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in heavy"
        " or m.startswith('genagents_env.polic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
