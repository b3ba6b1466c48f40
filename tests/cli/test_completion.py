"""Completion in the shell: commands, scenarios, policies, and people of the run that was named."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents

PARTY = Path(__file__).parents[2] / "examples" / "runs" / "smallville_13_february.sqlite.xz"


def complete(words: str, genagents: Run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words of what a shell is offered for the last of these."""
    monkeypatch.setenv("_GENAGENTS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"genagents {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(f"genagents {words}".split(" ")) - 1))
    return genagents()[1].split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("sho", ["show"]),
        ("run murder", ["murder_mystery", "murder_mystery_hard"]),
        ("run tiny --policy smal", ["smallville"]),
        (f"show {PARTY} --agent m", ["maria", "mueller"]),
        (f"interview {PARTY} --agent M", ["Maria", "Mueller"]),
        ("show none.sqlite --agent m", []),
    ],
)
def test_the_shell_is_offered_what_may_follow(
    words: str, offered: list[str], genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sorted(complete(words, genagents, monkeypatch)) == sorted(offered)


def test_completion_can_be_had(genagents: Run) -> None:
    assert "--install-completion" in genagents("--help")[1]
