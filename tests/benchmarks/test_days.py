from pathlib import Path

import numpy as np
import pytest

from benchmarks.days import FIGURES, measure_days, read_days
from genagents_env.config import TownConfig
from genagents_env.policy import NoteKind
from genagents_env.record import Checkpoint, NoteRow, RunReader, RunWriter
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event
from tests.study.report.planted import (
    ADA,
    BEN,
    meta,
    start,
)

KINDS: tuple[NoteKind, ...] = ("cut", "wish")


def test_idle_things_and_other_days_are_no_events_of_the_run(tmp_path: Path) -> None:
    stream = {
        "kind": ["event", "event", "event", "thought"],
        "text": ["Ben is baking", "the stove is idle", "Ben went away", "I like Ben"],
        "cause": ["", "", "seed", ""],
    }
    with RunWriter.create(tmp_path / "run.sqlite", meta()) as writer:
        for tick in range(361):
            own = [Event(0, 0, *start(ADA)[1:]), Event(1, 0, *start(BEN)[1:])] if not tick else []
            wishes = [
                NoteRow(tick, 3, ADA, "ground.pieces", k, kind, '{"talk": 1}')
                for k, kind in enumerate(KINDS)
            ]
            at = np.zeros((2, 2), dtype=np.int16)
            writer.commit_tick(tick, at, own, notes=wishes if tick == 4 else ())
        writer.checkpoint(Checkpoint(360, {}, [{ADA: {"stream": stream}, BEN: {}}]))
        writer.set_status("finished")
    with RunReader(tmp_path / "run.sqlite") as run:
        values = measure_days(RunData(run))
    assert values["remembered"] == pytest.approx(1 / 2)
    assert values["wishes"] == 1
    assert set(values) == {figure.name for figure in FIGURES}


def test_a_figure_holds_within_its_bounds_and_fails_without_a_value() -> None:
    turns = next(figure for figure in FIGURES if figure.name == "turns")
    assert [turns.judge(value) for value in (3.9, 4, 16, 16.1, None)] == [
        *("FAILS", "holds", "holds", "FAILS", "FAILS"),
    ]
    assert next(figure for figure in FIGURES if figure.name == "calls").judge(9) == ""


PEOPLE = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
DAILY = {"reflections"}  # too few in two hours


def test_a_late_morning_has_the_grain_of_the_original(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    town = TownConfig("valentines_party", hours=2, people=PEOPLE, start="2023-02-13T10:30")
    options = RunOptions(model="scripted:neighbour", embedder="hashed", interviews=False)
    run(RunSpec(town, policy=PolicySpec("smallville")), path, options)
    values = read_days(path)
    failing = [
        (figure.title, figure.format(values[figure.name]), figure.bounds)
        for figure in FIGURES
        if figure.name not in DAILY and figure.judge(values[figure.name]) == "FAILS"
    ]
    assert failing == []
    assert values["fallbacks"] == 0
