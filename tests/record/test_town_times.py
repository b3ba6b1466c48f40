"""Town times as people write them."""

from datetime import datetime
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.record import RunReader, RunWriter
from genagents_env.record.town_times import find_last_tick, find_tick, parse_time
from tests.record.lived import live, make_meta


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a run of 61 ticks of 10 s from 08:00 on."""
    with RunWriter.create(tmp_path / "run.sqlite", make_meta()) as writer:
        live(writer, 60)
    return tmp_path / "run.sqlite"


@pytest.mark.parametrize(
    "asked", ["08:05", "8:05", "08:05:00", "2023-02-13T08:05", "2023-02-13 08:05", "08:05Z"]
)
def test_a_time_is_understood_however_it_is_written(asked: str, path: Path) -> None:
    with RunReader(path) as run:
        assert parse_time(run, asked) == datetime.fromisoformat("2023-02-13T08:05")
        assert find_tick(run, asked, "--at") == 30


@pytest.mark.parametrize("asked", ["", ":", "8", "25:00", "noon", "8:5", "2023-02-30T08:00"])
def test_an_invalid_time_is_refused(asked: str, path: Path) -> None:
    with RunReader(path) as run, pytest.raises(ConfigError, match="is not a time; expected 08:30"):
        find_tick(run, asked, "--at")


@pytest.mark.parametrize("asked", ["07:59:59", "08:10:01", "2023-02-14T08:05", "0001-01-01T00:00"])
def test_a_time_outside_the_run_is_refused_with_the_times_of_the_run(
    asked: str, path: Path
) -> None:
    said = r"--at .*: .*run\.sqlite has no .*; it goes from 2023-02-13T08:00:00 to .*T08:10:00"
    with RunReader(path) as run:
        assert find_last_tick(run) == 60
        with pytest.raises(ConfigError, match=said):
            find_tick(run, asked, "--at")
