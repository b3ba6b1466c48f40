"""Conditions beside one another: means over seeds, and differences paired by seed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from genagents_env.errors import ConfigError
from genagents_env.report.trial import MeasuredTrial
from genagents_env.stats import Contrast, Interval, compute_interval, contrast, correct_family
from genagents_env.sweep.design.trials import Condition

PRIMARY, EXPLORATORY = "primary", "exploratory"


@dataclass(frozen=True, slots=True)
class ComparedCondition:
    """A condition with its label within its block, where the rest of its name is clear."""

    condition: Condition
    label: str


@dataclass(frozen=True, slots=True)
class ConditionBlock:
    """Conditions that are compared with one another."""

    name: str
    conditions: tuple[ComparedCondition, ...]


@dataclass(frozen=True, slots=True)
class MeasureCell:
    """One measure in one condition: the values of its finished runs by seed, and their mean.

    `mean` is None where no run has a value.
    """

    block: str
    compared: ComparedCondition
    measure: str
    values: Mapping[int, float]
    mean: Interval | None


def make_blocks(conditions: Sequence[Condition]) -> tuple[ConditionBlock, ...]:
    """Return the blocks in the order in which each first appears.

    A block has the arms of one scenario, cast and model. Where there is one arm alone, and several
    models, these are what is compared.
    """
    models = len({one.arm for one in conditions}) == 1 and len({o.model for o in conditions}) > 1
    found: dict[tuple[str, ...], list[ComparedCondition]] = {}
    for one in conditions:
        key = (one.scenario, one.cast) if models else (one.scenario, one.cast, one.model or "")
        label = (one.model or "default model") if models else one.arm
        found.setdefault(key, []).append(ComparedCondition(one, label))
    return tuple(
        ConditionBlock(_name_block(key, list(found)), tuple(sides)) for key, sides in found.items()
    )


def _name_block(key: tuple[str, ...], keys: Sequence[tuple[str, ...]]) -> str:
    """Return in words what tells this block from the others; of a single one, its scenario."""
    parts = [part for k, part in enumerate(key) if len({other[k] for other in keys}) > 1 and part]
    return " / ".join(parts) or key[0]


def slug_blocks(blocks: Sequence[ConditionBlock]) -> list[str]:
    """Return for each block a name of letters, digits and underscores for files; all differ."""
    slugs = [re.sub(r"[^a-z0-9]+", "_", block.name.lower()).strip("_") for block in blocks]
    return [f"{slug[:40].strip('_')}_{k}".strip("_") for k, slug in enumerate(slugs, 1)]


def make_cells(
    blocks: Sequence[ConditionBlock], runs: Sequence[MeasuredTrial], measures: Sequence[str]
) -> tuple[MeasureCell, ...]:
    """Return every measure in every condition, over finished runs alone."""
    return tuple(
        _make_cell(block.name, side, measure, runs)
        for block in blocks
        for measure in measures
        for side in block.conditions
    )


def _make_cell(
    block: str, side: ComparedCondition, measure: str, runs: Sequence[MeasuredTrial]
) -> MeasureCell:
    values = {
        run.seed: value
        for run in runs
        if run.counted
        and run.condition == side.condition
        and (value := run.values.get(measure)) is not None
    }
    return MeasureCell(
        block, side, measure, values, compute_interval(list(values.values())) if values else None
    )


def make_contrasts(
    blocks: Sequence[ConditionBlock],
    cells: Sequence[MeasureCell],
    baseline: str | None,
    primary: Sequence[str],
) -> tuple[tuple[Contrast, ...], str]:
    """Return all differences, the primary ones first, and why p values are not corrected, if so.

    Primary ones are one family, corrected together; the others are exploratory, uncorrected.

    Args:
        blocks: of the experiment.
        cells: all of them.
        baseline: the arm that the others are compared with, or None for every pair.
        primary: names of measures.
    """
    found = [one for block in blocks for one in _contrast_within(block, cells, baseline)]
    main = [one for one in found if one.measure in primary]
    rest = [replace(one, family=EXPLORATORY) for one in found if one.measure not in primary]
    try:
        return (*correct_family(main, PRIMARY), *rest), ""
    except ConfigError as error:
        plain = [replace(one, family=PRIMARY) for one in main]
        return (*plain, *rest), f"p values are not corrected: {error}"


def _contrast_within(
    block: ConditionBlock, cells: Sequence[MeasureCell], baseline: str | None
) -> Iterator[Contrast]:
    by_measure: dict[str, dict[str, MeasureCell]] = {}
    for cell in cells:
        if cell.block == block.name:
            by_measure.setdefault(cell.measure, {})[cell.compared.label] = cell
    for measure, sides in by_measure.items():
        for first, second in _pair_labels([side.label for side in block.conditions], baseline):
            a, b = sides[first].values, sides[second].values
            if a and b:
                yield contrast(measure, block.name, first, second, a, b)


def _pair_labels(labels: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is not None and baseline in labels:
        return [(baseline, label) for label in labels if label != baseline]
    return list(combinations(labels, 2))
