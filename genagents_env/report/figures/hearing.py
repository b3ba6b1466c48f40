"""Who told whom: a network for each fact, from those who knew it to those who heard it."""

from collections.abc import Callable, Sequence
from math import atan2, cos, degrees, sin
from typing import TYPE_CHECKING

import networkx as nx

from genagents_env.evaluate.measures.diffusion import Spread
from genagents_env.report.figures.style import (
    COLOURS,
    DARK,
    PALE,
    Figure,
    draw_empty,
    draw_legend,
    fit_label,
    make_legend_entry,
    make_sheet,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KNEW, _TOLD, _OTHERWISE = COLOURS[0], COLOURS[1], COLOURS[3]
_NODE = 240  # points squared
_FEW = 10  # names that have room beside their nodes; more stand outward like rays
_KEYS = (
    (_KNEW, "knew it from the start"),
    (_TOLD, "was told it"),
    (_OTHERWISE, "heard it otherwise (news, a whisper)"),
    (PALE, "did not hear it"),
)


@with_style
def draw_hearing_network(
    spreads: Sequence[Spread], names: Sequence[str], clock: Callable[[int], str]
) -> Figure:
    """Draw a panel for each fact, with arrows from speakers to those who first heard it from them.

    Args:
        spreads: one for each fact.
        names: of the people of the run; they stand in a circle in this order.
        clock: from a tick to the town time written beside who heard it then.
    """
    side, most = (4.2, 3) if len(names) <= _FEW else (6.5, 2)
    columns = min(most, max(1, len(spreads)))
    rows = -(-max(1, len(spreads)) // columns)
    figure, panels = make_sheet(side * columns, side * 0.95 * rows + 0.5, rows, columns)
    for axes in panels:
        axes.set_axis_off()
    if not spreads or not names:
        draw_empty(panels[0], "nobody heard of anything")
        return figure
    for axes, spread in zip(panels, spreads, strict=False):
        _draw_panel(axes, spread, names, clock)
    draw_legend(figure, [make_legend_entry(words, colour) for colour, words in _KEYS])
    return figure


def _draw_panel(
    axes: "Axes", spread: Spread, names: Sequence[str], clock: Callable[[int], str]
) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    heard = {one.agent: one for one in spread.heard}
    edges = [(one.source, one.agent) for one in spread.heard if one.source in graph]
    graph.add_edges_from(edges)
    where = nx.circular_layout(graph)
    fill = [_choose_fill(spread, name, {agent for _, agent in edges}) for name in names]
    nx.draw_networkx_nodes(
        graph, where, names, node_size=_NODE, node_color=fill, edgecolors=DARK, ax=axes
    )
    nx.draw_networkx_edges(
        graph,
        where,
        edges,
        node_size=_NODE,
        edge_color=DARK,
        connectionstyle="arc3,rad=0.12",
        ax=axes,
    )
    for name in names:
        time = clock(heard[name].tick) if name in heard else ""
        angle = atan2(where[name][1], where[name][0])
        (_draw_name_beside if len(names) <= _FEW else _draw_name_outward)(axes, name, time, angle)
    axes.set_title(fit_label(spread.fact, 40))
    wide, high = (1.9, 1.75) if len(names) <= _FEW else (2.3, 2.5)
    axes.set(xlim=(-wide, wide), ylim=(-high, high))


def _choose_fill(spread: Spread, name: str, told: set[str]) -> str:
    if name in spread.at_start:
        return _KNEW
    if name in told:
        return _TOLD
    return _OTHERWISE if any(one.agent == name for one in spread.heard) else PALE


def _draw_name_beside(axes: "Axes", name: str, time: str, angle: float) -> None:
    x, y = cos(angle), sin(angle)
    side = "center" if abs(x) < 0.3 else "left" if x > 0 else "right"
    level = "center" if abs(y) < 0.3 else "bottom" if y > 0 else "top"
    words = fit_label(name, 20).replace(" ", "\n", 1)
    away = 1.16 if abs(x) >= 0.3 else 1.14
    axes.text(x * away, y * away, f"{words}\n{time}".strip(), ha=side, va=level, fontsize=8)


def _draw_name_outward(axes: "Axes", name: str, time: str, angle: float) -> None:
    left = cos(angle) < 0
    axes.text(
        cos(angle) * 1.12,
        sin(angle) * 1.12,
        f"{fit_label(name, 20)} {time}".strip(),
        ha="right" if left else "left",
        va="center",
        rotation=degrees(angle) + (180 if left else 0),
        rotation_mode="anchor",
        fontsize=8,
    )
