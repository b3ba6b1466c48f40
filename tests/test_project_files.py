"""Versions are said once or are held together."""

import re
import tomllib
from pathlib import Path

import genagents_env

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["version"]
    assert genagents_env.__version__ == version
    assert f"\nversion: {version}\n" in read("CITATION.cff")
    assert f"\n## {version}" in read("CHANGELOG.md")


def test_pre_commit_has_the_versions_of_ci() -> None:
    pins = dict(pin.split("==") for pin in PROJECT["optional-dependencies"]["dev"] if "==" in pin)
    hooks = read(".pre-commit-config.yaml")
    assert set(pins) == {"ruff", "mypy"}
    assert f"rev: v{pins['ruff']}\n" in hooks
    assert f"name: mypy {pins['mypy']}\n" in hooks


def test_the_workflow_runs_what_ci_runs_on_every_supported_python() -> None:
    workflow = read(".github/workflows/ci.yml")
    assert "- run: bash .ci/run\n" in workflow
    named = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r"3\.\d+$", c)]
    assert re.findall(r'"(3\.\d+)"', workflow) == named
    assert PROJECT["requires-python"] == f">={named[0]}"
