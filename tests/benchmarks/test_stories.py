"""The table of which story is won by whom: how it is made, and that what it says is so."""

from pathlib import Path

import pytest

from benchmarks.stories import BLOCK, PAGE
from genagents_env.run import PolicySpec
from tests.scenario.stories.names import STORIES
from tests.scenario.stories.test_stories import live


def read_table() -> dict[str, dict[str, str]]:
    found = BLOCK.search(PAGE.read_text())
    assert found is not None
    head, _, *rows = (
        [cell.strip() for cell in row.split("|")[1:-1]] for row in found[2].split("\n")[:-1]
    )
    return {row[0].strip("`"): dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def test_the_page_has_every_story() -> None:
    assert sorted(read_table()) == STORIES


@pytest.mark.parametrize("story", ["get_recipe", "open_gate"])
def test_the_page_says_what_the_scripted_policy_comes_to(story: str, tmp_path: Path) -> None:
    check(story, "scripted", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "story"), list(enumerate(STORIES)))
def test_the_page_says_what_people_without_a_model_come_to(
    number: int, story: str, tmp_path: Path
) -> None:
    check(story, ("scripted", "mute")[number % 2], tmp_path)


def check(story: str, column: str, path: Path) -> None:
    """Fail where a cell of a policy that asks no model is not what its runs come to."""
    won, count = map(int, read_table()[story][f"`{column}`"].split(" of "))
    found = []
    for seed in range(count):
        (path / str(seed)).mkdir()
        spec = PolicySpec("scripted", {"mute": True} if column == "mute" else {})
        found.append(live(story, spec, path / str(seed), seed)["won"])
    assert sum(one is True for one in found) == won
