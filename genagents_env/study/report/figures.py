"""Every figure, each a function from measures to a matplotlib figure; it is loaded here.

Nothing touches pyplot or the state of matplotlib, so that figures are the same everywhere; text is
drawn so that it is safe for any name.
"""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import inf
from typing import Any

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.show.render.canvas import COLOURS
from genagents_env.study.stats import Effect, Interval, compute_interval
from genagents_env.study.stats.intervals import list_bounds
from genagents_env.text import clean

try:
    import matplotlib as mpl
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.lines import Line2D
except ImportError:
    how = format_install_command("pictures")
    raise ConfigError(f"figures need matplotlib: {how}") from None

_DPI = 120
_FONT = "DejaVu Sans"  # comes with matplotlib
_GREY, _PALE, _DARK = "#9aa0a6", "#eceef1", "#30343a"
_LIMIT = 34  # characters of a label
_LINE = 30  # characters of a line of it beside a bar
_INCHES = 0.085  # of a letter in a legend, on average
_DASHES = ("-", "--", ":", "-.")
_STYLE: Any = {  # matplotlib names its settings in a type of its own, of hundreds of words
    "font.family": _FONT,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": _DARK,
    "axes.formatter.useoffset": False,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.08,
    "grid.color": _PALE,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.usetex": False,
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure: the value of every seed, by condition; a condition may have none.

    `within`: the least and the most that a value can be.
    """

    title: str
    unit: str
    values: Mapping[str, Sequence[float]]
    within: tuple[float, float] = (-inf, inf)


@dataclass(frozen=True, slots=True)
class KnowledgeCurve:
    """One fact in one condition: at each of `hours` of game time how many know it, over seeds."""

    fact: str
    label: str
    hours: Sequence[float]
    known: Sequence[Interval]


@mpl.rc_context(_STYLE)
def draw_measure_bars(panels: Sequence[Panel]) -> Figure:
    """Draw a panel for each measure, a bar for each condition.

    A bar is the mean over seeds, its line the interval, a dot the value of one seed; beside the
    name stands how many seeds these are.
    """
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    most = max(len(panel.values) for panel in panels)
    figure, axes = _make_sheet(4.4 * columns + 0.4, (1.25 + 0.42 * most) * rows, rows, columns)
    for own, panel in zip(axes, panels, strict=False):
        _draw_bars(own, panel)
    for own in axes[len(panels) :]:
        own.set_axis_off()
    return figure


def _draw_bars(axes: Axes, panel: Panel) -> None:
    for y, seeds in enumerate(panel.values.values()):
        colour = COLOURS[y % len(COLOURS)]
        if seeds:
            mean = compute_interval(seeds, panel.within)
            axes.barh(y, mean.mean, 0.62, color=colour, alpha=0.55)
            ends = list_bounds(mean)
            axes.plot(ends, [y] * len(ends), color=_DARK, lw=1.8, zorder=4)
        axes.scatter(
            seeds, [y + lift for lift in _spread_dots(seeds)], 11, color=colour, edgecolors=_DARK,
            linewidths=0.5, zorder=5, clip_on=False,
        )  # fmt: skip
    labels = [f"{_wrap_label(label)}, n={len(seeds)}" for label, seeds in panel.values.items()]
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.set_title(fit_label(panel.title, 42))
    axes.set_xlabel(fit_label(panel.unit, 30))
    axes.grid(axis="x")
    if all(value >= 0 for seeds in panel.values.values() for value in seeds):
        axes.set_xlim(left=0)
    axes.set_xlim(right=min(axes.get_xlim()[1], 1.05 * panel.within[1]))
    if not any(panel.values.values()):
        axes.text(0.5, 0.5, "not known", ha="center", color=_DARK, transform=axes.transAxes)


def _wrap_label(label: str) -> str:
    """Return a label on two lines at most; the second is cut where it is too long."""
    first, *rest = textwrap.wrap(label, _LINE) or [""]
    lines = [first, " ".join(rest)] if rest else [first]
    return "\n".join(fit_label(line, _LINE) for line in lines)


def _spread_dots(seeds: Sequence[float]) -> list[float]:
    """Return the offset of each dot from its bar's middle: equal values stay countable."""
    seen: dict[float, int] = {}
    counts = Counter(seeds)
    lifts = []
    for value in seeds:
        k = seen[value] = seen.get(value, -1) + 1
        lifts.append(0.0 if counts[value] == 1 else -0.24 + 0.48 * k / (counts[value] - 1))
    return lifts


@mpl.rc_context(_STYLE)
def draw_knowledge_curves(curves: Sequence[KnowledgeCurve]) -> Figure:
    """Draw a panel for each fact, a line with its band for each condition."""
    facts = list(dict.fromkeys(curve.fact for curve in curves))
    labels = list(dict.fromkeys(curve.label for curve in curves))
    columns = min(2, len(facts))
    rows = -(-len(facts) // columns)
    width = max(6.4, 5.2 * columns)
    below = _measure_legend([fit_label(label) for label in labels], width)
    figure, panels = _make_sheet(width, 3.3 * rows + below + 0.2, rows, columns)
    styles = {
        label: (COLOURS[k % len(COLOURS)], _DASHES[k % len(_DASHES)])
        for k, label in enumerate(labels)
    }
    for axes, fact in zip(panels, facts, strict=False):
        _draw_curves(axes, fact, [curve for curve in curves if curve.fact == fact], styles)
    for axes in panels[len(facts) :]:
        axes.set_axis_off()
    _draw_legend(
        figure,
        [
            Line2D([], [], color=colour, ls=dash, lw=2, label=fit_label(label))
            for label, (colour, dash) in styles.items()
        ],
    )
    return figure


def _draw_curves(
    axes: Axes,
    fact: str,
    curves: Sequence[KnowledgeCurve],
    styles: Mapping[str, tuple[str, str]],
) -> None:
    most = 1.0
    for curve in curves:
        colour, dash = styles[curve.label]
        mean = [one.mean for one in curve.known]
        low = [one.mean if one.low is None else max(0.0, one.low) for one in curve.known]
        high = [one.mean if one.high is None else one.high for one in curve.known]
        axes.fill_between(curve.hours, low, high, step="post", color=colour, alpha=0.18, lw=0)
        axes.step(curve.hours, mean, where="post", color=colour, ls=dash, lw=2)
        most = max(most, *(1.08 * edge for edge in high))
    axes.set_title(fit_label(fact, 44))
    axes.set_xlabel("hours of game time")
    axes.set_ylabel("people who know")
    axes.set_ylim(0, most)
    axes.set_xlim(left=0)
    axes.grid(axis="y")


@mpl.rc_context(_STYLE)
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
    figure, _ = _make_sheet(8.4, 0.4 * sum(sizes) + 0.95 * len(sizes))
    figure.clf()
    panels = figure.subplots(len(sizes), 1, squeeze=False, height_ratios=[n + 1.2 for n in sizes])
    for axes, (title, own) in zip(panels[:, 0], groups.items(), strict=True):
        _draw_effects(axes, title, own)
    panels[-1][0].set_xlabel("difference")
    return figure


def _draw_effects(axes: Axes, title: str, effects: Sequence[Effect]) -> None:
    axes.axvline(0, color=_GREY, lw=1)
    for y, one in enumerate(effects):
        colour = COLOURS[0] if one.found else _GREY
        ends = list_bounds(one)
        axes.plot(ends, [y] * len(ends), color=colour, lw=2.2, solid_capstyle="butt")
        axes.plot([one.difference], [y], "o", color=colour, ms=6, mec=_DARK, mew=0.6)
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


def _make_sheet(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return a figure of `width` by `height` inches and its axes, row by row."""
    figure = Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


@mpl.rc_context(_STYLE)
def encode_png(figure: Figure) -> bytes:
    """Return the picture as a PNG file; equal figures give equal bytes."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI, metadata={"Software": None})
    return buffer.getvalue()


def fit_label(text: str, limit: int = _LIMIT) -> str:
    """Return `text` as it can be drawn: clean, short, no formula, only signs that the font has."""
    short = clean(text, limit + 1)
    short = short[: limit - 1].rstrip() + "…" if len(short) > limit else short
    font = get_font(findfont(_FONT))
    drawable = "".join(c if font.get_char_index(ord(c)) else "□" for c in short)
    return drawable.replace("$", r"\$")


def _draw_legend(figure: Figure, entries: Sequence[Artist]) -> None:
    """Put a legend below everything, in as many columns as fit."""
    columns = _count_columns([str(entry.get_label()) for entry in entries], figure.get_figwidth())
    figure.legend(handles=entries, loc="outside lower center", ncols=columns)


def _count_columns(labels: Sequence[str], width: float) -> int:
    """Return how many columns of these labels fit into a legend of `width` inches, at most 4."""
    longest = max(map(len, labels))
    return max(1, min(4, len(labels), int(width / (0.6 + _INCHES * longest))))


def _measure_legend(labels: Sequence[str], width: float) -> float:
    """Return the inches that the legend of these labels needs."""
    return 0.22 * -(-len(labels) // _count_columns(labels, width))
