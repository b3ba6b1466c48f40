"""What an agent costs: calls an hour awake, dollars a human hour, beside published figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genagents_env.evaluate.published import PublishedCost
from genagents_env.report.figures.style import (
    COLOURS,
    DARK,
    GREY,
    Figure,
    draw_empty,
    fit_label,
    make_sheet,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from genagents_env.report.groups import CostRate

Bar = tuple[str, float, float, bool]  # name, value, standard error, whether it is ours


@with_style
def draw_cost_bars(
    rates: "Sequence[CostRate]", others: Sequence[PublishedCost], speed: float
) -> Figure:
    """Draw calls per agent and hour awake, and dollars per agent and human hour.

    Both axes are logarithmic. What is free or has no price has no bar on the right.

    Args:
        rates: one for each group of runs.
        others: published figures.
        speed: game hours in a human hour.
    """
    calls: list[Bar] = [
        (_format_label(rate), rate.calls.value, rate.calls.sem or 0.0, True)
        for rate in rates
        if rate.calls is not None and rate.calls.value > 0
    ]
    calls += [
        (fit_label(one.name, 46), one.calls_per_waking_hour, 0.0, False)
        for one in others
        if one.calls_per_waking_hour is not None
    ]
    dollars: list[Bar] = [
        (_format_label(rate), rate.dollars.value, rate.dollars.sem or 0.0, True)
        for rate in rates
        if rate.dollars is not None and rate.dollars.value > 0
    ]
    dollars += [
        (fit_label(one.name, 46), one.dollars_per_human_hour, 0.0, False)
        for one in others
        if one.dollars_per_human_hour is not None
    ]
    height = 1.4 + 0.5 * (len(calls) + len(dollars)) + 0.9
    figure, panels = make_sheet(7.8, height, 2)
    _draw_bars(panels[0], calls, "model calls per agent and hour awake (game time)", "{:.3g}")
    words = f"US dollars per agent and human hour, at {speed:g} times real time"
    _draw_bars(panels[1], dollars, words, "{:.2g}")
    return figure


def _format_label(rate: "CostRate") -> str:
    return f"{fit_label(rate.mind, 46)}\n{fit_label(rate.place, 46)}"


def _draw_bars(axes: "Axes", bars: Sequence[Bar], words: str, form: str) -> None:
    if not bars:
        draw_empty(axes, "no figures")
        return
    for y, (_, value, sem, ours) in enumerate(bars):
        axes.barh(
            y, value, 0.7, color=COLOURS[0] if ours else "white",
            edgecolor=COLOURS[0] if ours else GREY, hatch="" if ours else "//",
        )  # fmt: skip
        axes.annotate(
            form.format(value), (value + sem, y), (6, 0), textcoords="offset points",
            va="center", fontsize=8,
        )  # fmt: skip
        if sem:
            axes.errorbar(value, y, xerr=sem, color=DARK, capsize=3)
    axes.set_yticks(range(len(bars)), [bar[0] for bar in bars])
    axes.invert_yaxis()
    axes.set_xscale("log")
    values = [bar[1] for bar in bars]
    axes.set_xlim(min(values) / 3, max(bar[1] + bar[2] for bar in bars) * 3)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel(words)
    axes.grid(axis="x")
