import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.study.sweep.pool import supervise
from genagents_env.study.sweep.worker import Job, TrialResult
from tests.study.sweep.small_sweeps import compare_policies


def poisonous(job: Job) -> TrialResult:
    """Die of the trial of seed 1 as of short memory, always, and of no other."""
    if job.spec.seed == 1:
        job.path.touch()  # as one does who takes up the run
        os.kill(os.getpid(), signal.SIGKILL)
    return TrialResult(job.trial, "finished", 1)


def tell_threads(job: Job) -> TrialResult:
    """Tell for how many threads a model in this process would ask."""
    return TrialResult(job.trial, "finished", message=os.environ["OMP_NUM_THREADS"])


def run_seeds(path: Path, seeds: int, work: Callable[[Job], TrialResult]) -> list[TrialResult]:
    """Return the results of two workers, in place of whose runs `work` is done."""
    folder, results = compare_policies(path, {"arm": "scripted"}, seeds=seeds), list[TrialResult]()
    (cell,), trials = folder.cells, {one.name: one for one in folder.trials}

    def start(name: str) -> Job:
        spec = replace(cell.spec, seed=trials[name].seed)
        return Job(name, spec, folder.run_file(trials[name]), None, is_dedicated=True)

    def keep(result: TrialResult) -> bool:
        results.append(result)
        return True

    supervise(trials, backend="loky", workers=2, start=start, on_result=keep, work=work)
    return results


@pytest.mark.slow
def test_what_kills_its_workers_is_given_up_and_takes_nobody_along(tmp_path: Path) -> None:
    results = run_seeds(tmp_path, 5, poisonous)
    assert len(results) == 5
    assert {(one.state == "failed") == ("-s1-" in one.trial) for one in results} == {True}
    assert ["given up" in result.message for result in results if result.message] == [True]


def test_workers_share_the_cores_but_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genagents_env.study.sweep.pool.count_cores", lambda: 8)
    results = run_seeds(tmp_path, 2, tell_threads)
    assert [result.message for result in results] == ["3", "3"]
