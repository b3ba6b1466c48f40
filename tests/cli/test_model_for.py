import json
from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.study.sweep import SweepFolder
from genagents_env.testing.fault_server import FaultServer
from tests.cli.conftest import Run, Serve
from tests.study.sweep.small_sweeps import trials, write_experiment

RUN = ("run", "tiny", "--policy", "reactive", "--model", "gpt-4o-mini", "--quiet")
BEN = ("--model", "Ben Carver=gpt-4o")
INTERVIEWS = ("--model", "interview=gpt-4.1")


@pytest.fixture
def server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> FaultServer:
    monkeypatch.setattr("genagents_env.llm.endpoint.LOOPBACK", ())
    return serve()


def test_a_resumed_run_and_an_interview_ask_the_same_models(
    genagents: Run, server: FaultServer
) -> None:
    assert genagents(*RUN, *BEN, "--limit", "calls=4")[0] == 3
    assert genagents("resume", "run.sqlite", "-q", "--limit", "none")[0] == 0
    with RunReader("run.sqlite") as run:
        models = {(call.agent == "Ben Carver", call.model) for call in run.calls()}
    assert models == {(True, "gpt-4o"), (False, "gpt-4o-mini")}
    asking = ("interview", "run.sqlite", "-q", "--question", "Tea?", "--limit", "none", "--agent")
    for more, model in ((("Ben Carver",), "gpt-4o"), (("Ada Brook", *INTERVIEWS), "gpt-4.1")):
        server.requests.clear()
        assert genagents(*asking, *more)[0] == 0
        assert set(count_models(server)) == {model}


def count_models(server: FaultServer) -> dict[str, int]:
    asked = [json.loads(body)["model"] for body in server.requests]
    return {model: asked.count(model) for model in sorted(set(asked))}


def test_a_person_and_a_faculty_have_models_of_their_own_at_their_own_prices(
    genagents: Run, server: FaultServer
) -> None:
    assert genagents(*RUN, *BEN, *INTERVIEWS, "--limit", "dollars=1")[0] == 0
    sent = count_models(server)
    with RunReader("run.sqlite") as run:
        calls = list(run.calls())
        totals, spending, meta = run.sum_calls(), run.spending, run.meta
    assert sum(sent.values()) == len(calls) + 3  # each was asked before the run
    for call in calls:
        own = "gpt-4.1" if call.purpose == "interview" else "gpt-4o-mini"
        assert call.model == ("gpt-4o" if call.agent == "Ben Carver" else own)
    assert set(sent) == {call.model for call in calls} | {"gpt-4.1"}
    prices = {"gpt-4o": ("2.50", "10"), "gpt-4.1": ("2", "8"), "gpt-4o-mini": ("0.15", "0.60")}
    paid = [[Decimal(price) for price in prices[call.model]] for call in calls]
    dollars = sum((10 * read + 5 * written) / 10**6 for read, written in paid)
    assert totals.dollars == dollars
    assert spending is not None
    assert spending.total.dollars > dollars
    assert dict(meta.model_for) == {"Ben Carver": "gpt-4o", "interview": "gpt-4.1"}


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_sweep_takes_models_of_people(genagents: Run, tmp_path: Path) -> None:
    arms = ({"name": "asks", "policy": "reactive"}, {"name": "rests", "policy": "idle"})
    given = {"arms": arms, "seeds": 1, "model": "scripted:neighbour"}
    (without, _) = trials(tmp_path, **given)
    ben = {"model_for": {"Ben Carver": "scripted:obedient"}}
    file = write_experiment(tmp_path, **given, endpoint=ben)
    assert genagents("sweep", str(file), "--out", "two", "-q")[0] == 0
    folder = SweepFolder("two")
    (asks, _) = folder.trials
    assert asks.identity != without.identity
    with RunReader(folder.run_file(asks)) as run:
        models = {(call.agent == "Ben Carver", call.model) for call in run.calls()}
    assert models == {(True, "scripted:obedient"), (False, "scripted:neighbour")}
