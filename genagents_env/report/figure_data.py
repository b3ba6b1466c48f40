"""From runs to what the figures draw: sums and means over the seeds of a condition."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from genagents_env.report.comparing import Cell, Side
from genagents_env.report.figures.bars import Bar, Panel
from genagents_env.report.figures.curves import Curve
from genagents_env.report.figures.partners import Network
from genagents_env.report.figures.places import Stays
from genagents_env.report.figures.tradeoff import Point
from genagents_env.report.results import Gathered
from genagents_env.report.trial import Run
from genagents_env.stats import interval

Lived = Sequence[tuple[Side, Sequence[Run]]]  # conditions with their finished runs

_MOMENTS = 48  # at which diffusion is averaged
_RESAMPLES = 999  # of the band at each moment
_PLACES = 11  # columns of a heat map, before all the rest
_ELSEWHERE = "elsewhere"
_COSTS = ("dollars_per_human_hour", "dollars_per_hour", "tokens_per_hour", "calls_per_hour")


def lived(runs: Sequence[Run], side: Side) -> list[Run]:
    """Return the finished runs of a condition."""
    return [run for run in runs if run.counted and run.condition == side.condition]


def panels(known: Gathered, cells: Sequence[Cell], names: Sequence[str]) -> list[Panel]:
    """Return the bars of these measures."""
    found = []
    for name in names:
        mine = [cell for cell in cells if cell.measure == name]
        bars = tuple(
            Bar(cell.side.label, cell.mean, tuple(v for _, v in sorted(cell.values.items())))
            for cell in mine
        )
        found.append(Panel(known.titles[name], known.units[name], bars))
    return found


def curves(conditions: Lived) -> list[Curve]:
    """Return for each fact and condition how many know it over time."""
    facts = dict.fromkeys(
        fact for _, runs in conditions for run in runs if run.sights for fact in run.sights.curves
    )
    found = [
        _curve(fact, side.label, [run for run in runs if run.sights and fact in run.sights.curves])
        for fact in facts
        for side, runs in conditions
    ]
    return [curve for curve in found if curve is not None]


def _curve(fact: str, label: str, runs: Sequence[Run]) -> Curve | None:
    sights = [run.sights for run in runs if run.sights is not None]
    if not sights:
        return None
    end = max(one.seconds for one in sights)
    moments = [end * k / _MOMENTS for k in range(_MOMENTS + 1)]
    bands = [
        interval([_at(one.curves[fact], moment) for one in sights], resamples=_RESAMPLES)
        for moment in moments
    ]
    return Curve(
        fact,
        label,
        tuple(moment / 3600 for moment in moments),
        tuple(band.mean for band in bands),
        tuple(band.low for band in bands),
        tuple(band.high for band in bands),
        len(sights),
    )


def _at(steps: Sequence[tuple[float, float]], moment: float) -> float:
    k = bisect_right([second for second, _ in steps], moment)
    return steps[k - 1][1] if k else 0.0


def networks(conditions: Lived) -> list[Network]:
    """Return for each condition who talked to whom, summed over its runs."""
    found = []
    for side, runs in conditions:
        sights = [run.sights for run in runs if run.sights is not None]
        if sights:
            names = tuple(dict.fromkeys(name for one in sights for name in one.names))
            total = _summed(names, names, [(one.names, one.names, one.partners) for one in sights])
            found.append(Network(side.label, names, total, len(sights)))
    return found if any(c for own in found for row in own.counts for c in row) else []


def places(conditions: Lived) -> list[Stays]:
    """Return for each condition the share of everyone's time at the places most used in all."""
    found: list[tuple[str, tuple[str, ...], tuple[tuple[float, ...], ...], int]] = []
    every = [run.sights for _, runs in conditions for run in runs if run.sights is not None]
    time: dict[str, float] = {}
    for one in every:
        for row in one.stays:
            for arena, seconds in zip(one.arenas, row, strict=True):
                time[arena] = time.get(arena, 0.0) + seconds
    ranked = sorted((arena for arena in time if time[arena] > 0), key=lambda a: (-time[a], a))
    for side, runs in conditions:
        sights = [run.sights for run in runs if run.sights is not None]
        if sights:
            names = tuple(dict.fromkeys(name for one in sights for name in one.names))
            parts = [(one.names, one.arenas, one.stays) for one in sights]
            found.append((side.label, names, _summed(names, ranked, parts), len(sights)))
    return [Stays(*_shares(*one, ranked)) for one in found] if ranked else []


def _shares(
    label: str,
    names: tuple[str, ...],
    seconds: tuple[tuple[float, ...], ...],
    n: int,
    arenas: Sequence[str],
) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[tuple[float, ...], ...], int]:
    told = [arena.rpartition("/")[2] or arena for arena in arenas]
    short = [b if told.count(b) == 1 else a for a, b in zip(arenas, told, strict=True)]
    rest = len(arenas) > _PLACES
    heads = (*short[:_PLACES], *([_ELSEWHERE] if rest else []))
    rows = []
    for row in seconds:
        whole = sum(row) or 1.0
        kept = [value / whole for value in row[:_PLACES]]
        rows.append((*kept, *([sum(row[_PLACES:]) / whole] if rest else [])))
    return label, names, heads, tuple(rows), n


def _summed(
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


def tradeoff(conditions: Lived, cells: Sequence[Cell], measure: str) -> tuple[str, list[Point]]:
    """Return the measure of cost, and cost and outcome of each condition.

    Cost is the first of dollars, tokens and calls per hour that was measured and is not nought in
    every run; where none is, there are no points.
    """
    values = {(cell.measure, cell.side.label): cell.values for cell in cells}
    for cost in _COSTS:
        if any(v for (name, _), own in values.items() if name == cost for v in own.values()):
            pairs = [
                (side.label, values.get((cost, side.label), {}), values[measure, side.label])
                for side, _ in conditions
            ]
            found = [_point(label, costs, outcomes) for label, costs, outcomes in pairs]
            return cost, [point for point in found if point is not None]
    return "", []


def _point(label: str, costs: Mapping[int, float], outcomes: Mapping[int, float]) -> Point | None:
    seeds = sorted(costs.keys() & outcomes.keys())
    if not seeds:
        return None
    x, y = [costs[seed] for seed in seeds], [outcomes[seed] for seed in seeds]
    return Point(label, tuple(x), tuple(y), interval(x), interval(y))
