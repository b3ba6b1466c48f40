"""Cautions for readers of a sweep's report, a sentence each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from genagents_env.extras import format_install_command
from genagents_env.report.comparing import PRIMARY
from genagents_env.report.finding import ALPHA
from genagents_env.report.plan import SweepPlan
from genagents_env.report.trial import MeasuredTrial
from genagents_env.stats import MIN_SEEDS, Contrast, smallest_p

_ABSENT = "not installed"
_NEEDED = {"matplotlib": "figures", "pandas": "Parquet files", "pyarrow": "Parquet files"}
_LIBRARIES = (
    *("genagents-env", "numpy", "scipy", "networkx", "joblib", "statsmodels", "openskill"),
    *("pandas", "pyarrow", "matplotlib"),
)
_MOST = 8  # names in one sentence


def find_cautions(
    plan: SweepPlan,
    runs: Sequence[MeasuredTrial],
    contrasts: Sequence[Contrast],
    unknown_runs: Sequence[Path],
) -> Iterator[str]:
    """Yield the cautions, the most serious first.

    Args:
        plan: of the experiment.
        runs: all of them.
        contrasts: all of them.
        unknown_runs: run files in the folder that belong to no trial.
    """
    yield from _warn_of_unfinished(runs)
    yield from _warn_of_few_seeds(runs)
    yield from _warn_of_many_comparisons(contrasts)
    yield from _warn_of_unpaired(plan, contrasts)
    yield from warn_of_degraded(runs)
    yield from warn_of_model_changes(runs)
    yield from warn_of_cuts(runs)
    yield from _warn_of_changes(runs)
    if unknown_runs:
        yield (
            f"{_count(len(unknown_runs), 'run file')} in the folder belong to no trial: their arm "
            "was taken out of the experiment, or scenario, policy or version changed since they "
            f"were lived. They are left out: {_list_some([path.name for path in unknown_runs])}."
        )
    yield from _warn_of_unmeasured(runs)


def _warn_of_unfinished(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    states = Counter(run.state for run in runs if run.state != "finished")
    if states:
        counts = ", ".join(f"{number} {state}" for state, number in states.items())
        yield (
            f"{sum(states.values())} of {_count(len(runs), 'run')} are not finished ({counts}). "
            "Means are over finished runs alone; where those that stop early are not like the "
            "others, such means are biased."
        )


def _warn_of_few_seeds(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    finished = Counter(run.condition.name for run in runs if run.counted)
    fewest = min(finished.values(), default=MIN_SEEDS)
    if fewest < MIN_SEEDS:
        yield (
            f"Few seeds: a condition has only {_count(fewest, 'finished run')}. With fewer than "
            f"{MIN_SEEDS} pairs no difference can be significant, however large it is (with "
            f"{fewest} the smallest p is {smallest_p(fewest):.3g}), and intervals are too narrow."
        )


def _warn_of_many_comparisons(contrasts: Sequence[Contrast]) -> Iterator[str]:
    """Warn of a family so large that nothing can be significant after Holm's correction."""
    main = [one for one in contrasts if one.family == PRIMARY and one.paired]
    smallest = min((smallest_p(one.n) for one in main), default=0.0)
    if main and len(main) * smallest >= ALPHA:
        yield (
            f"{_count(len(main), 'primary comparison')} over at most "
            f"{max(one.n for one in main)} pairs: after Holm's correction no p below "
            f"{min(1.0, len(main) * smallest):.3g} can be reached. More seeds, or fewer primary "
            "measures, would make the study able to find something."
        )


def _warn_of_unpaired(plan: SweepPlan, contrasts: Sequence[Contrast]) -> Iterator[str]:
    if not plan.paired:
        yield (
            "Not paired by design: the conditions do not all have the same seeds, start, hours, "
            "place and clock, so that a difference may come from these."
        )
    apart = [one for one in contrasts if not one.paired]
    if apart:
        yield (
            f"{_count(len(apart), 'comparison')} had no seed in both conditions at which the "
            "measure has a value, and compare runs unpaired."
        )


def warn_of_degraded(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    """Yield a caution where runs are degraded: why, which, and whether they are counted."""
    found = [(run, run.degradation) for run in runs if run.degraded and run.degradation is not None]
    failed = [run for run, how in found if how.failures]
    if failed:
        told = [f"{run.trial} ({_count_failures(run)})" for run in failed]
        yield (
            f"Degraded: in {_count(len(failed), 'finished run')} a policy failed and people idled: "
            f"{_list_some(told)}. {_describe_use(failed)}"
        )
    bad = [(run, how) for run, how in found if how.fell_back]
    if bad:
        told = [f"{run.trial} ({how.fallbacks:,} of {how.calls:,})" for run, how in bad]
        limits = " or ".join(sorted({how.limit for _, how in bad}))
        yield (
            f"Degraded: in {_count(len(bad), 'finished run')} more than {limits} of the model "
            f"calls had no usable reply: {_list_some(told)}. "
            f"{_describe_use([run for run, _ in bad])}"
        )


def warn_of_model_changes(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    """Yield a caution where within some runs another model answered than before."""
    changed = [run for run in runs if run.model_changes]
    if changed:
        first = changed[0]
        yield (
            f"Model changed: in {_count(len(changed), 'run')} another model answered than before "
            f"({_list_some([run.trial for run in changed])}); in {first.trial}, "
            f"{first.model_changes[0].describe()}."
        )


def warn_of_cuts(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    """Yield a caution where prompts of some runs had no room for what matters."""
    cut = [(run, run.prompt_cuts) for run in runs if run.prompt_cuts is not None]
    told = [(run, found) for run, found in cut if found.matters]
    if told:
        sections = sorted({one.section for _, found in told for one in found.sections})
        lost = sum(found.cut for _, found in told) / sum(found.prompts for _, found in told)
        yield (
            f"Cut: in {_count(len(told), 'run')} more than 1 % of the prompts had no room for all "
            f"lines of a section ({_list_some(sections)}), {lost:.1%} over these runs: "
            f"{_list_some([run.trial for run, _ in told])}. `genagents prompts` says which; a "
            "larger `prompt_tokens` gives room."
        )


def _count_failures(run: MeasuredTrial) -> str:
    found = run.degradation
    if found is None:
        return ""
    lost = sum(one.count for one in found.failures)
    return f"{lost:,} of {found.decisions:,} decisions"


def _describe_use(failed: Sequence[MeasuredTrial]) -> str:
    if any(run.excluded for run in failed):
        return "They are in no mean, figure or test; `--degraded include` takes them in."
    return "They are in the means, as asked."


def _warn_of_changes(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    counted = [run for run in runs if run.counted]
    scenarios = {(run.condition.scenario, run.condition.cast, run.scenario) for run in counted}
    names = Counter((scenario, cast) for scenario, cast, _ in scenarios)
    for (scenario, _), number in names.items():
        if number > 1:
            yield f"Scenario {scenario} changed between runs: {number} contents of it were lived."
    for name in sorted({name for run in counted for name in run.versions}):
        seen = sorted({run.versions.get(name, "unknown") for run in counted})
        if len(seen) > 1:
            yield f"Runs were lived by several versions of {name}: {', '.join(seen)}."


def _warn_of_unmeasured(runs: Sequence[MeasuredTrial]) -> Iterator[str]:
    faults = [fault for run in runs for fault in run.unmeasured]
    if faults:
        yield (
            f"{_count(len(faults), 'measurement')} failed and have no value: "
            f"{_list_some(faults, 3, '; ')}."
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _list_some(names: Sequence[str], most: int = _MOST, between: str = ", ") -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def warn_of_missing_libraries(versions: Mapping[str, str]) -> Iterator[str]:
    """Yield for a terminal what cannot be made, and the extra that brings it."""
    for name, what in _NEEDED.items():
        if versions[name] == _ABSENT:
            yield f"no {what}: {name} is not installed: {format_install_command('lab')}"


def find_versions() -> dict[str, str]:
    """Return the version of Python, of this package and of the libraries it uses."""
    found = {"python": python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _ABSENT
    return found
