from pathlib import Path

import pytest

from genagents_env.record import RunMeta
from genagents_env.scenario import load_scenario


@pytest.fixture(scope="session")
def meta() -> RunMeta:
    scenario = load_scenario("tiny")
    names = tuple(person.name for person in scenario.people)
    return RunMeta(
        scenario=scenario,
        arguments={"hours": 1.0, "start": None},
        policies={name: {"name": "idle", "config": {}} for name in names},
        seed=7,
        names=names,
        start="2023-02-13T08:00:00",
        seconds_per_tick=10,
        versions={"genagents-env": "0"},
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"
