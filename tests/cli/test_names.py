"""People and places are understood on the command line by what is unique of their names."""

from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents

ADA, BEN = "Ada Brook", "Ben Carver"
RUN = ("run", "tiny", "--hours", "0.02", "--interviews", "0", "-q", "--force")


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        (("--people", "ben, ADA"), ("--people", f"{BEN},{ADA}")),
        (("--policy", "ada, ben=idle"), ("--policy", f"{ADA}=idle", "--policy", f"{BEN}=idle")),
        (("--place", "STUDY"), ("--place", "Cottage/study")),
    ],
)
def test_a_run_is_the_same_by_short_and_whole_names(
    short: tuple[str, ...], whole: tuple[str, ...], genagents: Run
) -> None:
    assert genagents(*RUN, *short, "--out", "a.sqlite")[0] == 0
    assert genagents(*RUN, *whole, "--out", "b.sqlite")[0] == 0
    assert canonical_hash(Path("a.sqlite")) == canonical_hash(Path("b.sqlite"))
    with RunReader("a.sqlite") as one, RunReader("b.sqlite") as other:
        assert one.meta.rows() == other.meta.rows()


def test_policies_models_memories_and_interviews_of_some_people_are_kept_by_whole_names(
    genagents: Run,
) -> None:
    mixed = (*RUN, "--policy", "reactive", "--policy", "ada=smallville", "--embedder", "hashed")
    models = ("--model", "scripted", "--model", "ada=scripted:obedient")
    config = ("--policy-config", "smallville.reflection=false", "--policy-config", "remember=2")
    assert genagents(*mixed, *models, *config)[0] == 0
    with RunReader("run.sqlite") as record:
        assert record.meta.model_for == {ADA: "scripted:obedient"}
        assert record.meta.policies == {
            ADA: {"name": "smallville", "config": {"reflection": False}},
            BEN: {"name": "reactive", "config": {"remember": 2}},
        }
    code, out, _ = genagents("import-memories", "run.sqlite", "--agent", "ada", "--out", "m")
    assert (code, out.startswith(f"{ADA}: ")) == (0, True)
    code, _, err = genagents("import-memories", "run.sqlite", "--agent", "Adda", "--out", "n")
    assert (code, f"did you mean {ADA}?" in err, Path("n").exists()) == (2, True, False)
    asked = ("interview", "run.sqlite", "--agent", "ben", "--question", "News?", "-q")
    assert BEN in genagents(*asked)[1]
