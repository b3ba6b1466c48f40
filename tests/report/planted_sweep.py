"""Sweeps with known values, for the tests of their report."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from genagents_env.evaluate.measures import Measure
from genagents_env.report.plan import SweepPlan
from genagents_env.report.results import SweepResults, compare_trials
from genagents_env.report.trial import MeasuredTrial, PlotData, RunNarrative, TimedAnswer, Usage
from genagents_env.sweep.design.trials import Condition

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


def narrative(**changes: Any) -> RunNarrative:
    given: dict[str, Any] = {
        "findings": ("Knows crumbs: 2 of 2",),
        "happened": ('08:00:10  Ada Brook: "Hello"',),
        "lines": 1,
        "answers": (TimedAnswer("Mon 09:00", ADA, "Who took the cake?", 0, "Ben did."),),
    }
    return RunNarrative(**{**given, **changes})


def run(
    folder: Path, arm: str, seed: int, values: Mapping[str, float | None], **more: Any
) -> MeasuredTrial:
    """Return a finished run of these values; `more` changes its other fields."""
    given: dict[str, Any] = {
        "trial": f"{arm.replace(' ', '-')}-s{seed}-0123abcd",
        "condition": condition(arm),
        "seed": seed,
        "identity": "0123abcd" * 8,
        "state": "finished",
        "status": "finished",
        "tick": 360,
        "hash": f"{seed:x}".rjust(64, "f"),
        "scenario": "e" * 64,
        "versions": {"genagents-env": "1.2.3"},
        "usage": Usage(40, 4000, 0, False, 0.04, 12.5),
        "values": values,
        "plot_data": plot_data(),
        "narrative": narrative(),
    }
    given |= more
    return MeasuredTrial(**{"file": folder / f"runs/{given['trial']}.sqlite", **given})


def sweep(
    folder: Path,
    runs: Sequence[MeasuredTrial],
    *,
    primary: Sequence[str] = ("heard.crumbs",),
    **plan: Any,
) -> SweepResults:
    """Return the sweep of these runs, with `heard`, `words` and `tokens_per_hour` as measures."""
    given: dict[str, Any] = {
        "name": "minds",
        "question": "Does the mind change how far the news spreads?",
        "text": 'name = "minds"\n',
        "seeds": tuple(dict.fromkeys(run.seed for run in runs)),
    }
    known = measure("heard"), measure("words", "words"), measure("tokens_per_hour", "tokens")
    main = [measure(name.partition(".")[0], key=name.partition(".")[2]) for name in primary]
    return compare_trials(folder, SweepPlan(**{**given, **plan}), runs, known, main)


def pair(folder: Path, seeds: int = 8, gap: float = 0.3, **plan: Any) -> SweepResults:
    """Return two arms; in each seed `full` hears `gap` more than `bare`, and a little noise."""
    runs = []
    for seed in range(seeds):
        noise = 0.01 * (seed % 4)
        for arm, heard in (("bare", 0.2 + noise), ("full", 0.2 + gap + 2 * noise)):
            values = {"heard.crumbs": heard, "words": 10.0 + seed, "tokens_per_hour": 500.0 + seed}
            runs.append(run(folder, arm, seed, values))
    return sweep(folder, runs, **plan)
