import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.testing.fault_server import FaultServer
from tests.cli.conftest import Run
from tests.study.sweep.small_sweeps import write_experiment

RUN = ("run", "tiny", "--policy", "reactive", "--model", "town-model", "--quiet")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-preflight")
    monkeypatch.setattr("genagents_env.llm.retries.RetryPolicy.wait", lambda *_: 0.0)


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        ("401", 2, "check OPENAI_API_KEY"),
        ("404", 2, "--model"),
        ("400", 2, "genagents doctor"),
        ("html", 75, "nothing was written"),
        ("503", 75, "status 503"),
        ("reset", 75, "nothing was written"),
    ],
)
def test_a_server_that_cannot_answer_is_reported_before_there_is_a_file(
    fault: str,
    code: int,
    said: str,
    genagents: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FaultServer(always=fault) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        ended, out, err = genagents(*RUN)
        assert server.calls <= 2
        assert server.url in err
    assert (ended, out, said in err) == (code, "", True)
    assert len(err.splitlines()) < 4
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_server_is_reported_before_there_is_a_file(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, _, err = genagents(*RUN)
    assert code == 75
    assert "http://127.0.0.1:9/v1: connection refused; is the server running?" in err
    assert list(tmp_path.iterdir()) == []


def test_the_question_counts_against_the_limits(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*RUN, "--limit", "calls=5")[0] == 3
        assert server.calls == 5
        with RunReader(tmp_path / "run.sqlite") as run:
            assert run.spending is not None
            assert (run.spending.spent.calls, run.sum_calls().calls) == (5, 4)
        assert genagents("resume", "run.sqlite", "--limit", "calls=7", "-q")[0] == 3
        assert server.calls == 7
        asked = [json.loads(body)["messages"][-1]["content"] for body in server.requests]
    assert [text.startswith("Answer with exactly") for text in asked] == [True] + 6 * [False]


def test_a_run_without_a_model_and_a_scripted_one_ask_nobody(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer(always="401") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents("run", "tiny", "-q")[0] == 0
        model = ("--model", "scripted:obedient", "--out", "b.sqlite")
        assert genagents("run", "tiny", "--policy", "reactive", "-q", *model)[0] == 0
        assert server.calls == 0


def test_a_sweep_asks_before_its_first_run(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = ({"name": "scripted", "policy": "scripted"}, {"name": "asks", "policy": "reactive"})
    study = write_experiment(tmp_path, arms=arms, model="town-model")
    with FaultServer(always="401") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, _, err = genagents("sweep", str(study), "--out", "out", "-q")
        assert server.calls == 1
    assert (code, "OPENAI_API_KEY" in err) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_sweep_that_has_begun_keeps_its_folder_when_the_server_is_gone(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = ({"name": "asks", "policy": "reactive"},)
    study = write_experiment(tmp_path, arms=arms, model="town-model")
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents("sweep", str(study), "--out", "out", "-q")[0] == 0
    more = ("sweep", str(study), "--out", "out", "-q", "--seeds", "3")
    assert genagents(*more)[0] == 75
    assert len(list((tmp_path / "out" / "runs").glob("*.sqlite"))) > 0
    assert (tmp_path / "out" / "experiment.toml").is_file()


def test_an_unknown_scenario_is_reported_before_an_existing_file(
    genagents: Run, tmp_path: Path
) -> None:
    (tmp_path / "run.sqlite").write_bytes(b"something")
    for arguments, words in (
        (("run", "tinny"), 'did you mean "tiny"'),
        (("run", "tiny", "--people", "Adda"), 'did you mean "Ada Brook"'),
        (("run", "tiny", "--policy", "scriptd"), "did you mean 'scripted'"),
    ):
        code, _, err = genagents(*arguments)
        assert (code, words in err) == (2, True)
        assert "run.sqlite" not in err
    code, _, err = genagents("run", "tiny")
    assert (code, "run.sqlite exists" in err) == (2, True)
    assert (tmp_path / "run.sqlite").read_bytes() == b"something"


def test_a_server_is_asked_before_weights_are_fetched(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch() -> None:
        raise AssertionError("the embedder was opened first")

    monkeypatch.setattr("genagents_env.run.models.open_source", lambda name: fetch())
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    asked = ("run", "tiny", "--policy", "smallville", "--model", "town-model", "-q")
    code, _, err = genagents(*asked)
    assert (code, "connection refused" in err) == (75, True)


def test_an_interview_reports_an_unreachable_server_at_once(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the run is lived again up to the moment, which may take minutes."""
    lived = ("run", "tiny", "--policy", "reactive", "--model", "scripted", "-q", "--hours", "0.02")
    assert genagents(*lived)[0] == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setattr(
        "genagents_env.run.interviews.ReplayInterview.open_at",
        lambda *_: pytest.fail("the run is lived again"),
    )
    asked = ("interview", "run.sqlite", "--question", "Any news?", "--model", "town-model")
    code, out, err = genagents(*asked, "--ablations")
    assert (code, out) == (75, "")
    assert "http://127.0.0.1:9/v1: connection refused" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_comparison_leaves_no_folder(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    asked = ("compare", "tiny", "--policies", "reactive", "--model", "town-model", "--out", "c")
    assert genagents(*asked, "-q")[0] == 75
    assert list(tmp_path.iterdir()) == []
