"""Studies with known values, for the tests of their report."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from genagents_env.record import Degradation, PolicyFailure, PromptCuts
from genagents_env.study.evaluate.measure import Measure, MeasuredValue, NamedValue
from genagents_env.study.report.measuring import compare_runs
from genagents_env.study.report.study import StudyPlan, StudyResults
from genagents_env.study.sweep.design.cells import Condition
from genagents_env.study.sweep.measured import MeasuredRun, Usage
from genagents_env.study.sweep.trial_status import StudyRun
from tests.study.report.planted import change

ADA = "Ada Brook"
LEVELS = {"mind": ("bare", "full")}
FAILURE = PolicyFailure("mine", 3, (ADA,), 1, ADA, "ValueError: no")
Number = float | MeasuredValue | None


def measure(name: str, unit: str = "share", says: str = "") -> Measure:
    title = name.capitalize().replace("_", " ")
    return Measure(name, title, unit, f"What {name} is.", "planted", lambda _: None, says=says)


MEASURES = (
    measure("heard", says="heard of {key}"),
    measure("words", "words"),
    measure("tokens_per_hour", "tokens"),
)


def measured(values: Mapping[str, Number], life: str, **more: object) -> MeasuredRun:
    """Return a finished hour of two people with these values."""
    named = tuple(
        NamedValue(
            *name.partition(".")[::2], one if isinstance(one, MeasuredValue) else MeasuredValue(one)
        )
        for name, one in values.items()
    )
    found = MeasuredRun(
        hash="f" * 64,
        size=1,
        modified=1,
        life=life,
        hours=1.0,
        people=2,
        values=named,
        taken={},
        faults=(),
        usage=Usage(40, 4000, 0, 0.04, 12.5),
        degradation=Degradation(decisions=720, calls=40),
        prompt_cuts=PromptCuts(),
        model_changes=(),
        uses=(),
        versions={"genagents-env": "1.2.3"},
        curves={"crumbs": ((0.0, 1), (0.2, 2), (1.0, 2))},
    )
    return change(found, more)


def run(
    folder: Path, levels: Sequence[str], seed: int, values: Mapping[str, Number], **more: object
) -> StudyRun:
    """Return a finished run of these values; `more` changes its other fields."""
    name = f"{'-'.join(levels).replace(' ', '-')}-s{seed}-0123abcd"
    condition = Condition(" / ".join(levels), tuple(levels), "cake / Ada, Ben", "c" * 64)
    found = measured(values, f"{name}-life")
    file = folder / f"runs/{name}.sqlite"
    identity = "0123abcd" * 8
    whole = StudyRun(name, condition, seed, identity, file, "finished", "finished", "", found)
    return change(whole, more)


def unfinished(folder: Path, level: str, seed: int, state: str, problem: str = "") -> StudyRun:
    return run(folder, [level], seed, {}, measured=None, state=state, status="", problem=problem)


def degraded(one: StudyRun) -> StudyRun:
    assert one.measured is not None
    found = change(one.measured, {"degradation": Degradation((FAILURE,), 720)})
    return change(one, {"measured": found})


def study(
    folder: Path,
    runs: Sequence[StudyRun],
    *,
    primary: Sequence[str] = ("heard.crumbs",),
    levels: Mapping[str, Sequence[str]] | None = None,
    **changes: object,
) -> StudyResults:
    """Return the study of these runs, with `heard`, `words` and `tokens_per_hour` as measures."""
    seeds = tuple(dict.fromkeys(run.seed for run in runs))
    question = "Does the mind change how far the news spreads?"
    named = tuple((words.partition(": ")[0], words.partition(": ")[2]) for words in primary)
    own = LEVELS if levels is None else levels
    plan = StudyPlan("minds", question, 'name = "minds"\n', own, seeds, {}, named)
    return compare_runs(folder, change(plan, changes), runs, MEASURES)


def make_runs(
    folder: Path, values: Callable[[int, int], Mapping[str, Number]], seeds: int = 8
) -> list[StudyRun]:
    """Return finished runs of both levels; `values` of the number of the level, and the seed."""
    return [
        run(folder, [level], seed, values(k, seed))
        for seed in range(seeds)
        for k, level in enumerate(LEVELS["mind"])
    ]


def pair(
    folder: Path, seeds: int = 8, gap: float = 0.3, primary: Sequence[str] = ("heard.crumbs",)
) -> StudyResults:
    """Return two levels; in each seed `full` hears `gap` more than `bare`, and a little noise."""

    def values(level: int, seed: int) -> Mapping[str, Number]:
        heard = 0.2 + level * gap + (1 + level) * 0.01 * (seed % 4)
        return {"heard.crumbs": heard, "words": 10.0 + seed, "tokens_per_hour": 500.0 + seed}

    return study(folder, make_runs(folder, values, seeds), primary=primary)
