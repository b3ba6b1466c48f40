from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.study.sweep.backends import end_workers, run_jobs
from genagents_env.study.sweep.job import Job, TrialResult
from genagents_env.study.sweep.supervisor import supervise
from tests.study.sweep import fake_work
from tests.study.sweep.small_sweeps import compare_policies


def jobs(path: Path, seeds: int) -> list[Job]:
    folder = compare_policies(path, {"arm": "scripted"}, seeds=seeds)
    (cell,) = folder.cells
    return [
        Job(
            one.name,
            replace(cell.spec, seed=one.seed),
            folder.run_file(one),
            None,
            is_dedicated=True,
        )
        for one in folder.trials
    ]


@pytest.mark.slow
def test_what_kills_its_workers_is_given_up_and_takes_nobody_along(tmp_path: Path) -> None:
    given, results = jobs(tmp_path, 5), list[TrialResult]()
    supervise(
        given,
        backend="loky",
        workers=2,
        on_result=results.append,
        work=fake_work.poisonous,
    )
    states = {result.trial: result.state for result in results}
    assert len(results) == len(given)
    assert states == {job.trial: "failed" if job.spec.seed == 1 else "finished" for job in given}
    assert ["given up" in result.message for result in results if result.message] == [True]


def test_workers_share_the_cores_but_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genagents_env.study.sweep.backends.count_cores", lambda: 8)
    results = run_jobs(jobs(tmp_path, 2), "loky", 2, fake_work.tell_threads)
    assert [result.message for result in results] == ["3", "3"]
    end_workers("loky")
