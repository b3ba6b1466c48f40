import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.study.sweep import SweepFolder, SweepOptions, sweep
from genagents_env.study.sweep.single import run_single
from tests.study.sweep.small_sweeps import compare_policies, whole


@pytest.fixture(params=["loky", pytest.param("ray", marks=pytest.mark.slow)])
def cluster(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give a backend whose workers share no file: Ray, or processes that are treated like it."""
    if request.param == "loky":
        monkeypatch.setattr("genagents_env.study.sweep.session.is_remote", lambda name: True)
        yield "loky"
        return
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield "ray"
    ray.shutdown()


def test_a_sweep_elsewhere_is_the_same_sweep(
    tmp_path: Path, cluster: str, request: pytest.FixtureRequest
) -> None:
    policies, total = {"one": "scripted", "two": "reactive"}, {"total": {"calls": 10}}
    folder = compare_policies(tmp_path / "there", policies, budget=total)
    stopped = sweep(folder, SweepOptions(workers=2, backend=cluster))
    assert (stopped.exit_code, stopped.finished + stopped.stopped >= 2) == (3, True)
    assert 5 < stopped.spent.calls <= 10
    assert not list(folder.path.glob("ledger.sqlite.*"))  # nothing is held any more
    more = compare_policies(tmp_path / "there", policies)  # goes on from the files that came back
    finished = sweep(more, SweepOptions(workers=2, backend=cluster))
    assert (finished.exit_code, finished.spent.calls > stopped.spent.calls) == (0, True)
    request.getfixturevalue("in_process")
    here = compare_policies(tmp_path / "here", policies)
    assert sweep(here, SweepOptions(workers=1)).exit_code == 0
    assert whole(more) == whole(here)
    assert [one.measured for one in more.read_statuses()].count(None) == 0


def test_a_trial_elsewhere_spends_its_part_and_the_next_sweep_counts_what_it_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = {"total": {"calls": 500}}
    folder = compare_policies(tmp_path, {"one": "reactive"}, seeds=2, budget=total)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("platform.node", lambda: "elsewhere")
        result = run_single(folder, "0")
    assert result.state == "finished"
    assert not (folder.path / "ledger.sqlite").exists()
    swept = sweep(SweepFolder(folder.path), SweepOptions(workers=1))
    assert 0 < result.spent.calls < swept.spent.calls < 250
    whole(folder)


def test_trials_elsewhere_have_what_the_sweep_left_and_none_while_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = {"total": {"calls": 12}}
    folder = compare_policies(tmp_path, {"one": "reactive"}, seeds=3, budget=total)
    stopped = sweep(folder, SweepOptions(workers=1))
    assert (stopped.exit_code, stopped.spent.calls) == (3, 12)
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    name = next(one.name for one in folder.read_statuses() if one.state != "finished")
    for _ in range(2):
        result = run_single(folder, name)
        assert (result.state, result.spent.calls) == ("stopped", 0)
    folder.log.append(event="started")
    with pytest.raises(ConfigError, match=r"goes on at .*, or was killed there"):
        run_single(folder, name)


def test_a_backend_that_is_not_installed_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install .*cluster"):
        sweep(compare_policies(tmp_path, {"one": "scripted"}), SweepOptions(backend="ray"))
