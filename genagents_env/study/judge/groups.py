"""Verdicts in groups, and what a rubric is called where there were several of its name."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import TypeAlias, TypeVar

from genagents_env.study.judge.verdicts import Judgement

T = TypeVar("T", bound=Judgement)
K = TypeVar("K", bound=Hashable)
Labels: TypeAlias = Mapping[tuple[str, str], str]


def label_rubrics(given: Iterable[Judgement]) -> Labels:
    """Return what each rubric and edition is called: by its name, while it has one edition."""
    both = sorted({(one.rubric, one.edition) for one in given})
    names = [name for name, _ in both]
    return {
        (name, edition): name if names.count(name) == 1 else f"{name} ({edition})"
        for name, edition in both
    }


def group_by(given: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return `given` in groups, in the order in which the groups begin."""
    groups: dict[K, list[T]] = {}
    for one in given:
        groups.setdefault(key(one), []).append(one)
    return groups


def filter_by_runs(given: Iterable[T], runs: Collection[str]) -> list[T]:
    """Return the verdicts about these runs alone: others' conditions may be there no more."""
    return [one for one in given if all(run in runs for run in one.runs)]


def filter_by_answers(given: Iterable[T], ids: Collection[str]) -> list[T]:
    """Return the verdicts about these answers alone: a run repeated may have given others."""
    return [one for one in given if all(id_ in ids for id_ in one.answers)]
