from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import Gathering, Question
from genagents_env.show.findings import format_findings
from genagents_env.study.evaluate.measures.findings import Findings, compute_findings

TINY = load_scenario("tiny")
ADA, BEN = (person.name for person in TINY.people)


def _make_scenario() -> Scenario:
    """Tiny without an end before time, with one question of each kind."""
    (heard,) = TINY.questions
    (tea,) = TINY.gatherings
    soon: Gathering = tea.model_copy(update={"start": TINY.start + timedelta(minutes=4)})
    reward = TINY.reward.model_copy(update={"ends": False})
    questions = (
        heard.model_copy(update={"to": (ADA, BEN)}),
        Question(id="knows", text="Do you know of {person}?", when="both", about="everyone"),
        Question(id="why", text="If you missed the tea, why?", gathering=tea.id),
    )
    changes = {"questions": questions, "gatherings": (soon,), "reward": reward}
    return TINY.model_copy(update=changes)


def _run_findings(
    path: Path, scenario: Scenario, policy: str = "scripted", hours: float | None = None
) -> Findings:
    run(RunSpec(TownConfig(scenario, hours=hours), policy=PolicySpec(policy)), path, RunOptions())
    with RunReader(path) as record:
        return compute_findings(record)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_findings_of_a_run_that_was_asked(path: Path) -> None:
    found = _run_findings(path, _make_scenario())
    (tea,) = found.facts
    assert tea.before is not None
    assert tea.after is not None
    assert tea.before.verified == (ADA,)
    assert tea.after.asked == (ADA, BEN)
    assert tea.after.verified == (ADA, BEN)
    assert found.acquainted_before is not None
    assert found.acquainted_before.asked == found.acquainted_before.pairs * 2 == 2
    (gathering,) = found.gatherings
    assert gathering.host == ADA
    assert gathering.invited == (BEN,)
    assert found.asked
    told = list(format_findings(found))
    assert told[0] == "Knows tea: before 1 of 2 (50%); after 2 of 2 (100%)"
    assert told[1].startswith("Mutual knowledge: before density ")
    assert told[2].startswith("Came to tea_time: 1 of 1 invited")
    assert told[3].startswith("Hallucinated: ")
    values = found.as_json()
    assert values["facts"]["tea"]["after"]["verified_share"] == 1.0
    assert values["gatherings"]["tea_time"]["came"] == [BEN]


def test_nobody_asked_is_told_as_such_and_is_not_nothing(path: Path) -> None:
    found = _run_findings(path, _make_scenario(), policy="idle", hours=2 / 60)
    assert not found.asked
    assert found.gatherings == ()  # none has begun
    assert list(format_findings(found))[:2] == [
        "Knows tea: before not asked; after not asked",
        "Mutual knowledge: before not asked; after not asked",
    ]
    assert list(format_findings(found))[-1] == "Hallucinated: not asked"
    values = found.as_json()
    assert values["facts"] == {"tea": {"before": None, "after": None}}
    assert values["acquaintance"] == {"before": None, "after": None}
    assert values["claims"] is None
    assert values["hallucinated"] is None


def test_those_who_stayed_away_unasked_are_told_so(path: Path) -> None:
    scenario = _make_scenario().model_copy(update={"questions": ()})
    (tea,) = scenario.gatherings
    elsewhere = tea.model_copy(update={"place": "outside"})
    found = _run_findings(path, scenario.model_copy(update={"gatherings": (elsewhere,)}))
    assert found.facts == ()
    (told,) = [line for line in format_findings(found) if line.startswith("Came")]
    assert told == "Came to tea_time: 0 of 1 invited; of 1 who stayed away 1 not asked why"
