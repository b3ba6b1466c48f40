"""Cautions for readers of a report, a sentence each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import TYPE_CHECKING

from genagents_env.study.report.table import format_count, list_some
from genagents_env.study.stats import ALPHA, MIN_SEEDS, count_needed_seeds, find_smallest_p
from genagents_env.study.sweep.measured import MeasuredRun
from genagents_env.study.sweep.trial_status import StudyRun

if TYPE_CHECKING:
    from genagents_env.study.report.study import StudyResults

_ABSENT = "not installed"
_LIBRARIES = (
    *("genagents-env", "numpy", "scipy", "networkx", "joblib", "statsmodels", "openskill"),
    *("pandas", "pyarrow", "matplotlib"),
)


def find_study_cautions(study: "StudyResults") -> Iterator[str]:
    """Yield the cautions on a study, the most serious first."""
    runs = [(run, run.measured) for run in study.runs if run.measured is not None]
    yield from _warn_of_unfinished(study)
    yield from _warn_of_few_seeds(study)
    yield from _warn_of_copies(study)
    yield from _warn_of_earlier(study)
    yield from _warn_of_partly_equal(study)
    yield from _warn_of_degraded(runs)
    yield from _warn_of_model_changes(runs)
    yield from _warn_of_cuts(runs)
    yield from _warn_of_versions(study)
    yield from _warn_of_unmeasured(study)


def _warn_of_unfinished(study: "StudyResults") -> Iterator[str]:
    states = Counter(run.state for run in study.runs if run.measured is None)
    if states:
        counts = ", ".join(f"{number} {state}" for state, number in states.items())
        yield (
            f"{sum(states.values())} of {format_count(len(study.runs), 'run')} are not finished "
            f"({counts}). Means are over finished runs alone; where those that stop early are not "
            "like the others, such means are biased."
        )


def _warn_of_few_seeds(study: "StudyResults") -> Iterator[str]:
    tests = [one for one in study.effects if one.p_holm is not None]
    fewest = min((sum(run.counted for run in own) for own in study.conditions.values()), default=0)
    if fewest < MIN_SEEDS and study.plan.levels:
        counted = " that are not degraded" if study.excluded else ""
        yield (
            f"Few seeds: a condition has only {format_count(fewest, 'finished run')}{counted}. "
            f"Fewer than {MIN_SEEDS} show no difference as significant, however large it is."
        )
    elif tests and max(find_smallest_p(one.n) for one in tests) * len(tests) >= ALPHA:
        yield (
            f"{len(tests)} primary comparisons are many for {format_count(fewest, 'seed')}: with "
            f"{count_needed_seeds(len(tests))} seeds, or fewer comparisons named in `primary` "
            f"(`{tests[0].measure}: {tests[0].contrast.factor}` is one), each could be found."
        )


def _warn_of_copies(study: "StudyResults") -> Iterator[str]:
    alike = " Seeds in which all that is compared reads alike count once in an effect."
    for name, one in study.judged.copies.items():
        if one.copied:
            yield (
                f"{study.title_of(name)}: {one.copied:,} of {one.ratings:,} ratings were given to "
                f"the very same words elsewhere.{alike if study.plan.levels else ''} No p and no "
                "interval covers how a judge may err on words that several runs share."
            )


def _warn_of_earlier(study: "StudyResults") -> Iterator[str]:
    earlier = [run.name for run in study.runs if run.earlier]
    if earlier:
        yield (
            f"{format_count(len(earlier), 'run')} were made before the scenario, a policy or this "
            f"package changed, and are counted as they are: {list_some(earlier)}. `genagents "
            "sweep DIR` would run them anew."
        )


def _warn_of_partly_equal(study: "StudyResults") -> Iterator[str]:
    for one in study.equal:
        if one.equal < one.compared:
            yield f"Equal lives: {one.text}, the same positions, events and answers."


def _warn_of_degraded(runs: Sequence[tuple[StudyRun, MeasuredRun]]) -> Iterator[str]:
    """Yield a caution where runs are degraded: which, why, and whether they are counted."""
    bad = [run for run, _ in runs if run.degraded]
    if bad:
        told = list_some([f"{run.name}: {run.degraded}" for run in bad], 3, "; ")
        use = "They are in the means, as asked."
        if any(run.excluded for run in bad):
            use = "They are in no mean, figure or test; `--degraded include` takes them in."
        yield f"Degraded: {format_count(len(bad), 'finished run')} ({told}). {use}"


def _warn_of_model_changes(runs: Sequence[tuple[StudyRun, MeasuredRun]]) -> Iterator[str]:
    """Yield a caution where within some runs another model answered than before."""
    changed = [(run.name, found.model_changes) for run, found in runs if found.model_changes]
    if changed:
        name, changes = changed[0]
        yield (
            f"Model changed: in {format_count(len(changed), 'run')} another model answered than "
            f"before ({list_some([name for name, _ in changed])}); in {name}, "
            f"{changes[0].describe()}."
        )


def _warn_of_cuts(runs: Sequence[tuple[StudyRun, MeasuredRun]]) -> Iterator[str]:
    """Yield a caution where prompts of some runs had no room for what matters."""
    told = [(run, found.prompt_cuts) for run, found in runs if found.prompt_cuts.matters]
    if told:
        sections = sorted({one.section for _, found in told for one in found.sections})
        lost = sum(found.cut for _, found in told) / sum(found.prompts for _, found in told)
        yield (
            f"Cut: in {format_count(len(told), 'run')} more than 1 % of the prompts had no room "
            f"for all lines of a section ({list_some(sections)}), {lost:.1%} over these runs: "
            f"{list_some([run.name for run, _ in told])}. `genagents prompts` says which; a "
            "larger `prompt_tokens` gives room."
        )


def warn_of_equal_lives(runs: Iterable[StudyRun]) -> Iterator[str]:
    """Yield a caution for each life that several of these run files led; of a study see above."""
    lives: dict[str, list[str]] = {}
    for run in runs:
        if run.measured is not None:
            lives.setdefault(run.measured.life, []).append(run.name)
    for names in lives.values():
        if len(names) > 1:
            yield (
                f"Equal lives: {list_some(names)} have the same positions, events and answers, so "
                "nothing that happened there depended on what differs between them."
            )


def _warn_of_versions(study: "StudyResults") -> Iterator[str]:
    counted = [run.measured for run in study.runs if run.counted and run.measured]
    for name in sorted({name for run in counted for name in run.versions}):
        seen = sorted({run.versions.get(name, "unknown") for run in counted})
        if len(seen) > 1:
            yield f"Runs were made by several versions of {name}: {', '.join(seen)}."


def _warn_of_unmeasured(study: "StudyResults") -> Iterator[str]:
    faults = [fault for run in study.runs if run.measured for fault in run.measured.faults]
    if faults:
        yield (
            f"{format_count(len(faults), 'measurement')} failed and have no value: "
            f"{list_some(faults, 3, '; ')}."
        )


def warn_of_strangers(names: Sequence[str]) -> Iterator[str]:
    """Yield a caution on the run files of a sweep's folder that are of no trial."""
    if names:
        yield (
            f"{format_count(len(names), 'run file')} in the folder belong to no trial: their level "
            "was taken out of the study, or scenario, policy or package changed since. They are "
            f"left out: {list_some(names)}."
        )


def find_versions() -> dict[str, str]:
    """Return the version of Python, of this package and of the libraries it uses."""
    found = {"python": python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _ABSENT
    return found
