"""A scenario and a policy to begin with: valid, alive and tested as they are made."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.show.summary import run_as_json
from genagents_env.study.evaluate.measures.diffusion import trace_run_facts
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.testing import check_policy
from tests.cli.conftest import Run


def test_a_new_scenario_is_valid_and_runs_and_has_something_to_report(genagents: Run) -> None:
    code, out, _ = genagents("new", "pond")
    assert code == 0
    assert "genagents validate pond\n" in out
    assert genagents("validate", "pond") == (0, "pond: valid\n", "")
    scenario = load_scenario("pond")
    assert scenario.name == "pond"
    assert scenario.map == Path("pond/map.txt").read_text()
    assert len(scenario.people) == 3
    for part in ("facts", "gatherings", "events", "questions", "checks", "success"):
        assert getattr(scenario, part), part
    assert genagents("run", "pond", "--out", "pond.sqlite", "-q")[0] == 0
    with RunReader("pond.sqlite") as record:
        found = run_as_json(record)
        assert any(event.kind == "news" for event in record.events())
    assert len(found["facts"][0]["heard"]) == 2, "the fact goes round"
    assert len(found["gatherings"][0]["visits"]) == 2
    assert {one["success"] for one in found["outcomes"]} == {"all_know", "an_audience"}


def test_what_the_next_steps_say_can_be_done(genagents: Run) -> None:
    _, out, _ = genagents("new", "deep/down/pond")
    words = [part for line in out.splitlines() for part in line.split("genagents ")[1:]]
    commands = [part.rstrip(", ") for part in words]
    assert len(commands) == 7
    for command in commands:
        assert genagents(*command.split())[0] == 0, command
    assert Path("pond.png").read_bytes().startswith(b"\x89PNG")


def test_a_new_policy_keeps_the_contract_and_passes_the_fact_on(genagents: Run) -> None:
    code, out, _ = genagents("new-policy", "long_talk")
    assert code == 0
    assert "genagents run tiny --policy long_talk.py:LongTalk\n" in out
    made = runpy.run_path("long_talk.py")
    assert made["LongTalk"].name == "long_talk"
    made["test_it_keeps_the_contract"]()
    check_policy(made["LongTalk"], "valentines_party")
    genagents("new", "pond")
    run = ("run", "pond", "--policy", "long_talk.py:LongTalk", "--strict", "-q")
    assert genagents(*run)[0] == 0
    with RunReader("run.sqlite") as record:
        assert len(trace_run_facts(RunData(record))[0].heard) == 2


@pytest.mark.slow
def test_the_test_of_a_new_policy_is_found_by_pytest(genagents: Run, tmp_path: Path) -> None:
    genagents("new-policy", "shy.py")
    words = Path("shy.py").read_text().replace("percept.people:", "percept.nobody:")
    Path("broken.py").write_text(words)
    places = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for name, code in (("shy.py", 0), ("broken.py", 1)):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", name],
            capture_output=True,
            env=places,
        )
        assert done.returncode == code, done.stdout


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


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        ("new", "there", "there is there already, and nothing is replaced; take another name"),
        ("new", "link", "link is there already"),
        ("new", "tiny", "'tiny' is a scenario that comes with the package"),
        ("new", "My Town", "'My Town' is no name of a scenario; lower-case letters"),
        ("new", ".", "is no name of a scenario"),
        ("new", "file/pond", "file"),
        ("new-policy", "mine", "mine.py is there already"),
        ("new-policy", "scripted", "'scripted' is a policy that comes with the package"),
        ("new-policy", "talk", "'talk': its class Talk would hide what it uses"),
        ("new-policy", "json", "'json' is a word of Python's own"),
        ("new-policy", "none", "'none' is a word of Python's own"),
        ("new-policy", "mine.toml", "'mine.toml' is no name of a policy"),
    ],
)
def test_an_impossible_name_is_refused_and_leaves_nothing(
    command: str, name: str, message: str, genagents: Run
) -> None:
    Path("there").mkdir()
    Path("link").symlink_to("nowhere")
    Path("file").write_text("mine")
    Path("mine.py").write_text("mine")
    before = sorted(Path().rglob("*"))
    code, _, err = genagents(command, name)
    assert code == 2
    assert message in err
    assert sorted(Path().rglob("*")) == before
    assert Path("mine.py").read_text() == "mine"


def test_the_template_is_a_scenario_as_it_stands() -> None:
    import genagents_env.cli.new as made

    assert validate_folder(Path(made.__file__).parent / "templates" / "my_town") == []
