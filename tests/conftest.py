"""Settings of all tests."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from genagents_env.study.sweep.worker import Job, TrialResult

# How long an example takes says something about the machine, not about the code; and CI tries
# the same examples every time, so that a red run is about the change.
settings.register_profile("town", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("town")


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sweeps run their trials in this process, where it is not processes that are tried."""

    def run_here(
        jobs: "Iterable[Job]",
        backend: str,
        workers: int,
        work: "Callable[[Job], TrialResult]",
    ) -> "Iterator[TrialResult]":
        return map(work, jobs)

    monkeypatch.setattr("genagents_env.study.sweep.pool._run_jobs", run_here)
