"""Opinions over time: what each agent said, and what its summary of itself says."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genagents_env.report.figures.style import (
    DARK,
    GREY,
    Figure,
    Line2D,
    assign_colours,
    draw_empty,
    draw_legend,
    fit_label,
    make_legend_entry,
    make_sheet,
    measure_legend,
    with_style,
)

if TYPE_CHECKING:
    from genagents_env.evaluate.opinions import Opinion

_MARKS = {"said": "o", "summary": "s"}
_WIDTH = 7.6


@with_style
def draw_opinion_timeline(
    title: str,
    values: Sequence[str],
    opinions: "Sequence[Opinion]",
    agents: Sequence[str],
    seconds_per_tick: int,
    otherwise: str | None = None,
) -> Figure:
    """Draw a mark wherever an agent stated a value: round where said, square in a summary.

    Args:
        title: of the check.
        values: that it may have, for colours as in the bars.
        opinions: of one check.
        agents: rows, from the top.
        seconds_per_tick: of the run; the axis shows minutes of game time.
        otherwise: the value that is none; grey.
    """
    shown = list(dict.fromkeys([*values, *sorted(one.value for one in opinions)]))
    below = measure_legend([*map(fit_label, shown), *_MARKS], _WIDTH)
    figure, (axes,) = make_sheet(_WIDTH, 1.2 + 0.34 * max(1, len(agents)) + below)
    if not opinions:
        draw_empty(axes, "nobody stated an opinion")
        return figure
    rows, paint = {agent: row for row, agent in enumerate(agents)}, assign_colours(shown, otherwise)
    for one in opinions:
        if one.agent in rows:
            lift = -0.13 if one.source == "said" else 0.13
            axes.scatter(
                one.tick * seconds_per_tick / 60, rows[one.agent] + lift, 34,
                marker=_MARKS[one.source], color=paint[one.value][0], edgecolors=GREY,
                linewidths=0.6, zorder=3, clip_on=False,
            )  # fmt: skip
    axes.set_yticks(range(len(agents)), [fit_label(agent, 22) for agent in agents])
    axes.set_ylim(len(agents) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.grid()
    axes.set_xlabel("minutes of game time")
    axes.set_title(f"{fit_label(title, 50)}: what was mentioned")
    marks = [_make_mark(source, mark) for source, mark in _MARKS.items()]
    entries = [*(make_legend_entry(fit_label(value), paint[value][0]) for value in shown), *marks]
    draw_legend(figure, entries)
    return figure


def _make_mark(label: str, mark: str) -> Line2D:
    return Line2D([], [], color="white", marker=mark, markeredgecolor=DARK, label=label)
