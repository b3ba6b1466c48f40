"""Differences between conditions: a mark for each, its interval, and the line of no difference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
from genagents_env.stats.contrasts import Contrast

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@with_style
def draw_forest(contrasts: Sequence[Contrast], titles: Sequence[str]) -> Figure:
    """Draw the differences, a panel for each measure since their units differ.

    Args:
        contrasts: in the order of the page.
        titles: of the measure of each.
    """
    groups: dict[str, list[Contrast]] = {}
    for contrast, title in zip(contrasts, titles, strict=True):
        groups.setdefault(title, []).append(contrast)
    sizes = [len(own) for own in groups.values()] or [1]
    figure, _ = make_sheet(8.4, 0.4 * sum(sizes) + 0.95 * len(sizes))
    figure.clf()
    panels = figure.subplots(len(sizes), 1, squeeze=False, height_ratios=[n + 1.2 for n in sizes])
    if not groups:
        draw_empty(panels[0][0], "there is nothing to compare")
    for axes, (title, own) in zip(panels[:, 0], groups.items(), strict=False):
        _draw_panel(axes, title, own, len({one.block for one in contrasts}) > 1)
    return figure


def _draw_panel(axes: "Axes", title: str, contrasts: Sequence[Contrast], several: bool) -> None:
    axes.axvline(0, color=GREY, lw=1)
    for y, one in enumerate(contrasts):
        colour = COLOURS[0] if one.low > 0 or one.high < 0 else GREY
        axes.plot([one.low, one.high], [y, y], color=colour, lw=2.2, solid_capstyle="butt")
        axes.plot([one.difference], [y], "o", color=colour, ms=6, mec=DARK, mew=0.6)
        axes.annotate(
            _format_p(one), (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=8
        )
    axes.set_yticks(range(len(contrasts)), [_format_label(one, several) for one in contrasts])
    axes.set_ylim(len(contrasts) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_title(fit_label(title, 70), loc="left")
    axes.grid(axis="x")


def _format_label(one: Contrast, several: bool) -> str:
    label = f"{fit_label(one.second, 26)} \N{MINUS SIGN} {fit_label(one.first, 26)}"
    return f"{label}\n{fit_label(one.block, 50)}" if several else label


def _format_p(one: Contrast) -> str:
    if one.p_holm is not None:
        return f"p = {one.p_holm:.3g} (Holm)"
    return "" if one.p is None else f"p = {one.p:.3g}"
