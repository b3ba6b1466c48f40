"""Cost against outcome: a point for each run, a cross for the mean of each condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from genagents_env.study.report.figures.style import (
    COLOURS,
    DARK,
    Figure,
    Line2D,
    draw_legend,
    fit_label,
    make_sheet,
    measure_legend,
    with_style,
)
from genagents_env.study.stats.intervals import compute_interval, list_bounds

_WIDTH = 7.0
_MARKS = ("o", "s", "^", "D", "v", "P")


@dataclass(frozen=True, slots=True)
class TradeoffPoint:
    """One condition: cost and outcome of every run."""

    label: str
    costs: Sequence[float]
    outcomes: Sequence[float]


@with_style
def draw_tradeoff(
    points: Sequence[TradeoffPoint], cost: str, outcome: str, within: tuple[float, float]
) -> Figure:
    """Draw outcome over cost: better is left, and up where more of the outcome is better.

    Args:
        points: one for each condition.
        cost: what is spent, with its unit.
        outcome: what is measured against it.
        within: the least and the most that this can be.
    """
    labels = [fit_label(point.label) for point in points]
    figure, (axes,) = make_sheet(_WIDTH, 4.0 + measure_legend(labels, _WIDTH))
    entries = []
    for k, point in enumerate(points):
        colour, mark = COLOURS[k % len(COLOURS)], _MARKS[k % len(_MARKS)]
        axes.scatter(point.costs, point.outcomes, 20, color=colour, marker=mark, alpha=0.45, lw=0)
        x, y = compute_interval(point.costs), compute_interval(point.outcomes, within)
        across, up = list_bounds(x), list_bounds(y)
        axes.plot(across, [y.mean] * len(across), color=DARK, lw=1.4)
        axes.plot([x.mean] * len(up), up, color=DARK, lw=1.4)
        axes.plot([x.mean], [y.mean], mark, color=colour, ms=9, mec=DARK, mew=1.0)
        entries.append(
            Line2D([], [], color=colour, marker=mark, ls="", mec=DARK, ms=7, label=labels[k])
        )
    axes.set_xlabel(fit_label(cost, 70))
    axes.set_ylabel(fit_label(outcome, 44))
    axes.grid()
    draw_legend(figure, entries)
    return figure
