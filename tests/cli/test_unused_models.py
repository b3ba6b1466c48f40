"""A model that was named and that no policy asks: said in a line, beside which all goes on."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

SHORT = ("--hours", "0.003", "--quiet")
RUN = ("run", "tiny", *SHORT, "--embedder", "hashed", "--interviews", "0")
STUDY = """
name = "x"
scenario = "tiny"
hours = 0.003
seeds = 1
embedder = "hashed"
interviews = false
model = "scripted:neighbour"
[factors]
policy = { a = "idle", b = "random" }
"""
NEIGHBOUR = ("--model", "scripted:neighbour")
DO = "these policies do: ai_town, direct, lyfe, reactive, simuverse, smallville"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ((*RUN, *NEIGHBOUR), "scripted:neighbour is not used, since scripted asks none"),
        ((*RUN, "--model", "Ada=scripted:obedient"), "scripted:obedient is not used, since"),
        (("sweep", "idle.toml", "--dry-run", "--quiet"), "since idle and random ask none"),
        ((*RUN, "--policy", "Ada=reactive", *NEIGHBOUR), ""),
    ],
)
def test_a_model_that_nobody_asks_is_named_with_who_would(
    genagents: Run, command: tuple[str, ...], told: str
) -> None:
    Path("idle.toml").write_text(STUDY)
    code, _, err = genagents(*command)
    lines = [line for line in err.splitlines() if "is not used" in line]
    assert (code, len(lines)) == (0, int(bool(told))), err
    assert all(told in line and DO in line for line in lines)
