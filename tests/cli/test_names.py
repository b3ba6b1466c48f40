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
        (("--people", "brook"), ("--people", ADA)),
        (("--policy", "ada=idle"), ("--policy", f"{ADA}=idle")),
        (
            ("--policy", "ada, ben=idle"),
            ("--policy", f"{ADA}=idle", "--policy", f"{BEN}=idle"),
        ),
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


def test_a_policy_of_some_people_is_configured_by_its_name(genagents: Run) -> None:
    mixed = (*RUN, "--policy", "reactive", "--policy", "ada=ai_town", "--model", "scripted")
    config = ("ai_town.latency_ticks=5", "remember=2")
    flags = [part for one in config for part in ("--policy-config", one)]
    assert genagents(*mixed, "--embedder", "hashed", *flags)[0] == 0
    with RunReader("run.sqlite") as record:
        assert record.meta.policies == {
            ADA: {"name": "ai_town", "config": {"latency_ticks": 5}},
            BEN: {"name": "reactive", "config": {"remember": 2}},
        }
    code, _, err = genagents(*mixed, "--policy-config", "ai_town.latency=5")
    assert (code, "ai_town" in err and "latency" in err) == (2, True)


def test_a_model_for_a_person_is_kept_by_the_whole_name(genagents: Run) -> None:
    asked = (*RUN, "--policy", "reactive", "--model", "scripted", "--embedder", "hashed")
    code, _, err = genagents(*asked, "--model", "ada=scripted:obedient")
    assert (code, "Traceback" in err) == (0, False)
    with RunReader("run.sqlite") as record:
        assert record.meta.model_for == {ADA: "scripted:obedient"}
    code, _, err = genagents(*asked, "--model", "adda=scripted:obedient")
    assert (code, "did you mean Ada Brook?" in err) == (2, True)
    asked_twice = ("--model", "ada=scripted", "--model", f"{ADA}=scripted:obedient")
    code, _, err = genagents(*asked, *asked_twice)
    assert (code, "has one already" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--people", "lin"), 'people: "lin" may be "Eddy Lin", "John Lin", "Mei Lin"; say which'),
        (("--people", "Klaas"), 'no person "Klaas" in valentines_party; did you mean "Klaus Muel'),
        (("--place", "kitchen"), 'place: "kitchen" may be'),
        (("--place", "libary"), 'no place "libary" in valentines_party; did you mean "Oak Hill'),
        (("--policy", "Klaas=idle"), "nobody is called 'Klaas'; did you mean Klaus Mueller?"),
        (("--policy", "Xyz=idle"), "nobody is called 'Xyz'; there are 25 people, among them"),
        (("--policy", "sam=idle", "--policy", "Sam Moore=random"), "is named twice"),
    ],
)
def test_mistakes_get_a_suggestion_and_leave_no_file(
    arguments: tuple[str, ...], words: str, genagents: Run
) -> None:
    code, _, err = genagents("run", "valentines_party", "--hours", "0.02", *arguments)
    assert code == 2
    assert words in err
    assert len(err) < 500
    assert not Path("run.sqlite").exists()


def test_interviews_and_memories_understand_people(genagents: Run) -> None:
    mind = ("--policy", "smallville", "--model", "scripted", "--embedder", "hashed")
    assert genagents(*RUN, *mind)[0] == 0
    code, out, _ = genagents("import-memories", "run.sqlite", "--agent", "ben", "--out", "m")
    assert (code, out.startswith(f"{BEN}: ")) == (0, True)
    code, _, err = genagents("import-memories", "run.sqlite", "--agent", "Bean", "--out", "n")
    assert (code, f"did you mean {BEN}?" in err) == (2, True)
    assert not Path("n").exists()
    code, out, _ = genagents(
        "interview", "run.sqlite", "--agent", "ben", "--question", "News?", "-q"
    )
    assert (code, BEN in out) == (0, True)
