"""What README and docs show is what happens. `python -m tests.test_docs` rewrites the percepts."""

import re
from pathlib import Path

import pytest

from genagents_env import town_v0
from genagents_env.policy_loader import load_policy

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "environment.md"
PERCEPT = re.compile(
    r"(<!-- percept: (?P<agent>[\w ]+) (?P<tick>\d+) -->\n```\n)(?P<text>.*?)(```)", re.S
)
PYTHON = re.compile(r"```python\n(.*?)```", re.S)


def percepts() -> dict[tuple[str, int], str]:
    """Return the texts of the first ticks of the morning that the page shows."""
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
    "page", ["README.md", "docs/policies.md", "docs/runs.md", "docs/language_models.md"]
)
def test_the_python_shown_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall((ROOT / page).read_text())
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})  # noqa: S102


def main() -> None:
    """Write the percepts into the page."""
    texts = percepts()

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{texts[match['agent'], int(match['tick'])]}{match[5]}"

    PAGE.write_text(PERCEPT.sub(fill, PAGE.read_text()))


if __name__ == "__main__":
    main()
