"""From runs to what the figures draw: sums and means over the seeds of a condition."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from genagents_env.report.comparing import ComparedCondition, MeasureCell
from genagents_env.report.figures.bars import Bar, Panel
from genagents_env.report.figures.curves import KnowledgeCurve
from genagents_env.report.figures.partners import PartnerNetwork
from genagents_env.report.figures.places import PlaceShares
from genagents_env.report.figures.tradeoff import TradeoffPoint
from genagents_env.report.results import SweepResults
from genagents_env.report.trial import MeasuredTrial
from genagents_env.stats import compute_interval

TrialsByCondition = Sequence[
    tuple[ComparedCondition, Sequence[MeasuredTrial]]
]  # conditions with their finished runs

_MOMENTS = 48  # at which diffusion is averaged
_RESAMPLES = 999  # of the band at each moment
_PLACES = 11  # columns of a heat map, before all the rest
_ELSEWHERE = "elsewhere"
_COSTS = ("dollars_per_human_hour", "dollars_per_hour", "tokens_per_hour", "calls_per_hour")


def find_counted(runs: Sequence[MeasuredTrial], side: ComparedCondition) -> list[MeasuredTrial]:
    """Return the finished runs of a condition."""
    return [run for run in runs if run.counted and run.condition == side.condition]


def make_panels(
    results: SweepResults, cells: Sequence[MeasureCell], names: Sequence[str]
) -> list[Panel]:
    """Return the bars of these measures."""
    found = []
    for name in names:
        mine = [cell for cell in cells if cell.measure == name]
        bars = tuple(
            Bar(cell.compared.label, cell.mean, tuple(v for _, v in sorted(cell.values.items())))
            for cell in mine
        )
        found.append(Panel(results.titles[name], results.units[name], bars))
    return found


def make_curves(conditions: TrialsByCondition) -> list[KnowledgeCurve]:
    """Return for each fact and condition how many know it over time."""
    facts = dict.fromkeys(
        fact
        for _, runs in conditions
        for run in runs
        if run.plot_data
        for fact in run.plot_data.curves
    )
    found = [
        _average_curves(
            fact,
            side.label,
            [run for run in runs if run.plot_data and fact in run.plot_data.curves],
        )
        for fact in facts
        for side, runs in conditions
    ]
    return [curve for curve in found if curve is not None]


def _average_curves(fact: str, label: str, runs: Sequence[MeasuredTrial]) -> KnowledgeCurve | None:
    seen = [run.plot_data for run in runs if run.plot_data is not None]
    if not seen:
        return None
    end = max(one.seconds for one in seen)
    moments = [end * k / _MOMENTS for k in range(_MOMENTS + 1)]
    bands = [
        compute_interval(
            [_find_value_at(one.curves[fact], moment) for one in seen], resamples=_RESAMPLES
        )
        for moment in moments
    ]
    return KnowledgeCurve(
        fact,
        label,
        tuple(moment / 3600 for moment in moments),
        tuple(band.mean for band in bands),
        tuple(band.low for band in bands),
        tuple(band.high for band in bands),
        len(seen),
    )


def _find_value_at(steps: Sequence[tuple[float, float]], moment: float) -> float:
    k = bisect_right([second for second, _ in steps], moment)
    return steps[k - 1][1] if k else 0.0


def make_networks(conditions: TrialsByCondition) -> list[PartnerNetwork]:
    """Return for each condition who talked to whom, summed over its runs."""
    found = []
    for side, runs in conditions:
        seen = [run.plot_data for run in runs if run.plot_data is not None]
        if seen:
            names = tuple(dict.fromkeys(name for one in seen for name in one.names))
            total = _sum_matrices(
                names, names, [(one.names, one.names, one.partners) for one in seen]
            )
            found.append(PartnerNetwork(side.label, names, total, len(seen)))
    return found if any(c for own in found for row in own.counts for c in row) else []


def make_place_shares(conditions: TrialsByCondition) -> list[PlaceShares]:
    """Return for each condition the share of everyone's time at the places most used in all."""
    found: list[tuple[str, tuple[str, ...], tuple[tuple[float, ...], ...], int]] = []
    every = [run.plot_data for _, runs in conditions for run in runs if run.plot_data is not None]
    time: dict[str, float] = {}
    for one in every:
        for row in one.stays:
            for arena, seconds in zip(one.arenas, row, strict=True):
                time[arena] = time.get(arena, 0.0) + seconds
    ranked = sorted((arena for arena in time if time[arena] > 0), key=lambda a: (-time[a], a))
    for side, runs in conditions:
        seen = [run.plot_data for run in runs if run.plot_data is not None]
        if seen:
            names = tuple(dict.fromkeys(name for one in seen for name in one.names))
            parts = [(one.names, one.arenas, one.stays) for one in seen]
            found.append((side.label, names, _sum_matrices(names, ranked, parts), len(seen)))
    return [PlaceShares(*_make_shares(*one, ranked)) for one in found] if ranked else []


def _make_shares(
    label: str,
    names: tuple[str, ...],
    seconds: tuple[tuple[float, ...], ...],
    n: int,
    arenas: Sequence[str],
) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[tuple[float, ...], ...], int]:
    ends = [arena.rpartition("/")[2] or arena for arena in arenas]
    short = [b if ends.count(b) == 1 else a for a, b in zip(arenas, ends, strict=True)]
    rest = len(arenas) > _PLACES
    heads = (*short[:_PLACES], *([_ELSEWHERE] if rest else []))
    rows = []
    for row in seconds:
        whole = sum(row) or 1.0
        kept = [value / whole for value in row[:_PLACES]]
        rows.append((*kept, *([sum(row[_PLACES:]) / whole] if rest else [])))
    return label, names, heads, tuple(rows), n


def _sum_matrices(
    names: Sequence[str],
    columns: Sequence[str],
    parts: Sequence[tuple[Sequence[str], Sequence[str], Sequence[Sequence[float]]]],
) -> tuple[tuple[float, ...], ...]:
    """Return the sum of matrices that may have other rows and columns, by their names."""
    total = {(name, column): 0.0 for name in names for column in columns}
    for own, heads, matrix in parts:
        for name, row in zip(own, matrix, strict=True):
            for column, value in zip(heads, row, strict=True):
                if (name, column) in total:
                    total[name, column] += value
    return tuple(tuple(total[name, column] for column in columns) for name in names)


def make_tradeoff(
    conditions: TrialsByCondition, cells: Sequence[MeasureCell], measure: str
) -> tuple[str, list[TradeoffPoint]]:
    """Return the measure of cost, and cost and outcome of each condition.

    Cost is the first of dollars, tokens and calls per hour that was measured and is not 0 in
    every run; where none is, there are no points.
    """
    values = {(cell.measure, cell.compared.label): cell.values for cell in cells}
    for cost in _COSTS:
        if any(v for (name, _), own in values.items() if name == cost for v in own.values()):
            pairs = [
                (side.label, values.get((cost, side.label), {}), values[measure, side.label])
                for side, _ in conditions
            ]
            found = [_make_point(label, costs, outcomes) for label, costs, outcomes in pairs]
            return cost, [point for point in found if point is not None]
    return "", []


def _make_point(
    label: str, costs: Mapping[int, float], outcomes: Mapping[int, float]
) -> TradeoffPoint | None:
    seeds = sorted(costs.keys() & outcomes.keys())
    if not seeds:
        return None
    x, y = [costs[seed] for seed in seeds], [outcomes[seed] for seed in seeds]
    return TradeoffPoint(label, tuple(x), tuple(y), compute_interval(x), compute_interval(y))
