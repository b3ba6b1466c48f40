"""A scenario and a policy to begin with: valid, alive and tested as they are made."""

import runpy
import shlex
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.scenario import load_scenario
from genagents_env.show.summary import run_as_json
from genagents_env.study.evaluate.measures.diffusion import trace_run_facts
from genagents_env.study.evaluate.run_data import RunData
from tests.cli.conftest import Run


def test_a_new_scenario_is_valid_and_runs_and_its_next_steps_can_be_done(genagents: Run) -> None:
    _, out, _ = genagents("new", "deep/down here/pond")
    words = [part for line in out.splitlines() for part in line.split("genagents ")[1:]]
    commands = [part.rstrip(", ") for part in words]
    assert len(commands) == 7
    for command in commands:
        assert genagents(*shlex.split(command))[0] == 0, command
    assert Path("pond.png").read_bytes().startswith(b"\x89PNG")
    scenario = load_scenario("deep/down here/pond")
    assert scenario.map == Path("deep/down here/pond/map.txt").read_text()
    for part in ("facts", "gatherings", "events", "questions", "checks", "success"):
        assert getattr(scenario, part), part
    assert genagents("run", "deep/down here/pond", "--out", "own.sqlite", "-q")[0] == 0
    with RunReader("own.sqlite") as record:
        found = run_as_json(record)
        assert any(event.kind == "news" for event in record.events())
    assert len(found["facts"][0]["heard"]) == 2, "the fact goes round"
    assert len(found["gatherings"][0]["visits"]) == 2
    assert {one["success"] for one in found["outcomes"]} == {"all_know", "an_audience"}


def test_a_new_policy_keeps_the_contract_and_passes_the_fact_on(genagents: Run) -> None:
    code, out, _ = genagents("new-policy", "long_talk")
    assert code == 0
    assert "genagents run tiny --policy long_talk.py:LongTalk\n" in out
    made = runpy.run_path("long_talk.py")
    assert made["LongTalk"].name == "long_talk"
    made["test_it_keeps_the_contract"]()
    genagents("new", "pond")
    run = ("run", "pond", "--policy", "long_talk.py:LongTalk", "--strict", "-q")
    assert genagents(*run)[0] == 0
    with RunReader("run.sqlite") as record:
        assert len(trace_run_facts(RunData(record))[0].heard) == 2


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("shy", "no policy 'shy'; did you mean 'shy.py'?"),
        ("shy.py:shy", "shy.py has no 'shy'; its policies: Shy"),
        ("shy.py:Policy2", "shy.py has no 'Policy2'; its policies: Shy"),
        ("shy.py:Talk", "'shy.py:Talk' is not a subclass of genagents_env.policy.Policy"),
    ],
)
def test_a_slip_in_the_name_of_a_new_policy_is_refused(
    named: str, told: str, genagents: Run
) -> None:
    genagents("new-policy", "shy")
    code, _, err = genagents("run", "tiny", "--policy", named, "--hours", "0.01", "-q")
    assert code == 2
    assert told in err
