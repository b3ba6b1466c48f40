"""Conversation length by policy, beside the figures of Lyfe Agents (2023), appendix A.1."""

from collections.abc import Sequence

from genagents_env.evaluate.measures.lengths import Lengths
from genagents_env.report.figures.style import (
    COLOURS,
    DARK,
    GREY,
    Figure,
    fit_label,
    make_sheet,
    with_style,
)

# Name, mean, what the paper gives after +- (of which kind it does not say), n.
_PAPER = (
    ("paper: Lyfe Agents", 70.348, 13.189, 9),
    ("paper: without option-action", 23.802, 1.463, 4),
)


@with_style
def draw_length_bars(lengths: Sequence[Lengths]) -> Figure:
    """Draw the mean length of a membership with its standard error, a bar for each policy.

    The dark mark is where the last word was spoken, in the mean; what follows it is silence.
    """
    rows = [(one.policy, one.mean, one.sem, one.count) for one in lengths]
    bars = [*rows, *_PAPER]
    figure, (axes,) = make_sheet(7.6, 1.1 + 0.5 * len(bars))
    for y, (_, mean, sem, _) in enumerate(bars):
        if mean is None:
            continue
        ours = y < len(rows)
        fill, edge, hatch = (COLOURS[0], COLOURS[0], "") if ours else ("white", GREY, "//")
        axes.barh(y, mean, 0.7, color=fill, edgecolor=edge, hatch=hatch)
        if sem:
            axes.errorbar(mean, y, xerr=sem, color=DARK, capsize=3)
    for y, one in enumerate(lengths):
        if one.mean_spoken is not None:
            axes.plot([one.mean_spoken] * 2, [y - 0.35, y + 0.35], color=DARK, lw=2)
    axes.set_yticks(range(len(bars)), [_format_label(name, mean, n) for name, mean, _, n in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.set_xlabel("seconds of game time in one conversation")
    axes.grid(axis="x")
    return figure


def _format_label(name: str, mean: float | None, n: int) -> str:
    told = "nobody left a conversation" if mean is None else f"{mean:.0f} s, n = {n}"
    return f"{fit_label(name, 44)}\n{told}"
