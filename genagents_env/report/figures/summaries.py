"""Summaries over time: how long each is, and when memories were merged (Lyfe 2023, figure 4)."""

from collections.abc import Sequence
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
    with_style,
)

if TYPE_CHECKING:
    from genagents_env.evaluate.narratives import SummaryCourse

_WIDTH = 7.6


@with_style
def draw_summary_courses(
    courses: "Sequence[SummaryCourse]", seconds_per_tick: int, last_tick: int
) -> Figure:
    """Draw for each agent the words of its summary as steps, and a cross at each merge.

    Args:
        courses: a line each; the legend says how many summaries and merges there were.
        seconds_per_tick: of the run; the axis shows minutes of game time.
        last_tick: of the run.
    """
    labels = [_format_label(one) for one in courses]
    below = measure_legend(labels, _WIDTH)
    figure, (axes,) = make_sheet(_WIDTH, 3.0 + below)
    if not courses:
        draw_empty(axes, "nobody wrote a summary")
        return figure
    minute, paint = 60 / seconds_per_tick, assign_colours(labels, None)
    for one, label in zip(courses, labels, strict=True):
        ticks = [tick / minute for tick, _ in one.updates]
        words = [count for _, count in one.updates]
        if ticks:
            ends = [*ticks, last_tick / minute], [*words, words[-1]]
            axes.step(*ends, where="post", color=paint[label][0], lw=1.4)
            axes.scatter(ticks, words, 14, color=paint[label][0], zorder=3)
        for tick in one.merges:
            height = next((count for at, count in reversed(one.updates) if at <= tick), 0)
            axes.scatter(tick / minute, height, 42, marker="x", color=DARK, zorder=4)
    axes.set_xlim(0, max(last_tick / minute, 1))
    axes.set_ylim(bottom=0)
    axes.grid()
    axes.set_xlabel("minutes of game time")
    axes.set_ylabel("words of the summary")
    draw_legend(figure, [make_legend_entry(label, paint[label][0]) for label in labels])
    return figure


def _format_label(one: "SummaryCourse") -> str:
    return f"{fit_label(one.agent, 22)}: {len(one.updates)} summaries, {len(one.merges)} merges"
