"""Measures by condition: a bar for the mean with its interval, a dot for every seed."""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genagents_env.study.evaluate.measure import find_range
from genagents_env.study.report.figures.style import (
    COLOURS,
    DARK,
    Figure,
    fit_label,
    make_sheet,
    with_style,
)
from genagents_env.study.stats.intervals import compute_interval, list_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 3
_LINE = 30  # characters of a label


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure: the value of every seed, by condition; a condition may have none."""

    title: str
    unit: str
    values: Mapping[str, Sequence[float]]


@with_style
def draw_measure_bars(panels: Sequence[Panel]) -> Figure:
    """Draw a panel for each measure, a bar for each condition.

    A bar is the mean over seeds, its line the interval, a dot the value of one seed; beside the
    name stands how many seeds these are.
    """
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    most = max(len(panel.values) for panel in panels)
    figure, axes = make_sheet(4.4 * columns + 0.4, (1.25 + 0.42 * most) * rows, rows, columns)
    for own, panel in zip(axes, panels, strict=False):
        _draw_panel(own, panel)
    for own in axes[len(panels) :]:
        own.set_axis_off()
    return figure


def _draw_panel(axes: "Axes", panel: Panel) -> None:
    for y, seeds in enumerate(panel.values.values()):
        colour = COLOURS[y % len(COLOURS)]
        if seeds:
            mean = compute_interval(seeds, find_range(panel.unit))
            axes.barh(y, mean.mean, 0.62, color=colour, alpha=0.55)
            ends = list_bounds(mean)
            axes.plot(ends, [y] * len(ends), color=DARK, lw=1.8, zorder=4)
        axes.scatter(
            seeds, [y + lift for lift in _spread_dots(seeds)], 11, color=colour, edgecolors=DARK,
            linewidths=0.5, zorder=5, clip_on=False,
        )  # fmt: skip
    labels = [f"{_wrap_label(label)}, n={len(seeds)}" for label, seeds in panel.values.items()]
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.set_title(fit_label(panel.title, 42))
    axes.set_xlabel(fit_label(panel.unit, 30))
    axes.grid(axis="x")
    if all(value >= 0 for seeds in panel.values.values() for value in seeds):
        axes.set_xlim(left=0)
    axes.set_xlim(right=min(axes.get_xlim()[1], 1.05 * find_range(panel.unit)[1]))
    if not any(panel.values.values()):
        axes.text(0.5, 0.5, "not known", ha="center", color=DARK, transform=axes.transAxes)


def _wrap_label(label: str) -> str:
    """Return a label on two lines at most; the second is cut where it is too long."""
    first, *rest = textwrap.wrap(label, _LINE) or [""]
    lines = [first, " ".join(rest)] if rest else [first]
    return "\n".join(fit_label(line, _LINE) for line in lines)


def _spread_dots(seeds: Sequence[float]) -> list[float]:
    """Return the offset of each dot from its bar's middle: equal values stay countable."""
    seen: dict[float, int] = {}
    counts = Counter(seeds)
    lifts = []
    for value in seeds:
        k = seen[value] = seen.get(value, -1) + 1
        lifts.append(0.0 if counts[value] == 1 else -0.24 + 0.48 * k / (counts[value] - 1))
    return lifts
