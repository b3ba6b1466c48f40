import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.sweep import SweepOptions, sweep
from tests.study.sweep.small_sweeps import compare_policies, whole


@pytest.fixture
def ray_here() -> Iterator[None]:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


@pytest.mark.slow
def test_a_sweep_through_ray_is_the_same_sweep(tmp_path: Path, ray_here: None) -> None:
    policies, total = {"one": "scripted", "two": "reactive"}, {"total": {"calls": 10}}
    folder = compare_policies(tmp_path / "ray", policies, budget=total)
    stopped = sweep(folder, SweepOptions(workers=2, backend="ray"))
    assert (stopped.exit_code, stopped.finished + stopped.stopped >= 2) == (3, True)
    assert stopped.spent.calls <= 10
    more = compare_policies(tmp_path / "ray", policies)  # goes on from the files that came back
    assert sweep(more, SweepOptions(workers=2, backend="ray")).exit_code == 0
    here = compare_policies(tmp_path / "here", policies)
    assert sweep(here, SweepOptions(workers=1)).exit_code == 0
    assert whole(more) == whole(here)


def test_a_backend_that_is_not_installed_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install .*cluster"):
        sweep(compare_policies(tmp_path, {"one": "scripted"}), SweepOptions(backend="ray"))
