"""Where two runs part, and what it changed."""

from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, fork, run
from genagents_env.scenario.schema import ScheduledEvent
from genagents_env.study.evaluate.parting import describe_parting
from genagents_env.study.evaluate.run_data import RunData

PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return half an hour in which the party is told of."""
    path = tmp_path_factory.mktemp("day") / "day.sqlite"
    town = TownConfig(
        "valentines_party", start="10:00", hours=0.5, people=PEOPLE, place="Hobbs Cafe"
    )
    run(RunSpec(town, policy=PolicySpec("scripted")), path, RunOptions(interviews=False))
    return path


def describe(first: Path, second: Path) -> list[str]:
    with RunReader(first) as one, RunReader(second) as other:
        return list(describe_parting(RunData(one), RunData(other)))


def test_equal_runs_do_not_part(day: Path, tmp_path: Path) -> None:
    same = fork(day, tmp_path / "same.sqlite", 50).path
    assert describe(day, same) == [
        f"{same} is a fork of {day}, after 10:08:20.",
        f"{day} and {same} are equal.",
    ]


def test_the_first_difference_is_found_and_its_consequences_are_named(
    day: Path, tmp_path: Path
) -> None:
    with RunReader(day) as record:
        told = next(e for e in record.events(kind="say") if "party" in e.data["facts"])
        at, end = record.time(told.tick), record.time(record.last_tick)
        heard = {e.agent for e in record.events(kind="learn") if e.data["fact"] == "party"}
    event = ScheduledEvent(at=at, kind="silence", agent=told.agent, until=end)
    silent = fork(day, tmp_path / "silent.sqlite", told.tick - 1, [event]).path
    with RunReader(silent) as other:
        left = {e.agent for e in other.events(kind="learn") if e.data["fact"] == "party"}
    assert left < heard
    first, *rest = describe(day, silent)[1:]
    assert first == f"{day} and {silent} part at {at:%Y-%m-%d %H:%M:%S} (tick {told.tick})."
    ours = [line for line in rest if line.startswith(f"    only in {day}: ")]
    theirs = [line for line in rest if line.startswith(f"    only in {silent}: ")]
    assert any(told.data["text"] in line for line in ours)
    assert any("no word came out" in line for line in theirs)
    assert f"Heard of party: {len(heard)} in {day}, {len(left)} in {silent}." in rest
