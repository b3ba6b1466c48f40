from pathlib import Path

from benchmarks.days import FIGURES, read_days
from genagents_env.config import TownConfig
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run


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
