"""Comparisons that say nothing: the faculty that tells two levels apart never ran."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import TypeAlias

from genagents_env.record import FacultyUse
from genagents_env.study.sweep.trial_status import StudyRun

LevelPair: TypeAlias = tuple[str, frozenset[str]]  # a factor, and two of its levels
_Uses: TypeAlias = Mapping[tuple[str, str], Sequence[FacultyUse]]  # by policy and switch


def find_untested(
    levels: Mapping[str, Sequence[str]], runs: Sequence[StudyRun]
) -> dict[LevelPair, str]:
    """Return why some comparisons say nothing, in words.

    A comparison tests the faculties that are switched on in all runs of one level and off in
    all of the other. It says nothing where none of them ever ran in the former.
    """
    found: dict[LevelPair, str] = {}
    for place, (factor, labels) in enumerate(levels.items()):
        own = {
            label: collect_uses([run for run in runs if run.condition.levels[place] == label])
            for label in labels
        }
        for first, second in permutations(labels, 2):
            tested = [key for key in own[first] if _differs(key, own[first], own[second])]
            idle = [key for key in tested if not any(one.ran for one in own[first][key])]
            if tested and idle == tested:
                names = " and ".join(switch for _, switch in idle)
                found[factor, frozenset((first, second))] = (
                    f"{names} never ran in {first}: comparing it with {second} says nothing"
                )
    return found


def describe_idle(conditions: Mapping[str, Sequence[StudyRun]]) -> Iterator[str]:
    """Yield a caution on the faculties that were on and never ran; nothing where all did."""
    idle: dict[str, list[str]] = {}
    for name, runs in conditions.items():
        for (_, switch), uses in collect_uses(runs).items():
            if all(one.on and not one.ran for one in uses):
                idle.setdefault(switch, []).append(name)
    if idle:
        told = ", ".join(f"{switch} ({', '.join(names)})" for switch, names in idle.items())
        yield (
            f"On, but never ran, with no usable reply to a model call: {told}. A comparison with a "
            "level without such a faculty says nothing of it."
        )


def collect_uses(runs: Sequence[StudyRun]) -> _Uses:
    """Return what came of each faculty in the runs that count."""
    found: dict[tuple[str, str], list[FacultyUse]] = {}
    for run in runs:
        for use in run.measured.uses if run.counted and run.measured else ():
            found.setdefault((use.policy, use.switch), []).append(use)
    return found


def _differs(key: tuple[str, str], here: _Uses, there: _Uses) -> bool:
    others = there.get(key, ())
    return bool(others) and all(one.on for one in here[key]) and not any(one.on for one in others)
