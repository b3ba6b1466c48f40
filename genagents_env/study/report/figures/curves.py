"""Diffusion over time: how many know a fact, the mean over seeds with a band."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genagents_env.study.report.figures.style import (
    COLOURS,
    Figure,
    Line2D,
    draw_empty,
    draw_legend,
    fit_label,
    make_sheet,
    measure_legend,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS, _WIDTH = 2, 5.2
_DASHES = ("-", "--", ":", "-.")


@dataclass(frozen=True, slots=True)
class KnowledgeCurve:
    """One fact in one condition over time; the three have a value for each of `hours`.

    Attributes:
        fact: its id.
        label: of the condition.
        hours: since the start, of game time.
        mean: people who know it, over seeds.
        low: the lower edge of the band.
        high: its upper edge.
        n: seeds.
    """

    fact: str
    label: str
    hours: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n: int


@with_style
def draw_knowledge_curves(curves: Sequence[KnowledgeCurve]) -> Figure:
    """Draw a panel for each fact, a line with its band for each condition."""
    facts = list(dict.fromkeys(curve.fact for curve in curves))
    labels = list(dict.fromkeys(curve.label for curve in curves))
    columns = max(1, min(_COLUMNS, len(facts)))
    rows = -(-max(1, len(facts)) // columns)
    width = max(6.4, _WIDTH * columns)
    below = measure_legend([fit_label(label) for label in labels], width)
    figure, panels = make_sheet(width, 3.3 * rows + below + 0.2, rows, columns)
    if not facts:
        draw_empty(panels[0], "no fact was followed")
        return figure
    for axes, fact in zip(panels, facts, strict=False):
        _draw_panel(axes, fact, [curve for curve in curves if curve.fact == fact], labels)
    for axes in panels[len(facts) :]:
        axes.set_axis_off()
    draw_legend(
        figure,
        [
            Line2D([], [], color=colour, ls=dash, lw=2, label=fit_label(label))
            for label, (colour, dash) in _assign_styles(labels).items()
        ],
    )
    return figure


def _draw_panel(
    axes: "Axes", fact: str, curves: Sequence[KnowledgeCurve], labels: Sequence[str]
) -> None:
    looks = _assign_styles(labels)
    for curve in curves:
        colour, dash = looks[curve.label]
        axes.fill_between(
            curve.hours, curve.low, curve.high, step="post", color=colour, alpha=0.18, lw=0
        )
        axes.step(curve.hours, curve.mean, where="post", color=colour, ls=dash, lw=2)
    axes.set_title(fit_label(fact, 44))
    axes.set_xlabel("hours of game time")
    axes.set_ylabel("people who know")
    axes.set_ylim(0, max(1.0, 1.08 * max(max(curve.high) for curve in curves)))
    axes.set_xlim(left=0)
    axes.grid(axis="y")


def _assign_styles(labels: Sequence[str]) -> dict[str, tuple[str, str]]:
    return {
        label: (COLOURS[k % len(COLOURS)], _DASHES[k % len(_DASHES)])
        for k, label in enumerate(labels)
    }
