import csv
import json
import os
import signal
import sqlite3
from contextlib import closing
from math import prod
from pathlib import Path

import pytest

from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.report import measure_study
from genagents_env.study.sweep import SweepFolder, load_experiment
from genagents_env.study.sweep.design.cells import build_cells
from tests.cli.conftest import Run
from tests.study.sweep.small_sweeps import run_in, write_experiment

STUDIES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))


ASKS = {"name": "asks", "policy": "reactive"}


def test_a_dry_run_spends_nothing_on_a_model_that_may_cost_and_names_unknown_measures(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    file = write_experiment(tmp_path, arms=[ASKS], measures=["denstiy", "utterances"])
    dry = ("sweep", str(file), "--out", "out", "--dry-run", "--model", "gpt-4o")
    code, out, err = genagents(*dry)
    assert code == 0
    for words in ("--pilot", "did you mean 'density'"):
        assert words in err
    assert "No further runs were made" in out
    assert not list(Path("out/runs").iterdir())
    file = write_experiment(tmp_path, primary=["denstiy"])
    code, _, err = genagents("sweep", str(file), "--out", "other", "-q")
    assert (code, "did you mean 'density'" in err) == (2, True)
    write_experiment(tmp_path)
    code, _, err = genagents("sweep", str(file), "--backend", "slurm")
    assert (code, "loky" in err) == (2, True)


@pytest.mark.usefixtures("in_process")
def test_the_first_seed_stops_a_study_where_its_question_has_no_answer(
    genagents: Run, tmp_path: Path
) -> None:
    """Equal lives take other seconds; of an unknown fact nobody hears, in no run of the seed."""
    levels = {"rules.max_utterance": [400, 500]}
    same = {"arms": [{"name": "a", "policy": "scripted"}], "factors": levels}
    file = str(write_experiment(tmp_path, primary=["heard.nothing"], **same))
    code, out, err = genagents("sweep", file, "--out", "none", "-q")
    assert (code, "2 of 4 runs are finished" in out) == (2, True)
    assert "no run of the first seed has a value of heard.nothing, which is `primary`" in err
    file = str(write_experiment(tmp_path, **same))
    code, out, err = genagents("sweep", file, "--out", "out", "-q")
    assert (code, "2 of 4 runs are finished" in out) == (2, True)
    told = "max_utterance: 400 and 500 led the same life in the one pair of runs of the first seed"
    assert told in err
    assert "go on with `genagents sweep out --anyway`" in err
    file = str(write_experiment(tmp_path, primary=["wall_seconds"], **same))
    assert genagents("sweep", file, "--out", "out", "-q")[0] == 0
    told = json.loads(genagents("report", "out", "--json")[1])
    equal = {"factor": "max_utterance", "first": "400", "second": "500", "equal": 2, "compared": 2}
    assert told["equal_lives"] == [equal]
    assert any("nothing that happened there depended on" in line for line in told["found"])


@pytest.mark.usefixtures("in_process")
def test_a_plan_is_what_the_finished_runs_took_times_all(genagents: Run, tmp_path: Path) -> None:
    """Of three seeds the first and, of one condition, the second; a third is damaged inside."""
    arms = [{"name": "idle", "policy": "idle"}, {"name": "mind", "policy": "smallville"}]
    how = {"model": "scripted:neighbour", "embedder": "hashed", "seeds": 3, "arms": arms}
    file = write_experiment(tmp_path, **how)
    sweep = SweepFolder.create("out", file)
    run_in(sweep, sweep.trials[3])
    path = run_in(sweep, sweep.trials[5])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE calls")
    code, out, err = genagents("sweep", "out", "--dry-run", "-q")
    assert (code, err.count("\n")) == (0, 1)
    assert "ledger.sqlite was missing: what had been spent was counted from the runs" in err
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[2:5]}
    done = [run.measured.usage for run in measure_study(sweep).runs if run.measured]
    calls = sum(one.calls + (one.later_calls or 0) for one in done) / 2 * 3
    assert [rows[name][:2] for name in ("idle", "mind", "all")] == [
        ["3", "2"],
        ["3", "1"],
        ["6", "3"],
    ]
    assert rows["idle"][2:5] == ["0", "0", "0"]
    assert float(rows["mind"][2].replace(",", "")) == pytest.approx(calls, abs=1)


@pytest.mark.slow
def test_a_study_is_estimated_run_reported_and_resumed(genagents: Run, tmp_path: Path) -> None:
    arms = ({"name": "scripted", "policy": "scripted"}, ASKS)
    how = {"model": "scripted:neighbour", "embedder": "hashed"}
    study = str(write_experiment(tmp_path, arms=arms, **how))
    code, out, err = genagents("sweep", study, "--out", "out", "--dry-run", "-q")
    assert (code, err) == (0, "")
    (total,) = (line.split() for line in out.splitlines() if line.strip().startswith("all "))
    assert total[1:3] == ["4", "2"]  # planned, and still due after one pilot of each condition
    code, out, _ = genagents("sweep", "out", "-q", "--json")
    told = json.loads(out)
    assert (code, told["exit_code"], told["folder"]) == (0, 0, "out")
    assert told["report"] == str(Path("out/report.html"))
    assert told["finished"] == told["total"] == 4
    known = [run.measured for run in measure_study(SweepFolder("out")).runs if run.measured]
    made = sum(run.usage.calls for run in known)
    assert abs(float(total[3].replace(",", "")) - made) <= 0.3 * made
    assert told["spent"]["calls"] == made
    assert genagents("sweep", study, "--out", "out", "--seeds", "3", "-q")[0] == 0
    runs = measure_study(SweepFolder("out")).runs
    assert len(runs) == 6
    assert {run.hash for run in known} <= {run.measured.hash for run in runs if run.measured}
    code, out, _ = genagents("report", "out", "--out", "page")
    assert (code, out.strip()) == (0, "page/report.html")
    with Path("page/runs.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 6


@pytest.mark.usefixtures("in_process")
def test_what_was_paid_for_is_run_again_only_when_asked(genagents: Run, tmp_path: Path) -> None:
    given = {"model": "scripted:neighbour", "embedder": "hashed", "seeds": 1, "arms": [ASKS]}
    file = write_experiment(tmp_path, **given)
    assert genagents("sweep", str(file), "--out", "out", "-q")[0] == 0
    scenario = tmp_path / "small.toml"
    scenario.write_text(scenario.read_text().replace("hours = 0.02", "hours = 0.03"))
    code, _, err = genagents("sweep", str(file), "--out", "out", "-q")
    assert (code, "--anyway" in err, "model calls) would be run again" in err) == (2, True, True)
    told = json.loads(genagents("report", "out", "--json")[1])
    assert [run["earlier"] for run in told["runs"]] == [False], "the folder is as it was"
    SweepFolder.create("out", file)
    told = json.loads(genagents("report", "out", "--json")[1])
    assert [run["earlier"] for run in told["runs"]] == [True]
    assert any("were made before" in caution for caution in told["cautions"])
    code, _, _ = genagents("sweep", str(file), "--out", "out", "-q", "--anyway")
    assert code == 0
    assert len(list(Path("out/runs").glob("*.sqlite"))) == 2


def test_any_scheduler_can_carry_a_study_trial_by_trial(genagents: Run, tmp_path: Path) -> None:
    """It stays in its terminal's process group, so that Ctrl-C reaches it."""
    before = signal.getsignal(signal.SIGINT), os.getpgrp()
    file = write_experiment(tmp_path, seeds=1)
    assert genagents("sweep", str(file), "--out", "out", "--dry-run", "--pilot")[0] == 0
    for number in range(2):
        code, out, _ = genagents("sweep", "out", "--trial", str(number))
        assert (code, "finished" in out) == (0, True)
    assert (signal.getsignal(signal.SIGINT), os.getpgrp()) == before
    assert genagents("sweep", "out", "--trial", "0")[0] == 0
    code, _, err = genagents("sweep", "out", "--trial", "2")
    assert (code, "allowed: 0 to 1" in err) == (2, True)
    code, _, err = genagents("sweep", "out", "--trial", "0", "--seeds", "2")
    assert (code, "it runs what the folder says" in err) == (2, True)
    assert genagents("sweep", "out", "--seeds", "2", "--dry-run")[0] == 0
    code, _, err = genagents("sweep", "out", "--seeds", "1")
    assert (code, "out has 2 already, which are kept" in err) == (2, True)
    folder = SweepFolder("out")
    assert [one.state for one in folder.read_statuses()] == ["finished"] * 2 + ["due"] * 2
    assert [line["event"] for line in folder.log.read()].count("finished") == 2


def test_a_shipped_study_is_whole() -> None:
    for path in STUDIES:
        experiment = load_experiment(path)
        assert experiment.name == path.stem
        assert experiment.question
        cells = build_cells(experiment, path.parent)
        assert len(cells) == prod(map(len, experiment.levels.values()))
        assert find_measures(experiment.list_measures(), path.parent)[1] == ()
