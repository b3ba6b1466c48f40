"""`--json`: what a command came to as one JSON object on stdout, whatever is said on stderr."""

import json
from pathlib import Path

import pytest

from genagents_env.record import canonical_hash
from genagents_env.study.evaluate.measures import list_measures
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents
from tests.study.sweep.small_sweeps import write_experiment

RUN = ("run", "tiny", "--hours", "0.02", "--json")


def test_a_run_ends_with_its_summary(genagents: Run) -> None:
    code, out, err = genagents(*RUN)
    told = json.loads(out)
    assert (code, told["exit_code"], told["status"], told["run"]) == (
        0,
        0,
        "finished",
        "run.sqlite",
    )
    assert told["hash"] == canonical_hash(Path("run.sqlite"))
    report = json.loads(genagents("report", "run.sqlite", "--json")[1])
    assert {key: told[key] for key in report if key in told} == {
        key: value for key, value in report.items() if key in told
    }
    assert {"talk", "people", "facts"} <= set(told)
    assert "ticks/s" in err
    assert genagents(*RUN, "--force", "-q")[2] == ""


def test_a_run_that_stops_says_why_in_the_object(genagents: Run) -> None:
    asked = ("--policy", "reactive", "--model", "scripted", "--embedder", "hashed", "-q")
    code, out, _ = genagents(*RUN, *asked, "--limit", "calls=1")
    told = json.loads(out)
    assert (code, told["exit_code"], told["status"]) == (3, 3, "budget_exhausted")
    assert "genagents resume run.sqlite" in told["message"]
    code, out, _ = genagents("resume", "run.sqlite", "--json", "-q", "--limit", "none")
    told = json.loads(out)
    assert (code, told["status"], told["message"]) == (0, "finished", "")
    assert isinstance(told["resumed_from"], int)


def test_a_mistake_is_a_sentence_on_stderr(genagents: Run) -> None:
    code, out, err = genagents("run", "tinny", "--json")
    assert (code, out, "did you mean" in err) == (2, "", True)


def test_a_hash_says_of_what_it_is(genagents: Run) -> None:
    genagents(*RUN, "-q")
    told = json.loads(genagents("hash", "run.sqlite", "--json")[1])
    bare = genagents("hash", "run.sqlite")[1].strip()
    assert told == {"run": "run.sqlite", "hash": bare, "status": "finished", "last_tick": 7}


def test_measures_are_listed_with_their_definitions(genagents: Run) -> None:
    told = json.loads(genagents("list", "measures", "--json")[1])
    assert [one["name"] for one in told] == [one.name for one in list_measures()]
    assert any(one["default"] for one in told)
    assert not all(one["default"] for one in told)
    one = json.loads(genagents("list", "measures", "density", "--json")[1])
    listed = next(other for other in told if other["name"] == "density")
    assert one == {key: value for key, value in listed.items() if key != "default"}
    assert one["definition"]
    assert one["source"]


@pytest.mark.slow
def test_a_sweep_ends_with_how_it_stands(genagents: Run, tmp_path: Path) -> None:
    study = write_experiment(tmp_path, arms=({"name": "scripted", "policy": "scripted"},))
    code, out, _ = genagents("sweep", str(study), "--out", "s", "-q", "--json")
    told = json.loads(out)
    ended = (code, told["exit_code"], told["folder"], told["report"])
    assert ended == (0, 0, "s", str(Path("s/report.html")))
    assert told["finished"] == told["total"] > 0
    assert told["spent"]["calls"] == 0


def test_a_dry_run_refuses_json(genagents: Run, tmp_path: Path) -> None:
    study = write_experiment(tmp_path, arms=({"name": "scripted", "policy": "scripted"},))
    code, _, err = genagents("sweep", str(study), "--out", "t", "--dry-run", "--json")
    assert (code, "a dry run only plans one" in err) == (2, True)
    assert not Path("t").exists()
