"""`--json`: what a command came to as one JSON object on stdout, whatever is said on stderr."""

import json
from pathlib import Path

from genagents_env.record import canonical_hash
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents

LOUD = """from genagents_env.policy import Policy


class Loud(Policy):
    name = "loud"

    def act(self, observations, infos):
        print("LOUD")
        return {}
"""
RUN = ("run", "tiny", "--hours", "0.02", "--json")


def test_a_run_that_stops_says_why_in_the_object(genagents: Run) -> None:
    asked = ("--policy", "reactive", "--model", "scripted", "--embedder", "hashed", "-q")
    code, out, _ = genagents(*RUN, *asked, "--limit", "calls=1")
    told = json.loads(out)
    assert (code, told["exit_code"], told["status"]) == (3, 3, "budget_exhausted")
    assert "genagents resume run.sqlite" in told["message"]
    code, out, _ = genagents("resume", "run.sqlite", "--json", "-q", "--limit", "none")
    told = json.loads(out)
    assert (code, told["status"], told["message"]) == (0, "finished", "")
    assert isinstance(told["resumed_from"], int)


def test_what_a_policy_prints_is_not_in_the_object(genagents: Run) -> None:
    Path("loud.py").write_text(LOUD)
    code, out, err = genagents(*RUN, "--policy", "loud.py:Loud", "-q")
    assert (code, json.loads(out)["exit_code"]) == (0, 0)
    assert "LOUD" in err
    assert (
        "LOUD"
        in genagents("run", "tiny", "--hours", "0.01", "--policy", "loud.py:Loud", "--force")[1]
    )


def test_a_run_ends_with_its_summary_and_a_hash_says_of_what_it_is(genagents: Run) -> None:
    code, out, err = genagents(*RUN)
    told = json.loads(out)
    ended = (code, told["exit_code"], told["status"], told["run"])
    assert ended == (0, 0, "finished", "run.sqlite")
    assert told["hash"] == canonical_hash(Path("run.sqlite"))
    report = json.loads(genagents("report", "run.sqlite", "--json")[1])
    both = report.keys() & told.keys()
    assert {key: told[key] for key in both} == {key: report[key] for key in both}
    assert {"talk", "people", "facts"} <= set(told)
    assert "ticks/s" in err
    assert genagents(*RUN, "--force", "-q")[2] == ""
    hashed = json.loads(genagents("hash", "run.sqlite", "--json")[1])
    assert genagents("hash", "run.sqlite")[1].strip() == hashed.pop("hash") == told["hash"]
    assert hashed == {"run": "run.sqlite", "status": "finished", "last_tick": 7}
