"""Success by number of agents: bars of the mean over runs with its standard error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genagents_env.report.figures.style import (
    COLOURS,
    DARK,
    Figure,
    Line2D,
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

    from genagents_env.report.groups import SuccessRate

_COLUMNS = 2
_ROOMY = 12  # bars of a panel with room for a longer word above each


@with_style
def draw_success_bars(rates: "Sequence[SuccessRate]") -> Figure:
    """Draw a panel for each success: its share of yes by number of agents, with a colour a policy.

    A bar is the share after the run, its line the standard error over runs, the number above it
    how many these are; the dark mark is the share before it.

    Args:
        rates: by one kind of judge, so that a success has one bar a policy and number of agents.
    """
    titles = list(dict.fromkeys(rate.title for rate in rates))
    columns = min(_COLUMNS, max(1, len(titles)))
    rows = -(-max(1, len(titles)) // columns)
    figure, panels = make_sheet(5.2 * columns, 3.4 * rows + 0.5, rows, columns)
    if not titles:
        draw_empty(panels[0], "no success is declared, or nobody was asked")
    policies = list(dict.fromkeys(rate.label for rate in rates))
    for axes, title in zip(panels, titles, strict=False):
        _draw_panel(axes, title, [rate for rate in rates if rate.title == title], policies)
    for axes in panels[max(1, len(titles)) :]:
        axes.set_axis_off()
    if titles:
        entries = [
            make_legend_entry(fit_label(one, 80), COLOURS[k % len(COLOURS)])
            for k, one in enumerate(policies)
        ]
        before = Line2D([], [], color=DARK, lw=2, label="before the run")
        draw_legend(figure, [*entries, before])
    return figure


def _draw_panel(
    axes: "Axes", title: str, rates: "Sequence[SuccessRate]", policies: Sequence[str]
) -> None:
    sizes = sorted({rate.people for rate in rates})
    width = 0.8 / len(policies)
    crowded = len(policies) * len(sizes) > _ROOMY
    for k, policy in enumerate(policies):
        colour = COLOURS[k % len(COLOURS)]
        for rate in rates:
            if rate.label != policy or rate.after is None:
                continue
            x = sizes.index(rate.people) + (k - (len(policies) - 1) / 2) * width
            axes.bar(x, rate.after.value, width * 0.92, color=colour)
            if rate.after.sem:
                axes.errorbar(x, rate.after.value, rate.after.sem, color=DARK, capsize=3)
            if rate.before is not None:
                axes.plot(
                    [x - width * 0.4, x + width * 0.4], [rate.before.value] * 2, color=DARK, lw=2
                )
            top = min(1.0, rate.after.value + (rate.after.sem or 0.0))
            axes.annotate(
                str(rate.after.n) if crowded else f"n={rate.after.n}",
                (x, top),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
    axes.set_title(fit_label(title, 48))
    axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    axes.set_xlim(-0.6, len(sizes) - 0.4)
    axes.set_xlabel("agents in the run")
    axes.set_ylabel("share of interviews with success")
    set_share_axis(axes)
    axes.set_ylim(0, 1.12)
