import csv
import json
from pathlib import Path

import pytest

from genagents_env.evaluate.measures import find_measures
from genagents_env.report.results import measure_sweep
from genagents_env.sweep import SweepFolder, build_trials, load_experiment
from tests.cli.conftest import Run
from tests.sweep.small_sweeps import write_experiment

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

    code, out, _ = genagents("sweep", "--resume", "out", "-q")
    assert code == 0
    assert "4 of 4 runs are finished" in out
    assert Path("out/report.html").is_file()
    known = measure_sweep(SweepFolder("out"))
    made = sum(run.usage.calls for run in known.runs if run.usage is not None)
    assert abs(foretold - made) <= 0.3 * made
    hashes = [run.hash for run in known.runs]

    code, _, _ = genagents("sweep", study, "--out", "out", "--seeds", "3", "-q", "--no-report")
    assert code == 0
    again = {run.trial: run.hash for run in measure_sweep(SweepFolder("out")).runs}
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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name an experiment file, or a folder with --resume DIR"),
        (("nowhere.toml",), "nowhere.toml"),
        (("--resume", "nowhere"), "no folder of a sweep"),
        (("{study}", "--backend", "slurm"), "loky"),
        (("{study}", "--resume", "out"), "one of them"),
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
    towns = len(experiment.scenarios) or 1
    runs = len(experiment.arms) * towns * (len(experiment.models) or 1)
    assert len(trials) == len(experiment.seed_list) * runs
    _, unknown = find_measures([*experiment.measures, *experiment.primary], path.parent)
    assert unknown == ()
