"""The figures of a study, effects and values by condition; matplotlib is loaded here.

Nothing touches pyplot or the state of matplotlib, so that figures are the same everywhere; text is
drawn so that it is safe for any name.
"""

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import inf
from typing import Any

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.show.render.canvas import COLOURS
from genagents_env.study.report.study import StudyResults
from genagents_env.study.stats import Effect, compute_interval
from genagents_env.study.stats.effects import PRIMARY
from genagents_env.study.stats.intervals import list_bounds
from genagents_env.text import clean

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import findfont, get_font
except ImportError:
    how = format_install_command("pictures")
    raise ConfigError(f"figures need matplotlib: {how}") from None

_DPI = 120
_FONT = "DejaVu Sans"  # comes with matplotlib
_GREY, _PALE, _DARK = "#9aa0a6", "#eceef1", "#30343a"
_LIMIT = 34  # characters of a label
_LINE = 30  # characters of a line of it beside a bar
_PANELS = 6
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
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.08,
    "grid.color": _PALE,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.usetex": False,
}


@dataclass(frozen=True, slots=True)
class FigureFile:
    """A figure as a file.

    Attributes:
        name: of the file, without ending.
        caption: below it.
        png: the bytes.
    """

    name: str
    caption: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure: the value of every seed, by condition; a condition may have none.

    `within`: the least and the most that a value can be.
    """

    title: str
    unit: str
    values: Mapping[str, Sequence[float]]
    within: tuple[float, float] = (-inf, inf)


def draw_study_figures(study: StudyResults) -> Iterator[FigureFile]:
    """Yield the figures in the order of the page."""
    main = [one for one in study.effects if one.family == PRIMARY]
    if main:
        titles = [study.title_of(one.measure) for one in main]
        caption = (
            "Primary differences, second less first, with their 95 % intervals, which no "
            "correction has touched; blue where it is a finding after Holm's."
            f"{study.exclusion_note}"
        )
        yield FigureFile("differences", caption, encode_png(draw_forest(main, titles)))
    names = _choose_measures(study)
    if panels := [_make_panel(study, name) for name in names[:_PANELS]]:
        rest = len(names) - len(panels)
        more = f" {rest} more measures stand in the table below." if rest else ""
        caption = (
            "Means over seeds with their 95 % interval; a dot is a run."
            f"{more}{study.exclusion_note}"
        )
        yield FigureFile("values", caption, encode_png(draw_measure_bars(panels)))


def _choose_measures(study: StudyResults) -> list[str]:
    """Return the primary measures, without panels of nought where there are others."""
    named = list(study.primary) or list(study.names)
    spread = [name for name in named if any(_list_values(study, name))]
    return spread or named


def _list_values(study: StudyResults, name: str) -> list[float]:
    return [value for own in study.values_of(name).values() for value in own.values()]


def _make_panel(study: StudyResults, name: str) -> Panel:
    values = study.values_of(name)
    bars = {
        label: [value for _, value in sorted(values.get(label, {}).items())]
        for label in study.conditions
    }
    return Panel(study.title_of(name), study.unit_of(name), bars, study.range_of(name))


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
