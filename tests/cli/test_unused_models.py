"""A model that was named and that no policy asks: said in a line, beside which all goes on."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

SHORT = ("--hours", "0.003", "--quiet")
RUN = ("run", "tiny", *SHORT, "--embedder", "hashed", "--interviews", "0")
COMPARE = ("compare", "tiny", *SHORT, "--embedder", "hashed", "--policies")
STUDY = """
name = "x"
scenario = "tiny"
hours = 0.003
seeds = 1
embedder = "hashed"
interviews = false
model = "scripted:neighbour"
[factors]
policy = {{ a = "{}", b = "random" }}
"""
NEIGHBOUR = ("--model", "scripted:neighbour")
DO = "these policies do: ai_town, direct, lyfe, reactive, simuverse, smallville"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ((*RUN, *NEIGHBOUR), "scripted:neighbour is not used, since scripted asks none"),
        (
            (*RUN, "--policy", "idle", "--policy", "Ada=random", *NEIGHBOUR),
            "since idle and random ask none",
        ),
        (
            (*RUN, "--model", "Ada=scripted:obedient"),
            "scripted:obedient is not used, since scripted asks none",
        ),
        ((*COMPARE, "idle,random", *NEIGHBOUR), "since idle and random ask none"),
        (("sweep", "idle.toml", "--dry-run", "--quiet"), "since idle and random ask none"),
    ],
)
def test_a_model_that_nobody_asks_is_named_with_who_would(
    genagents: Run, command: tuple[str, ...], told: str
) -> None:
    Path("idle.toml").write_text(STUDY.format("idle"))
    code, _, err = genagents(*command)
    assert code == 0, err
    lines = [line for line in err.splitlines() if "is not used" in line]
    assert len(lines) == 1
    assert told in lines[0]
    assert DO in lines[0]


@pytest.mark.parametrize(
    "command",
    [
        RUN,
        (*RUN, "--policy", "reactive", *NEIGHBOUR),
        (*RUN, "--policy", "Ada=reactive", *NEIGHBOUR),
        ("sweep", "reactive.toml", "--dry-run", "--quiet"),
    ],
)
def test_a_model_that_somebody_asks_is_no_matter(genagents: Run, command: tuple[str, ...]) -> None:
    Path("reactive.toml").write_text(STUDY.format("reactive"))
    code, _, err = genagents(*command)
    assert code == 0, err
    assert "is not used" not in err
