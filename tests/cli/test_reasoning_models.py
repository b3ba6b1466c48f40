import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from genagents_env.testing.fault_server import FaultServer, ThinkingPlace, reasoning
from tests.cli.conftest import Run

PLACES: list[ThinkingPlace] = ["field", "content"]
OPTIONS = {
    "none": (),
    "all": (
        *("--endpoint", "thinking=2500", "--endpoint", "reasoning_effort=low"),
        *("--endpoint", "timeout=60"),
    ),
}


@pytest.fixture
def reasoner(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> FaultServer:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-reasoner")
    return FaultServer(always=reasoning(2000, request.param))


@pytest.mark.parametrize("reasoner", PLACES, indirect=True)
@pytest.mark.parametrize("given", OPTIONS)
def test_a_reasoning_model_runs_tiny_without_a_fallback(
    reasoner: FaultServer,
    given: str,
    genagents: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with reasoner as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, err = genagents(
            *("run", "tiny", "--policy", "reactive", "--model", "town-model", "--quiet"),
            *OPTIONS[given],
        )
        limits = {json.loads(body)["max_tokens"] for body in server.requests}
        efforts = {json.loads(body).get("reasoning_effort") for body in server.requests}
    assert (code, err) == (0, "")
    with RunReader(tmp_path / "run.sqlite") as run:
        totals, thought = run.sum_calls(), run.sum_thinking()
    assert totals.calls == 9
    assert (totals.fallbacks, totals.reasks) == (0, 0)
    assert thought.reasoning_tokens >= 9 * 1990
    assert "Fallbacks: 0 of 9" in out
    assert f"Thinking: {thought.reasoning_tokens:,} of the tokens written" in out
    if given == "none":
        assert limits == {128, 128 + 4096, 256, 256 + 4096}  # the first question, and the calls
        assert efforts == {None}
        assert 0 < thought.calls == totals.retries
        assert "made again with more room for the reply" in out
    else:
        assert limits == {128 + 2500, 256 + 2500}
        assert efforts == {"low"}
        assert totals.retries == 0


def test_how_much_a_model_may_think_does_not_change_the_run(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-reasoner")
    hashes = set()
    for name, options in OPTIONS.items():
        with FaultServer(always=reasoning(2000)) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            out = f"{name}.sqlite"
            genagents("run", "tiny", "--policy", "reactive", "--model", "m", "--out", out, *options)
        hashes.add(canonical_hash(tmp_path / out))
    assert len(hashes) == 1
