"""Who talks to whom: a network for each condition, over all its runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, sin
from typing import TYPE_CHECKING

import networkx as nx
from matplotlib.colors import to_rgb

from genagents_env.report.figures.style import (
    COLOURS,
    DARK,
    PALE,
    Figure,
    draw_empty,
    fit_label,
    make_sheet,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 10  # names that have room beside their nodes; more stand outward like rays
_THICK = 5.0  # points: the line of the two who talk most


@dataclass(frozen=True, slots=True)
class PartnerNetwork:
    """One condition: N `names` and N rows of N counts, summed over `n` runs."""

    label: str
    names: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    n: int


@with_style
def draw_partner_networks(networks: Sequence[PartnerNetwork]) -> Figure:
    """Draw a panel for each condition: people in a circle, lines as thick as they talk.

    An arrow goes from who speaks to whom it is said; of more than ten people a line stands for both
    ways. The thickest line of the figure is the most
    talk of two people, on average over runs, so that panels can be compared.
    """
    crowded = any(len(network.names) > _FEW for network in networks)
    side, most = (6.2, 2) if crowded else (4.2, 3)
    columns = max(1, min(most, len(networks)))
    rows = -(-max(1, len(networks)) // columns)
    flat = all(len(network.names) <= 2 for network in networks)  # two stand side by side
    height = 0.4 if flat else 0.95
    figure, panels = make_sheet(side * columns, side * height * rows, rows, columns)
    for axes in panels:
        axes.set_axis_off()
    if not networks:
        draw_empty(panels[0], "nobody talked")
    all_edges = [
        edge for own in networks for edge in _list_edges(own, joined=len(own.names) > _FEW)
    ]
    top = max((weight for _, _, weight in all_edges), default=1.0)
    for axes, network in zip(panels, networks, strict=False):
        _draw_panel(axes, network, top)
    return figure


def _draw_panel(axes: "Axes", network: PartnerNetwork, top: float) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(network.names)))
    crowded = len(network.names) > _FEW
    edges = _list_edges(network, joined=crowded)
    where = nx.circular_layout(graph)
    nx.draw_networkx_nodes(
        graph, where, node_size=200, node_color=COLOURS[0] if edges else PALE, edgecolors=DARK,
        ax=axes,
    )  # fmt: skip
    look: dict[str, object] = {"arrows": False}
    if not crowded:
        look = {"arrowsize": 9, "connectionstyle": "arc3,rad=0.14", "node_size": 200}
    shares = [weight / top for _, _, weight in edges]
    nx.draw_networkx_edges(
        graph, where, [(i, j) for i, j, _ in edges], ax=axes,
        width=[0.4 + (_THICK - 0.4) * share for share in shares],
        edge_color=[(*to_rgb(DARK), 0.15 + 0.65 * share) for share in shares],
        **look,
    )  # fmt: skip
    for i, name in enumerate(network.names):
        _draw_name(axes, name, atan2(where[i][1], where[i][0]), crowded)
    axes.set_title(f"{fit_label(network.label, 36)} (n={network.n})")
    high = 0.7 if len(network.names) <= 2 else 1.6 if len(network.names) <= _FEW else 1.9
    axes.set(xlim=(-2.0, 2.0), ylim=(-high, high))


def _list_edges(network: PartnerNetwork, *, joined: bool) -> list[tuple[int, int, float]]:
    """Return who talks to whom in a run; where lines are `joined`, both ways are one."""
    found: dict[tuple[int, int], float] = {}
    for i, row in enumerate(network.counts):
        for j, count in enumerate(row):
            if count > 0 and i != j:
                key = (min(i, j), max(i, j)) if joined else (i, j)
                found[key] = found.get(key, 0.0) + count / max(1, network.n)
    return [(i, j, weight) for (i, j), weight in found.items()]


def _draw_name(axes: "Axes", name: str, angle: float, crowded: bool) -> None:
    x, y = cos(angle), sin(angle)
    if crowded:
        axes.text(
            x * 1.12, y * 1.12, fit_label(name, 20), ha="right" if x < 0 else "left", va="center",
            rotation=degrees(angle) + (180 if x < 0 else 0), rotation_mode="anchor", fontsize=8,
        )  # fmt: skip
        return
    side = "center" if abs(x) < 0.3 else "left" if x > 0 else "right"
    level = "center" if abs(y) < 0.3 else "bottom" if y > 0 else "top"
    words = fit_label(name, 20).replace(" ", "\n", 1)
    axes.text(x * 1.16, y * 1.16, words, ha=side, va=level, fontsize=8)
