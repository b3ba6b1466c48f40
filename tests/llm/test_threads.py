import os

import pytest

from genagents_env.llm.embedded import thread_count


@pytest.mark.parametrize(("told", "threads"), [("3", 3), ("1", 1)])
def test_a_worker_of_a_sweep_is_told_its_threads(
    monkeypatch: pytest.MonkeyPatch, told: str, threads: int
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert thread_count() == threads


@pytest.mark.parametrize("told", ["", "0", "many", "-2", "2,1"])
def test_otherwise_one_core_is_left_to_others(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert thread_count() == max(1, (os.cpu_count() or 1) - 1)
