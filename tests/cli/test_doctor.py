import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from genagents_env.testing.fault_server import ServerFault, reasoning, saying
from tests.cli.conftest import Run, Serve

NUMBERS = itertools.count()


@pytest.mark.parametrize(
    ("always", "code", "name", "said"),
    [
        ("401", 2, "key", "refused"),
        ("html", 2, "answer", "not JSON"),
        ("500", 2, "answer", "status 500"),
        (reasoning(2000), 0, "reasoning", "thinks before it replies (2,000 tokens"),
        (saying("I would rather not."), 0, "JSON schema", "not of the form"),
        (saying(lambda good: f"{good} said {next(NUMBERS)}"), 0, "seed", "not honoured"),
    ],
)
def test_what_keeps_a_run_from_working_ends_with_two_and_other_deviations_are_reported(
    always: ServerFault | str, code: int, name: str, said: str, genagents: Run, serve: Serve
) -> None:
    server = serve(always=always)
    ended, found = look(genagents, *MODEL)
    assert (ended, found[name][0] == "fault") == (code, code == 2)
    assert said in found[name][1]
    assert server.calls <= 12


def test_without_a_server_a_closed_port_and_a_missing_extra_are_faults(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, found = look(genagents, *MODEL)
    assert code == 2
    assert found["endpoint"][1].startswith("http://127.0.0.1:9/v1: connection refused")
    assert "answer" not in found  # nobody is asked there any more
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    code, found = look(genagents)
    assert (code, found["model"][0], found["extra local"][0]) == (2, "fault", "note")
    assert look(genagents, "--model", "scripted:neighbour")[0] == 0


MODEL = ("--model", "town-model")


def look(genagents: Run, *options: str) -> tuple[int, dict[str, tuple[str, str]]]:
    code, out, err = genagents("doctor", "--json", *options)
    assert err == ""
    assert os.environ.get("OPENAI_API_KEY", "sk-local") not in out
    return code, {f["name"]: (f["verdict"], f["text"]) for f in json.loads(out)["findings"]}


def test_a_complete_server_passes_and_the_cost_is_printed_first(
    genagents: Run, tmp_path: Path, serve: Serve
) -> None:
    server = serve()
    code, out, _ = genagents("doctor", *MODEL)
    assert (code, server.calls) == (0, 11)
    assert out.index("up to 12 calls") < out.index("JSON schema")
    code, found = look(genagents, *MODEL)
    assert (code, "fault" in {verdict for verdict, _ in found.values()}) == (0, False)
    assert found["context"] == ("ok", "32,768 tokens")
    assert found["JSON schema"] == ("ok", "honoured")
    assert found["seed"][1].startswith("honoured")
    assert "tokens a second alone" in found["speed"][1]
    assert {"python", "genagents-env", "extra local", "cache", "cores", "key"} <= set(found)
    asked = server.calls
    assert look(genagents, *MODEL, "--no-calls")[1]["model"][0] == "ok"
    _, found = look(genagents, "--model", "gpt-99", "--no-calls")
    assert found["model"] == ("note", "gpt-99 is not among the 1 listed (town-model)")
    assert server.calls == asked
    assert list(tmp_path.iterdir()) == []
