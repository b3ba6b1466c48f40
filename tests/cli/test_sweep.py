import csv
import json
import os
import signal
from math import prod
from pathlib import Path

import pytest

from genagents_env.study.evaluate.measures import find_measures
from genagents_env.study.report import measure_study
from genagents_env.study.sweep import SweepFolder, build_trials, load_experiment
from tests.cli.conftest import Run
from tests.study.sweep.small_sweeps import write_experiment

STUDIES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))


@pytest.fixture
def study(genagents: Run, tmp_path: Path) -> str:
    """Return an experiment file: two arms, two seeds, one of them with a model."""
    arms = ({"name": "scripted", "policy": "scripted"}, {"name": "asks", "policy": "reactive"})
    return str(write_experiment(tmp_path, arms=arms, model="scripted:neighbour", embedder="hashed"))


@pytest.mark.slow
def test_a_study_is_estimated_run_reported_and_resumed(genagents: Run, study: str) -> None:
    code, out, err = genagents("sweep", study, "--out", "out", "--dry-run", "-q")
    assert (code, err) == (0, "")
    (total,) = (line.split() for line in out.splitlines() if line.strip().startswith("all "))
    assert total[1:3] == ["4", "2"]  # planned, and still due after one pilot of each condition
    foretold = float(total[3].replace(",", ""))

    code, out, _ = genagents("sweep", "out", "-q")
    assert code == 0
    assert "4 of 4 runs are finished" in out
    assert Path("out/report.html").is_file()
    known = measure_study(SweepFolder("out"))
    made = sum(run.measured.usage.calls for run in known.runs if run.measured)
    assert abs(foretold - made) <= 0.3 * made
    hashes = [run.measured.hash for run in known.runs if run.measured]

    code, _, _ = genagents("sweep", study, "--out", "out", "--seeds", "3", "-q")
    assert code == 0
    runs = measure_study(SweepFolder("out")).runs
    again = {run.name: run.measured.hash for run in runs if run.measured}
    assert len(again) == 6
    assert set(hashes) <= set(again.values())

    code, out, _ = genagents("report", "out", "--json")
    assert code == 0
    assert len(json.loads(out)["runs"]) == 6
    code, out, _ = genagents("report", "out", "--out", "page")
    assert (code, out.strip()) == (0, "page/report.html")
    with Path("page/runs.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 6


def test_a_dry_run_spends_nothing_on_a_model_that_may_cost(
    genagents: Run, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    code, out, err = genagents("sweep", study, "--out", "out", "--model", "gpt-4o", "--dry-run")
    assert code == 0
    assert "--pilot" in err
    assert "No further runs were made" in out
    assert not list(Path("out/runs").iterdir())


def test_an_unknown_measure_is_reported_and_the_study_goes_on(
    genagents: Run, tmp_path: Path
) -> None:
    file = write_experiment(tmp_path, measures=["denstiy", "utterances"], seeds=1)
    code, out, err = genagents("sweep", str(file), "--out", "out", "--dry-run")
    assert code == 0
    assert "denstiy" in err
    assert "did you mean 'density'" in err
    assert "all" in out
    file = write_experiment(tmp_path, primary=["denstiy"])
    code, _, err = genagents("sweep", str(file), "--out", "other", "-q")
    assert (code, "did you mean 'density'" in err) == (2, True)


def test_the_first_seed_stops_a_study_only_where_its_question_has_no_answer(
    genagents: Run, tmp_path: Path
) -> None:
    """Equal lives take other seconds; of an unknown fact nobody hears."""
    same = {
        "arms": [{"name": "a", "policy": "scripted"}],
        "factors": {"rules.max_utterance": [400, 500]},
    }
    file = write_experiment(tmp_path, primary=["wall_seconds"], **same)
    assert genagents("sweep", str(file), "--out", "seconds", "-q")[0] == 0
    file = write_experiment(tmp_path, primary=["heard.nothing"], **same)
    code, out, err = genagents("sweep", str(file), "--out", "none", "-q")
    assert (code, "2 of 4 runs are finished" in out) == (2, True)
    assert "no run of the first seed has a value of heard.nothing, which is `primary`" in err
    file = write_experiment(tmp_path, primary=["at_home"], **same)  # not taken of those there are
    code, out, err = genagents("sweep", str(file), "--out", "seconds", "-q")
    assert (code, "first seed has a value" in err) == (0, False)


def test_levels_of_equal_lives_stop_the_study_before_its_other_seeds(
    genagents: Run, tmp_path: Path
) -> None:
    """In seven ticks nobody is far enough for sight to matter."""
    levels = {"rules.max_utterance": [400, 500]}
    file = write_experiment(tmp_path, arms=[{"name": "a", "policy": "scripted"}], factors=levels)
    code, out, err = genagents("sweep", str(file), "--out", "out", "-q")
    assert code == 2
    assert "2 of 4 runs are finished" in out
    told = "max_utterance: 400 and 500 led the same life in the one pair of runs of the first seed"
    assert told in err
    assert "go on with `genagents sweep out --anyway`" in err
    code, out, _ = genagents("sweep", "out", "-q", "--anyway")
    assert (code, "4 of 4 runs are finished" in out) == (0, True)
    told = json.loads(genagents("report", "out", "--json")[1])
    assert told["equal_lives"][0] | {} == {
        "factor": "max_utterance",
        "first": "400",
        "second": "500",
        "equal": 2,
        "compared": 2,
    }
    assert any("nothing that happened depended on" in line for line in told["found"])


def test_what_was_paid_for_is_run_again_only_when_asked(genagents: Run, tmp_path: Path) -> None:
    mind = {"name": "a", "policy": "reactive"}
    given = {"model": "scripted:neighbour", "embedder": "hashed", "seeds": 1, "arms": [mind]}
    file = write_experiment(tmp_path, **given)
    assert genagents("sweep", str(file), "--out", "out", "-q")[0] == 0
    scenario = tmp_path / "small.toml"
    scenario.write_text(scenario.read_text().replace("hours = 0.02", "hours = 0.03"))
    code, _, err = genagents("sweep", str(file), "--out", "out", "-q")
    assert (code, "--anyway" in err, "model calls) would be run again" in err) == (2, True, True)
    told = json.loads(genagents("report", "out", "--json")[1])
    assert [run["earlier"] for run in told["runs"]] == [True]
    assert any("were made before" in caution for caution in told["cautions"])
    code, _, _ = genagents("sweep", "out", "-q", "--anyway")
    assert code == 0
    assert len(list(Path("out/runs").glob("*.sqlite"))) == 2


def test_any_scheduler_can_carry_a_study_trial_by_trial(genagents: Run, tmp_path: Path) -> None:
    """It stays in its terminal's process group, so that Ctrl-C reaches it."""
    before = signal.getsignal(signal.SIGINT), os.getpgrp()
    file = write_experiment(tmp_path, seeds=1)
    assert genagents("sweep", str(file), "--out", "out", "--dry-run", "--pilot", "scripted")[0] == 0
    for number in range(2):
        code, out, _ = genagents("sweep", "out", "--trial", str(number))
        assert (code, "finished" in out) == (0, True)
    assert (signal.getsignal(signal.SIGINT), os.getpgrp()) == before
    assert genagents("sweep", "out", "--trial", "0")[0] == 0
    code, _, err = genagents("sweep", "out", "--trial", "2")
    assert (code, "allowed: 0 to 1" in err) == (2, True)
    code, _, err = genagents("sweep", "out", "--trial", "0", "--seeds", "2")
    assert (code, "it runs what the folder says" in err) == (2, True)
    folder = SweepFolder("out")
    assert [one.state for one in folder.read_statuses()] == ["finished"] * 2
    assert [line["event"] for line in folder.log.read()].count("finished") == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "EXPERIMENT|DIR"),
        (("nowhere.toml",), "nowhere.toml"),
        ((".",), "no folder of a sweep"),
        (("{study}", "--pilot", "own"), "--pilot needs --dry-run"),
        (("{study}", "--trial", "0"), "name the folder of its sweep"),
        ((".", "--out", "out"), "is a folder"),
        (("{study}", "--backend", "slurm"), "loky"),
    ],
)
def test_mistakes_are_reported_in_a_line(
    genagents: Run, study: str, arguments: tuple[str, ...], told: str
) -> None:
    code, _, err = genagents("sweep", *(part.format(study=study) for part in arguments))
    assert code == 2
    assert told in err
    assert "Traceback" not in err


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_shipped_study_is_whole(path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment.name == path.stem
    assert experiment.question
    trials = build_trials(experiment, path.parent)
    assert len(trials) == len(experiment.seed_list) * prod(map(len, experiment.levels.values()))
    _, unknown = find_measures(experiment.list_measures(), path.parent)
    assert unknown == ()
