"""What README and docs show is what happens. `python -m tests.test_docs` rewrites the percepts."""

import ast
import re
import shlex
from pathlib import Path

import pytest
import typer

from genagents_env import town_v0
from genagents_env.cli.app import app
from genagents_env.cli.options import parse_names
from genagents_env.config import TownConfig
from genagents_env.run.policies import load_policy
from genagents_env.scenario.loader import list_scenario_names
from tests.campaigns.newcomer import PAGES, list_steps

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "environment.md"
PERCEPT = re.compile(
    r"(<!-- percept: (?P<agent>[\w ]+) (?P<tick>\d+) -->\n```\n)(?P<text>.*?)(```)", re.S
)
NAMES = re.compile(  # but for files
    r"`(?:genagents_env\.)?(?!run\.(?:sqlite|interviews)|\w+\.py`)"
    r"((?:study|llm|train|show|observe|cognition|memory|testing|record|run)(?:\.[A-Za-z_]+)+)"
    r"(?:\([^`]*\))?`"
)
PYTHON = re.compile(r"```python\n(.*?)```", re.S)
RUNNING = ("columns", "environment", "language_models", "policies", "runs")


def percepts() -> dict[tuple[str, int], str]:
    env = town_v0.parallel_env("valentines_party", start="08:00", hours=1.0, percepts=True)
    observations, infos = env.reset(seed=0)
    policy = load_policy("scripted")
    policy.reset(env.profiles(), 0, env.context())
    texts: dict[tuple[str, int], str] = {}
    for tick in range(250):
        texts |= {(agent, tick): observations[agent]["text"] for agent in env.agents}
        observations, *_, infos = env.step(policy.act(observations, infos))
    return texts


def test_the_percepts_shown_are_the_percepts_there_are() -> None:
    texts = percepts()
    shown = list(PERCEPT.finditer(PAGE.read_text()))
    assert len(shown) == 3
    for match in shown:
        assert match["text"] == texts[match["agent"], int(match["tick"])], "see this file's top"


@pytest.mark.parametrize(
    "page",
    ["README.md", *(f"docs/{name}.md" for name in RUNNING)],
)
def test_the_python_shown_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall((ROOT / page).read_text())
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})  # noqa: S102


def test_the_readme_is_short_and_comes_to_the_point() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 150
    begin = "\n".join(lines[:40])
    for words in (
        "parallel_env(",
        ".reset(seed",
        "env.step(",
        "examples/train_",
        "genagents sweep",
    ):
        assert words in begin


SHOWING = sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("docs/*.md"))


@pytest.mark.parametrize("page", ["README.md", *SHOWING])
def test_every_link_leads_to_a_file(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert "://" in target or ((ROOT / page).parent / target).exists(), target


def list_module_names(path: str) -> set[str] | None:
    """Return what a module of the package defines, imports or contains; None if there is none."""
    package = ROOT / "genagents_env" / path
    file = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    if not file.is_file():
        return None
    names = {one.stem for one in package.iterdir()} if package.is_dir() else set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name | ast.alias):
            names.add(node.id if isinstance(node, ast.Name) else node.asname or node.name)
    return names


def test_every_python_name_shown_is_one() -> None:
    """In docs and docstrings: `study.judge.rate`, with the package before it or not."""
    texts = [*ROOT.glob("docs/*.md"), ROOT / "README.md"]
    texts += [*ROOT.glob("genagents_env/**/*.py"), *ROOT.glob("policies/**/*.py")]
    wrong = []
    for page in texts:
        for words in NAMES.findall(page.read_text("utf-8")):
            *modules, name = words.split(".")
            while (names := list_module_names("/".join(modules))) is None and len(modules) > 1:
                name = modules.pop()  # of a class
            if names is not None and name not in names:
                wrong.append(f"{page.relative_to(ROOT)}: {words}")
    assert wrong == []


@pytest.mark.parametrize("page", ["README.md", *SHOWING])
def test_every_command_shown_is_understood(page: str) -> None:
    """What each does is tried whole by `tests.campaigns.newcomer`."""
    steps = [step.text for step in list_steps(page) if not step.file]
    shown = [part for text in steps for part in re.split(r" && |\| ", text)]
    commands = [shlex.split(part)[1:] for part in shown if part.startswith("genagents ")]
    assert page not in PAGES or len(commands) > 5
    for name, *arguments in commands:
        command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
        given = command.make_context(name, list(arguments)).params
        if name == "run" and given["scenario"] in list_scenario_names():
            people = parse_names(given["people"])
            TownConfig(given["scenario"], people=people, place=given["place"]).load_scenario()


def main() -> None:
    texts = percepts()

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{texts[match['agent'], int(match['tick'])]}{match[5]}"

    PAGE.write_text(PERCEPT.sub(fill, PAGE.read_text()))


if __name__ == "__main__":
    main()
