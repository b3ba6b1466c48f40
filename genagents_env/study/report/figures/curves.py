"""Diffusion over time: how many know a fact, the mean over seeds with a band."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genagents_env.study.report.figures.style import (
    COLOURS,
    Figure,
    Line2D,
    draw_legend,
    fit_label,
    make_sheet,
    measure_legend,
    with_style,
)
from genagents_env.study.stats import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS, _WIDTH = 2, 5.2
_DASHES = ("-", "--", ":", "-.")


@dataclass(frozen=True, slots=True)
class KnowledgeCurve:
    """One fact in one condition: at each of `hours` of game time how many know it, over seeds."""

    fact: str
    label: str
    hours: Sequence[float]
    known: Sequence[Interval]


@with_style
def draw_knowledge_curves(curves: Sequence[KnowledgeCurve]) -> Figure:
    """Draw a panel for each fact, a line with its band for each condition."""
    facts = list(dict.fromkeys(curve.fact for curve in curves))
    labels = list(dict.fromkeys(curve.label for curve in curves))
    columns = min(_COLUMNS, len(facts))
    rows = -(-len(facts) // columns)
    width = max(6.4, _WIDTH * columns)
    below = measure_legend([fit_label(label) for label in labels], width)
    figure, panels = make_sheet(width, 3.3 * rows + below + 0.2, rows, columns)
    styles = {
        label: (COLOURS[k % len(COLOURS)], _DASHES[k % len(_DASHES)])
        for k, label in enumerate(labels)
    }
    for axes, fact in zip(panels, facts, strict=False):
        _draw_panel(axes, fact, [curve for curve in curves if curve.fact == fact], styles)
    for axes in panels[len(facts) :]:
        axes.set_axis_off()
    draw_legend(
        figure,
        [
            Line2D([], [], color=colour, ls=dash, lw=2, label=fit_label(label))
            for label, (colour, dash) in styles.items()
        ],
    )
    return figure


def _draw_panel(
    axes: "Axes",
    fact: str,
    curves: Sequence[KnowledgeCurve],
    styles: Mapping[str, tuple[str, str]],
) -> None:
    most = 1.0
    for curve in curves:
        colour, dash = styles[curve.label]
        mean = [one.mean for one in curve.known]
        low = [one.mean if one.low is None else max(0.0, one.low) for one in curve.known]
        high = [one.mean if one.high is None else one.high for one in curve.known]
        axes.fill_between(curve.hours, low, high, step="post", color=colour, alpha=0.18, lw=0)
        axes.step(curve.hours, mean, where="post", color=colour, ls=dash, lw=2)
        most = max(most, *(1.08 * edge for edge in high))
    axes.set_title(fit_label(fact, 44))
    axes.set_xlabel("hours of game time")
    axes.set_ylabel("people who know")
    axes.set_ylim(0, most)
    axes.set_xlim(left=0)
    axes.grid(axis="y")
