"""Conditions beside one another: means over seeds, and differences paired by seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from genagents_env.errors import ConfigError
from genagents_env.report.trial import Run
from genagents_env.stats import Contrast, Interval, contrast, corrected, interval
from genagents_env.sweep.design.trials import Condition

PRIMARY, EXPLORATORY = "primary", "exploratory"


@dataclass(frozen=True, slots=True)
class Side:
    """One condition as it is called within its block, where the rest of its name is clear."""

    condition: Condition
    label: str


@dataclass(frozen=True, slots=True)
class Block:
    """Conditions that are compared with one another."""

    name: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One measure in one condition: the values of its finished runs by seed, and their mean.

    `mean` is None where no run has a value.
    """

    block: str
    side: Side
    measure: str
    values: Mapping[int, float]
    mean: Interval | None


def blocks_of(conditions: Sequence[Condition]) -> tuple[Block, ...]:
    """Return the blocks in the order in which each first appears.

    A block has the arms of one scenario, cast and model. Where there is one arm alone, and several
    models, these are what is compared.
    """
    models = len({one.arm for one in conditions}) == 1 and len({o.model for o in conditions}) > 1
    found: dict[tuple[str, ...], list[Side]] = {}
    for one in conditions:
        key = (one.scenario, one.cast) if models else (one.scenario, one.cast, one.model or "")
        label = (one.model or "default model") if models else one.arm
        found.setdefault(key, []).append(Side(one, label))
    return tuple(Block(_name(key, list(found)), tuple(sides)) for key, sides in found.items())


def _name(key: tuple[str, ...], keys: Sequence[tuple[str, ...]]) -> str:
    """Return in words what tells this block from the others; of a single one, its scenario."""
    told = [part for k, part in enumerate(key) if len({other[k] for other in keys}) > 1 and part]
    return " / ".join(told) or key[0]


def cells(
    blocks: Sequence[Block], runs: Sequence[Run], measures: Sequence[str]
) -> tuple[Cell, ...]:
    """Return every measure in every condition, over finished runs alone."""
    return tuple(
        _cell(block.name, side, measure, runs)
        for block in blocks
        for measure in measures
        for side in block.sides
    )


def _cell(block: str, side: Side, measure: str, runs: Sequence[Run]) -> Cell:
    values = {
        run.seed: value
        for run in runs
        if run.counted
        and run.condition == side.condition
        and (value := run.values.get(measure)) is not None
    }
    return Cell(block, side, measure, values, interval(list(values.values())) if values else None)


def contrasts(
    blocks: Sequence[Block], known: Sequence[Cell], baseline: str | None, primary: Sequence[str]
) -> tuple[tuple[Contrast, ...], str]:
    """Return all differences that can be told, the primary ones first, and what was in the way.

    Primary ones are one family, corrected together; the others are exploratory, uncorrected.

    Args:
        blocks: of the experiment.
        known: all cells.
        baseline: the arm that the others are compared with, or None for every pair.
        primary: names of measures.
    """
    found = [one for block in blocks for one in _within(block, known, baseline)]
    main = [one for one in found if one.measure in primary]
    rest = [replace(one, family=EXPLORATORY) for one in found if one.measure not in primary]
    try:
        return (*corrected(main, PRIMARY), *rest), ""
    except ConfigError as error:
        plain = [replace(one, family=PRIMARY) for one in main]
        return (*plain, *rest), f"p values are not corrected: {error}"


def _within(block: Block, known: Sequence[Cell], baseline: str | None) -> Iterator[Contrast]:
    cells_: dict[str, dict[str, Cell]] = {}
    for cell in known:
        if cell.block == block.name:
            cells_.setdefault(cell.measure, {})[cell.side.label] = cell
    for measure, sides in cells_.items():
        for first, second in _pairs([side.label for side in block.sides], baseline):
            a, b = sides[first].values, sides[second].values
            if a and b:
                yield contrast(measure, block.name, first, second, a, b)


def _pairs(labels: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is not None and baseline in labels:
        return [(baseline, label) for label in labels if label != baseline]
    return list(combinations(labels, 2))
