"""Comparisons that say nothing: the faculty that tells two conditions apart never ran."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from types import MappingProxyType
from typing import TypeAlias

from genagents_env.record import FacultyUse
from genagents_env.report.comparing import ComparedCondition, ConditionBlock
from genagents_env.report.trial import MeasuredTrial
from genagents_env.stats import Contrast

PairKey: TypeAlias = tuple[str, frozenset[str]]  # a block, and the labels of two conditions
NOTHING_UNTESTED: Mapping[PairKey, str] = MappingProxyType({})
_Uses: TypeAlias = Mapping[tuple[str, str], Sequence[FacultyUse]]  # by policy and switch


def find_untested(
    blocks: Sequence[ConditionBlock], runs: Sequence[MeasuredTrial]
) -> dict[PairKey, str]:
    """Return why some comparisons say nothing, in words.

    A comparison tests the faculties that are switched on in all runs of one condition and off in
    all of the other. It says nothing where none of them ever ran in the former.
    """
    found: dict[PairKey, str] = {}
    for block in blocks:
        uses = {side.label: collect_uses(side, runs) for side in block.conditions}
        for first, second in permutations(uses, 2):
            tested = [key for key in uses[first] if _differs(key, uses[first], uses[second])]
            idle = [key for key in tested if not _ran(uses[first][key])]
            if tested and idle == tested:
                names = " and ".join(switch for _, switch in idle)
                found[block.name, frozenset((first, second))] = (
                    f"{names} never ran in {first}: comparing it with {second} says nothing"
                )
    return found


def find_pair(one: Contrast) -> PairKey:
    """Return the comparison that a contrast is of."""
    return one.block, frozenset((one.first, one.second))


def note_untested(
    contrasts: Sequence[Contrast], untested: Mapping[PairKey, str]
) -> tuple[Contrast, ...]:
    """Return the contrasts, with a note on those that say nothing."""
    return tuple(
        replace(one, note="; ".join(filter(None, (untested.get(find_pair(one)), one.note))))
        for one in contrasts
    )


def find_idle(
    blocks: Sequence[ConditionBlock], runs: Sequence[MeasuredTrial]
) -> dict[str, list[str]]:
    """Return the conditions in which a faculty was on and never ran, by its switch."""
    found: dict[str, list[str]] = {}
    for side in (side for block in blocks for side in block.conditions):
        for (_, switch), uses in collect_uses(side, runs).items():
            if all(one.on for one in uses) and not _ran(uses):
                found.setdefault(switch, []).append(side.condition.name)
    return found


def collect_uses(side: ComparedCondition, runs: Sequence[MeasuredTrial]) -> _Uses:
    """Return what came of each faculty in the counted runs of a condition."""
    found: dict[tuple[str, str], list[FacultyUse]] = {}
    for run in runs:
        if run.counted and run.condition == side.condition:
            for use in run.uses:
                found.setdefault((use.policy, use.switch), []).append(use)
    return found


def _differs(key: tuple[str, str], here: _Uses, there: _Uses) -> bool:
    others = there.get(key, ())
    return bool(others) and all(one.on for one in here[key]) and not any(one.on for one in others)


def _ran(uses: Sequence[FacultyUse]) -> bool:
    return any(one.ran for one in uses)


def describe_idle(idle: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a caution on the faculties that were on and never ran; nothing where all did."""
    if idle:
        told = ", ".join(f"{switch} ({', '.join(names)})" for switch, names in idle.items())
        yield (
            f"On, but never ran, with no usable reply to a model call: {told}. A comparison with a "
            "condition without such a faculty says nothing of it."
        )
