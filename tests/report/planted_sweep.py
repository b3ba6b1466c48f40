"""Sweeps with known values, for the tests of their report."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.evaluate.measures import Measure
from genagents_env.report.plan import SweepPlan
from genagents_env.report.results import SweepResults, compare_trials
from genagents_env.report.trial import MeasuredTrial, PlotData, RunNarrative, TimedAnswer, Usage
from genagents_env.sweep.design.trials import Condition
from tests.report.planted import change

ADA, BEN, CLEO = "Ada Brook", "Ben Carver", "Cleo Dunn"


def measure(name: str, unit: str = "share", key: str = "") -> Measure:
    title = name.capitalize().replace("_", " ")
    return Measure(name, title, unit, f"What {name} is.", "planted", "", lambda _: None, key)


def condition(arm: str, scenario: str = "cake", model: str | None = None) -> Condition:
    return Condition(arm, arm, scenario, "everyone", model)


def plot_data(told: float = 2.0, heard: float = 600.0) -> PlotData:
    """Return an hour of two: Ada tells Ben `told` times, he knows of the crumbs from `heard` on."""
    return PlotData(
        (ADA, BEN),
        ((0.0, told), (1.0, 0.0)),
        ("Cottage/kitchen", "Cottage/study"),
        ((3600.0, 0.0), (1800.0, 1800.0)),
        {"crumbs": ((0.0, 1.0), (heard, 2.0), (3600.0, 2.0))},
        3600.0,
    )


def narrative(**changes: object) -> RunNarrative:
    answers = (TimedAnswer("Mon 09:00", ADA, "Who took the cake?", 0, "Ben did."),)
    found = RunNarrative(("Knows crumbs: 2 of 2",), ('08:00:10  Ada Brook: "Hello"',), 1, answers)
    return change(found, changes)


def run(
    folder: Path, arm: str, seed: int, values: Mapping[str, float | None], **more: object
) -> MeasuredTrial:
    """Return a finished run of these values; `more` changes its other fields."""
    name = str(more.get("trial", f"{arm.replace(' ', '-')}-s{seed}-0123abcd"))
    trial = MeasuredTrial(
        name,
        condition(arm),
        seed,
        "0123abcd" * 8,
        folder / f"runs/{name}.sqlite",
        "finished",
        "finished",
        360,
        hash=f"{seed:x}".rjust(64, "f"),
        scenario="e" * 64,
        versions={"genagents-env": "1.2.3"},
        usage=Usage(40, 4000, 0, 0.04, 12.5),
        values=values,
        plot_data=plot_data(),
        narrative=narrative(),
    )
    return change(trial, more)


def sweep(
    folder: Path,
    runs: Sequence[MeasuredTrial],
    *,
    primary: Sequence[str] = ("heard.crumbs",),
    **changes: object,
) -> SweepResults:
    """Return the sweep of these runs, with `heard`, `words` and `tokens_per_hour` as measures."""
    seeds = tuple(dict.fromkeys(run.seed for run in runs))
    question = "Does the mind change how far the news spreads?"
    plan = change(SweepPlan("minds", question, 'name = "minds"\n', seeds), changes)
    measures = measure("heard"), measure("words", "words"), measure("tokens_per_hour", "tokens")
    main = [measure(name.partition(".")[0], key=name.partition(".")[2]) for name in primary]
    return compare_trials(folder, plan, runs, measures, main)


def pair(
    folder: Path,
    seeds: int = 8,
    gap: float = 0.3,
    primary: Sequence[str] = ("heard.crumbs",),
    **changes: object,
) -> SweepResults:
    """Return two arms; in each seed `full` hears `gap` more than `bare`, and a little noise."""
    runs = []
    for seed in range(seeds):
        noise = 0.01 * (seed % 4)
        for arm, heard in (("bare", 0.2 + noise), ("full", 0.2 + gap + 2 * noise)):
            values = {"heard.crumbs": heard, "words": 10.0 + seed, "tokens_per_hour": 500.0 + seed}
            runs.append(run(folder, arm, seed, values))
    return sweep(folder, runs, primary=primary, **changes)
