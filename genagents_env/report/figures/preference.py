"""What everyone said before and after: stacked shares of the values of a check."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from genagents_env.report.figures.style import (
    DARK,
    Figure,
    assign_colours,
    draw_empty,
    draw_legend,
    fit_label,
    make_legend_entry,
    make_sheet,
    measure_legend,
    set_share_axis,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR, _WIDTH = 0.36, 7.6

Shares = Mapping[str, Mapping[str, float]]  # by agent, then by value


@with_style
def draw_preference_bars(
    title: str, values: Sequence[str], before: Shares, after: Shares, otherwise: str | None = None
) -> Figure:
    """Draw for each agent two bars: shares of its answers before the run, and after.

    Args:
        title: of the check.
        values: in the order of the check, the first the leftmost.
        before: shares by agent and value; an agent that was not asked is missing.
        after: as `before`.
        otherwise: the value of answers that have none of the others; grey.
    """
    agents = list(dict.fromkeys([*before, *after]))
    seen = [v for own in (*before.values(), *after.values()) for v in own]
    shown = list(dict.fromkeys([*values, *sorted(seen)]))
    below = measure_legend([fit_label(value) for value in shown], _WIDTH)
    figure, (axes,) = make_sheet(_WIDTH, 1.2 + 0.62 * max(1, len(agents)) + below)
    if not agents:
        draw_empty(axes, "nobody was asked")
        return figure
    paint = assign_colours(shown, otherwise)
    for row, agent in enumerate(agents):
        _draw_bar(axes, row - _BAR / 2 - 0.02, before.get(agent), shown, paint, "before")
        _draw_bar(axes, row + _BAR / 2 + 0.02, after.get(agent), shown, paint, "after")
    axes.set_yticks(range(len(agents)), [fit_label(agent, 22) for agent in agents])
    axes.tick_params(axis="y", length=0, pad=44)
    axes.set_ylim(len(agents) - 0.4, -0.6)
    axes.set_xlabel("share of interviews")
    axes.set_title(fit_label(title, 70))
    set_share_axis(axes, "x")
    axes.set_xlim(0, 1)
    draw_legend(figure, [make_legend_entry(fit_label(value), *paint[value]) for value in shown])
    return figure


def _draw_bar(
    axes: "Axes",
    y: float,
    own: Mapping[str, float] | None,
    values: Sequence[str],
    paint: Mapping[str, tuple[str, str]],
    when: str,
) -> None:
    axes.text(
        -0.01,
        y,
        when,
        ha="right",
        va="center",
        fontsize=8,
        color=DARK,
        transform=axes.get_yaxis_transform(),
    )
    if not own:
        axes.text(0.01, y, "not asked", va="center", fontsize=8, color=DARK)
        return
    left = 0.0
    for value in values:
        share = own.get(value, 0.0)
        if share:
            colour, hatch = paint[value]
            axes.barh(y, share, _BAR, left, color=colour, hatch=hatch, edgecolor="white")
        left += share
