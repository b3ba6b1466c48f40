"""Effects of factors: a mark for each, its interval, and the line of no difference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genagents_env.study.report.figures.style import (
    COLOURS,
    DARK,
    GREY,
    Figure,
    fit_label,
    make_sheet,
    with_style,
)
from genagents_env.study.stats import Effect
from genagents_env.study.stats.intervals import list_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@with_style
def draw_forest(effects: Sequence[Effect], titles: Sequence[str]) -> Figure:
    """Draw effects, a panel for each measure since their units differ.

    Blue are findings, all others grey; one without an interval has none to be drawn.

    Args:
        effects: in the order of the page.
        titles: of the measure of each.
    """
    groups: dict[str, list[Effect]] = {}
    for one, title in zip(effects, titles, strict=True):
        groups.setdefault(title, []).append(one)
    sizes = list(map(len, groups.values()))
    figure, _ = make_sheet(8.4, 0.4 * sum(sizes) + 0.95 * len(sizes))
    figure.clf()
    panels = figure.subplots(len(sizes), 1, squeeze=False, height_ratios=[n + 1.2 for n in sizes])
    for axes, (title, own) in zip(panels[:, 0], groups.items(), strict=True):
        _draw_panel(axes, title, own)
    panels[-1][0].set_xlabel("difference")
    return figure


def _draw_panel(axes: "Axes", title: str, effects: Sequence[Effect]) -> None:
    axes.axvline(0, color=GREY, lw=1)
    for y, one in enumerate(effects):
        colour = COLOURS[0] if one.found else GREY
        ends = list_bounds(one)
        axes.plot(ends, [y] * len(ends), color=colour, lw=2.2, solid_capstyle="butt")
        axes.plot([one.difference], [y], "o", color=colour, ms=6, mec=DARK, mew=0.6)
        axes.annotate(
            _format_p(one), (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=8
        )
    axes.set_yticks(range(len(effects)), [fit_label(one.contrast.text, 60) for one in effects])
    axes.set_ylim(len(effects) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_title(fit_label(title, 70), loc="left")
    axes.grid(axis="x")


def _format_p(one: Effect) -> str:
    if one.p_holm is not None:
        return f"p = {one.p_holm:.3g} (Holm)"
    return "" if one.p is None else f"p = {one.p:.3g}"
