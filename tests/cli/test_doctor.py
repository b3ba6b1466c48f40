import itertools
import json
import sys
from pathlib import Path

import pytest

from genagents_env.testing.fault_server import FaultServer, ServerFault, reasoning, saying
from tests.cli.conftest import Run

NUMBERS = itertools.count()
KEY = "sk-DOCTOR-0123456789abcdef0123456789abcdef"
MODEL = ("--model", "town-model")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def look(genagents: Run, *options: str) -> tuple[int, dict[str, tuple[str, str]]]:
    code, out, err = genagents("doctor", "--json", *options)
    assert err == ""
    assert KEY not in out
    return code, {f["name"]: (f["verdict"], f["text"]) for f in json.loads(out)["findings"]}


def test_a_complete_server_passes_and_the_cost_is_printed_first(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, _ = genagents("doctor", *MODEL)
        assert server.calls == 11
        code, found = look(genagents, *MODEL)
    assert code == 0
    assert out.index("up to 12 calls") < out.index("JSON schema")
    assert {name for name, (verdict, _) in found.items() if verdict == "fault"} == set()
    assert found["context"] == ("ok", "32,768 tokens")
    assert found["JSON schema"] == ("ok", "honoured")
    assert found["seed"][1].startswith("honoured")
    assert "tokens a second alone" in found["speed"][1]
    assert {"python", "genagents-env", "extra local", "cache", "cores", "key"} <= set(found)
    assert list(tmp_path.iterdir()) == []


def test_no_calls_asks_the_model_nothing(genagents: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, found = look(genagents, *MODEL, "--no-calls")
        assert server.calls == 0
    assert (code, found["model"][0]) == (0, "ok")


def test_an_unlisted_model_is_a_fault_that_names_the_listed_ones(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        _, found = look(genagents, "--model", "gpt-99", "--no-calls")
    assert found["model"] == ("note", "gpt-99 is not among the 1 listed (town-model)")


@pytest.mark.parametrize(
    ("fault", "name", "said"),
    [("401", "key", "refused"), ("html", "answer", "not JSON"), ("500", "answer", "status 500")],
)
def test_what_keeps_a_run_from_working_ends_with_two(
    fault: str, name: str, said: str, genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer(always=fault) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, found = look(genagents, *MODEL)
    assert (code, found[name][0]) == (2, "fault")
    assert said in found[name][1]


def test_a_closed_port_is_a_fault(genagents: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, found = look(genagents, *MODEL)
    assert code == 2
    assert found["endpoint"][1].startswith("http://127.0.0.1:9/v1: connection refused")


@pytest.mark.parametrize(
    ("always", "name", "said"),
    [
        (reasoning(2000), "reasoning", "thinks before it replies (2,000 tokens"),
        (saying("I would rather not."), "JSON schema", "not of the form"),
        (saying(lambda good: f"{good} said {next(NUMBERS)}"), "seed", "not honoured"),
    ],
)
def test_deviations_of_a_model_are_reported(
    always: ServerFault, name: str, said: str, genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer(always=always) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, found = look(genagents, *MODEL)
        assert server.calls <= 12
    assert (code, said in found[name][1]) == (0, True)


def test_without_a_server_a_missing_extra_is_a_fault(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    code, found = look(genagents)
    assert (code, found["model"][0], found["extra local"][0]) == (2, "fault", "note")
    assert look(genagents, "--model", "scripted:neighbour")[0] == 0


def test_two_words_that_contradict_each_other_are_refused(genagents: Run) -> None:
    code, _, err = genagents("doctor", "--endpoint", "timeout=60", "--endpoint", "deadline=5")
    assert (code, "does not fit" in err) == (2, True)
