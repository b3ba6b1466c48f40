from datetime import timedelta
from pathlib import Path

from genagents_env.cli.summary import summary
from genagents_env.evaluate import report
from genagents_env.record import RunReader
from genagents_env.rollout import Engine, PolicySpec, RunSpec, run
from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import Gathering


def test_a_report_tells_attendance_facts_and_talk_from_the_record(tmp_path: Path) -> None:
    tiny = load_scenario("tiny")
    begin, ada = tiny.start, tiny.people[0]
    tea = Gathering(
        id="tea",
        place=(ada.start or ada.home).split("/")[0],
        start=begin + timedelta(minutes=1),
        end=begin + timedelta(minutes=3),
    )
    late = tea.model_copy(update={"id": "late", "start": begin + timedelta(hours=9)})
    late = late.model_copy(update={"end": begin + timedelta(hours=10)})
    scenario = tiny.model_copy(update={"gatherings": (tea, late)})
    path = tmp_path / "run.sqlite"
    run(RunSpec(scenario, hours=5 / 60, policy=PolicySpec("scripted")), path, Engine())
    with RunReader(path) as record:
        told = report(record)
        said = [event for event in record.events() if event.kind == "say"]
        learned = {event.agent for event in record.events() if event.kind == "learn"}
    (gathering,) = told.gatherings
    stayed = min(told.last_tick + 1, 18) - 6  # everyone is at home all the time
    assert [(v.agent, v.first, v.ticks) for v in gathering.visits] == [
        (person.name, 6, stayed) for person in tiny.people
    ]
    assert told.talk.utterances == len(said)
    assert {h.agent for spread in told.facts for h in spread.heard} == learned
    assert told.as_json()["gatherings"][0]["visits"][0]["ticks"] == stayed
    lines = list(summary(told))
    assert any(line.startswith("Gathering tea") and "2 of 2 came" in line for line in lines)
