"""The scenario of docs/first_scenario.md is whole: written as the page says, it lives."""

import re
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.study.evaluate.measures.diffusion import trace_run_facts
from genagents_env.study.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.study.evaluate.run_data import RunData
from tests.cli.conftest import Run, genagents

__all__ = ["genagents"]  # the fixture

PAGE = Path(__file__).resolve().parent.parent / "docs" / "first_scenario.md"
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", re.S)


@pytest.fixture
def school(genagents: Run) -> Run:
    """Make the folder as the page says: begin with `genagents new`, replace what it shows."""
    assert genagents("new", "school")[0] == 0
    for person in Path("school/people").iterdir():
        person.unlink()
    for name, text in FILE.findall(PAGE.read_text("utf-8")):
        Path(name).write_text(text, "utf-8")
    return genagents


def test_the_page_makes_a_scenario_that_lives_and_reports(school: Run) -> None:
    assert validate_folder("school") == []
    scenario = load_scenario("school")
    assert len(scenario.people) == 4
    assert scenario.events
    assert scenario.questions
    assert school("map", "draw", "school", "--out", "school.png")[0] == 0
    assert school("run", "./school", "--out", "school.sqlite", "-q")[0] == 0
    with RunReader("school.sqlite") as record:
        data = RunData(record)
        fact, *_ = trace_run_facts(data)
        heard = [(one.agent, f"{record.time(one.tick):%H:%M}") for one in fact.heard]
        gathering, *_ = find_gathering_visits(data)
    answer = " ".join(
        PAGE.read_text("utf-8").partition("The answer of the run by rule:")[2].split()
    )
    told = re.findall(r"\((\d\d:\d\d)\)", answer)
    assert heard == list(zip(["Tom Hill", "Sam Okoro", "Nora Lane"], told, strict=True))
    assert told[1] < "12:00" < told[2] < "12:30"
    assert answer.partition(" of four know;")[0].endswith("At noon three")
    assert len(gathering.visits) == 2
    code, out, _ = school("report", "school.sqlite")
    assert code == 0
    assert "Fact leaving: 4 of 4" in out
    assert ": 2 of 4 came" in " ".join(out.split())
    assert "At half past twelve everybody has heard the rumour" in out
    assert "before: no by rule, 0 of 1 (0%) after: yes by rule, 1 of 1" in " ".join(out.split())
