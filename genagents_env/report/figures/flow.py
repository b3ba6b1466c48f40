"""How far facts spread: received, stored, retrieved (Lyfe Agents 2023, figure 3c-d)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genagents_env.report.figures.style import (
    COLOURS,
    DARK,
    Figure,
    draw_empty,
    draw_legend,
    fit_label,
    make_legend_entry,
    make_sheet,
    set_share_axis,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from genagents_env.report.groups import FlowRate, Mean

_STEPS = ("received", "stored, if received", "retrieved, if stored")


@with_style
def draw_flow_bars(rates: "Sequence[FlowRate]") -> Figure:
    """Draw for each group of runs, a panel each, three bars for each fact.

    Bars are means over runs with their standard errors; a missing bar has no cases (nobody who
    received it could have stored it).
    """
    groups = list(dict.fromkeys(rate.label for rate in rates))
    facts = max([sum(rate.label == group for rate in rates) for group in groups], default=1)
    rows = max(1, len(groups))
    figure, panels = make_sheet(min(10.5, max(6.0, 1.5 + 1.3 * facts)), 2.7 * rows + 0.6, rows)
    if not groups:
        draw_empty(panels[0], "the scenario has no facts that could flow")
        return figure
    for axes, group in zip(panels, groups, strict=True):
        _draw_panel(axes, group, [rate for rate in rates if rate.label == group])
    draw_legend(figure, [make_legend_entry(step, COLOURS[k]) for k, step in enumerate(_STEPS)])
    return figure


def _draw_panel(axes: "Axes", title: str, rates: "Sequence[FlowRate]") -> None:
    for k in range(len(_STEPS)):
        for x, rate in enumerate(rates):
            _draw_bar(axes, x + (k - 1) * 0.27, (rate.receive, rate.store, rate.retrieve)[k], k)
    axes.set_title(fit_label(title, 80))
    axes.set_xticks(range(len(rates)), [fit_label(rate.fact, 24) for rate in rates])
    if len(rates) > 4:
        axes.tick_params(axis="x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, len(rates) - 0.4)
    axes.set_ylabel("probability")
    set_share_axis(axes)


def _draw_bar(axes: "Axes", x: float, mean: "Mean | None", k: int) -> None:
    if mean is None:
        axes.text(x, 0.02, "-", ha="center", color=DARK)
        return
    axes.bar(x, mean.value, 0.25, color=COLOURS[k])
    if mean.sem:
        axes.errorbar(x, mean.value, mean.sem, color=DARK, capsize=3)
    if mean.value == 0:
        axes.text(x, 0.02, "0", ha="center", color=DARK, fontsize=9)
