import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from tests.cli.conftest import Run, Serve
from tests.study.sweep.small_sweeps import write_experiment

RUN = ("run", "tiny", "--policy", "reactive", "--model", "town-model", "--quiet")
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-preflight")
    monkeypatch.setenv("OPENAI_BASE_URL", NOWHERE)
    monkeypatch.setattr("genagents_env.llm.retries.RetryPolicy.wait", lambda *_: 0.0)


def test_an_unreachable_server_is_reported_before_there_is_a_file_or_a_folder(
    genagents: Run, tmp_path: Path
) -> None:
    code, _, err = genagents(*RUN)
    assert (code, f"{NOWHERE}: connection refused; is the server running?" in err) == (75, True)
    compare = ("compare", "tiny", "--policies", "reactive", "--model", "town-model", "--out", "c")
    assert genagents(*compare, "-q")[0] == 75
    assert list(tmp_path.iterdir()) == []


def test_a_server_is_asked_before_weights_are_fetched_and_a_run_is_lived_again(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either may take minutes."""

    def refuse(*_: object) -> None:
        raise AssertionError("the server was not asked first")

    monkeypatch.setattr("genagents_env.run.models.open_source", refuse)
    monkeypatch.setattr("genagents_env.run.interviews.ReplayInterview.open_at", refuse)
    asked = ("run", "tiny", "--policy", "smallville", "--model", "town-model", "-q")
    assert genagents(*asked)[0] == 75
    lived = ("run", "tiny", "--policy", "reactive", "--model", "scripted", "-q", "--hours", "0.02")
    assert genagents(*lived)[0] == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    again = ("interview", "run.sqlite", "--question", "Any news?", "--model", "town-model")
    code, out, err = genagents(*again, "--ablations")
    assert (code, out, f"{NOWHERE}: connection refused" in err) == (75, "", True)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


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
    fault: str, code: int, said: str, genagents: Run, tmp_path: Path, serve: Serve
) -> None:
    server = serve(always=fault)
    ended, out, err = genagents(*RUN)
    assert server.calls <= 2
    assert server.url in err
    assert (ended, out, said in err) == (code, "", True)
    assert len(err.splitlines()) < 4
    assert list(tmp_path.iterdir()) == []


def test_the_question_counts_against_the_limits(
    genagents: Run, tmp_path: Path, serve: Serve
) -> None:
    server = serve()
    assert genagents(*RUN, "--limit", "calls=5")[0] == 3
    assert server.calls == 5
    with RunReader(tmp_path / "run.sqlite") as run:
        assert run.spending is not None
        assert (run.spending.spent.calls, run.sum_calls().calls) == (5, 4)
    told = genagents("report", "run.sqlite")[1]
    assert "(with a first question, embeddings, what was lost): 5 requests, " in told
    assert genagents("resume", "run.sqlite", "--limit", "calls=7", "-q")[0] == 3
    assert server.calls == 7
    asked = [json.loads(body)["messages"][-1]["content"] for body in server.requests]
    assert [text.startswith("Answer with exactly") for text in asked] == [True] + 6 * [False]


def test_a_run_without_a_model_and_a_scripted_one_ask_nobody(genagents: Run, serve: Serve) -> None:
    server = serve(always="401")
    assert genagents("run", "tiny", "-q")[0] == 0
    model = ("--model", "scripted:obedient", "--out", "b.sqlite")
    assert genagents("run", "tiny", "--policy", "reactive", "-q", *model)[0] == 0
    assert server.calls == 0


def test_a_sweep_asks_before_its_first_run(genagents: Run, tmp_path: Path, serve: Serve) -> None:
    arms = ({"name": "scripted", "policy": "scripted"}, {"name": "asks", "policy": "reactive"})
    study = write_experiment(tmp_path, arms=arms, model="town-model")
    server = serve(always="401")
    code, _, err = genagents("sweep", str(study), "--out", "out", "-q")
    assert (code, server.calls, "OPENAI_API_KEY" in err) == (2, 1, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_sweep_that_has_begun_keeps_its_folder_when_the_server_is_gone(
    genagents: Run, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = ({"name": "asks", "policy": "reactive"},)
    study = write_experiment(tmp_path, arms=arms, model="town-model")
    serve()
    assert genagents("sweep", str(study), "--out", "out", "-q")[0] == 0
    monkeypatch.setenv("OPENAI_BASE_URL", NOWHERE)
    assert genagents("sweep", str(study), "--out", "out", "-q", "--seeds", "3")[0] == 75
    assert len(list((tmp_path / "out" / "runs").glob("*.sqlite"))) > 0
    assert (tmp_path / "out" / "experiment.toml").is_file()
