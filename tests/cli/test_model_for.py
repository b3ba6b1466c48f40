import json
from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.study.sweep import SweepFolder, build_trials
from genagents_env.testing.fault_server import FaultServer
from tests.cli.conftest import Run
from tests.study.sweep.small_sweeps import trials, write_experiment

RUN = ("run", "tiny", "--policy", "reactive", "--model", "gpt-4o-mini", "--quiet")
BEN = ("--model", "Ben Carver=gpt-4o")
INTERVIEWS = ("--model", "interview=gpt-4.1")


@pytest.fixture(autouse=True)
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genagents_env.llm.endpoint.LOOPBACK", ())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-several")


def count_models(server: FaultServer) -> dict[str, int]:
    asked = [json.loads(body)["model"] for body in server.requests]
    return {model: asked.count(model) for model in sorted(set(asked))}


def test_a_person_and_a_faculty_have_models_of_their_own_at_their_own_prices(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*RUN, *BEN, *INTERVIEWS, "--limit", "dollars=1")[0] == 0
        sent = count_models(server)
    with RunReader(tmp_path / "run.sqlite") as run:
        calls = list(run.calls())
        totals, spending, meta = run.sum_calls(), run.spending, run.meta
    assert sum(sent.values()) == len(calls) + 3  # each was asked before the run
    for call in calls:
        own = "gpt-4.1" if call.purpose == "interview" else "gpt-4o-mini"
        assert call.model == ("gpt-4o" if call.agent == "Ben Carver" else own)
    assert set(sent) == {call.model for call in calls} | {"gpt-4.1"}
    prices = {"gpt-4o": ("2.50", "10"), "gpt-4.1": ("2", "8"), "gpt-4o-mini": ("0.15", "0.60")}
    dollars = sum(
        (10 * Decimal(prices[c.model][0]) + 5 * Decimal(prices[c.model][1])) / 10**6 for c in calls
    )
    assert totals.dollars == dollars
    assert spending is not None
    assert spending.total.dollars > dollars
    assert dict(meta.model_for) == {"Ben Carver": "gpt-4o", "interview": "gpt-4.1"}


def test_a_resumed_run_asks_the_same_models(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*RUN, *BEN, "--limit", "calls=4")[0] == 3
        assert genagents("resume", "run.sqlite", "-q", "--limit", "none")[0] == 0
    with RunReader(tmp_path / "run.sqlite") as run:
        models = {(call.agent == "Ben Carver", call.model) for call in run.calls()}
    assert models == {(True, "gpt-4o"), (False, "gpt-4o-mini")}


def test_an_interview_asks_a_model_of_its_own(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*RUN, *BEN, "--interviews", "0")[0] == 0
        server.requests.clear()
        asking = ("interview", "run.sqlite", "-q", "--question", "Tea?")
        assert genagents(*asking, "--agent", "Ben Carver")[0] == 0
        assert set(count_models(server)) == {"gpt-4o"}
        server.requests.clear()
        assert genagents(*asking, "--agent", "Ada Brook", *INTERVIEWS)[0] == 0
        assert set(count_models(server)) == {"gpt-4.1"}


def test_each_model_is_asked_once_before_there_is_a_file(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer({2: "404"}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*RUN, *BEN)[0] == 2
        assert count_models(server) == {"gpt-4o": 1, "gpt-4o-mini": 1}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_sweep_takes_models_of_people(genagents: Run, tmp_path: Path) -> None:
    arms = ({"name": "asks", "policy": "reactive"}, {"name": "rests", "policy": "idle"})
    given = {"arms": arms, "seeds": 1, "model": "scripted:neighbour"}
    (without, _) = trials(tmp_path, **given)
    ben = {"model_for": {"Ben Carver": "scripted:obedient"}}
    file = write_experiment(tmp_path, **given, endpoint=ben)
    assert genagents("sweep", str(file), "--out", "two", "-q")[0] == 0
    folder = SweepFolder("two")
    (asks, _) = build_trials(folder.experiment, tmp_path)
    assert asks.identity != without.identity
    with RunReader(folder.run_file(asks)) as run:
        models = {(call.agent == "Ben Carver", call.model) for call in run.calls()}
    assert models == {(True, "scripted:obedient"), (False, "scripted:neighbour")}


def test_an_unknown_person_is_refused_with_the_known_names(genagents: Run, tmp_path: Path) -> None:
    code, _, err = genagents(*RUN, "--model", "Bne Carver=gpt-4o")
    assert code == 2
    assert "Ben Carver" in err
    assert "faculties: decide, interview" in err
    assert list(tmp_path.iterdir()) == []
