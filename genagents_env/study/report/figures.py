"""The figures of a study: effects, values by condition, curves; matplotlib is loaded here.

Nothing touches pyplot or the state of matplotlib, so that figures are the same everywhere; text is
drawn so that it is safe for any name.
"""

import textwrap
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.show.render.canvas import COLOURS
from genagents_env.study.report.study import StudyResults
from genagents_env.study.stats.effects import PRIMARY, Effect
from genagents_env.study.stats.intervals import Interval, compute_interval, list_bounds
from genagents_env.text import clean

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.lines import Line2D
except ImportError:
    how = format_install_command("pictures")
    raise ConfigError(f"figures need matplotlib: {how}") from None

_Steps: TypeAlias = Sequence[tuple[float, int]]  # hours at which one more knew, how many then did
# By condition: at each of these hours of game time how many people know a fact, over seeds.
_Curves: TypeAlias = Mapping[str, tuple[Sequence[float], Sequence[Interval]]]

_DPI = 120
_FONT = "DejaVu Sans"  # comes with matplotlib
_GREY, _PALE, _DARK = "#9aa0a6", "#eceef1", "#30343a"
_LIMIT = 34  # characters of a label
_LINE = 30  # characters of a line of it beside a bar
_INCHES = 0.085  # of a letter in a legend, on average
_MOST_CONDITIONS = 12  # of curves in one figure
_MOMENTS = 48  # at which curves are averaged
_PANELS = 6
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


@mpl.rc_context(_STYLE)
def draw_figures(study: StudyResults) -> list[tuple[str, str, bytes]]:
    """Return name, caption and PNG bytes of each figure, in the order of the page.

    Equal studies give equal bytes.
    """
    return [(name, words, _encode(figure)) for name, words, figure in _draw_figures(study)]


def _draw_figures(study: StudyResults) -> Iterator[tuple[str, str, Figure]]:
    main = [one for one in study.effects if one.family == PRIMARY]
    if main:
        caption = (
            "Primary differences, second less first, with their 95 % intervals, which no "
            "correction has touched; blue where it is a finding after Holm's."
            f"{study.exclusion_note}"
        )
        yield "differences", caption, draw_forest(study, main)
    names = _choose_measures(study)
    if names:
        rest = len(names) - _PANELS
        more = f" {rest} more measures stand in the table below." if rest > 0 else ""
        caption = (
            "Means over seeds with their 95 % interval; a dot is a run."
            f"{more}{study.exclusion_note}"
        )
        yield "values", caption, draw_bars(study, names[:_PANELS])
    if curves := _find_curves(study):
        caption = (
            "People who know a fact over time: the mean over seeds with its 95 % interval. A run "
            "that ended earlier counts with its last number."
        )
        yield "diffusion", caption, draw_curves(curves)


def _choose_measures(study: StudyResults) -> list[str]:
    """Return the primary measures, without panels of nought where there are others."""
    named = list(study.primary or study.names)
    values = {name: study.values_of(name).values() for name in named}
    return [name for name in named if any(any(own.values()) for own in values[name])] or named


def draw_bars(study: StudyResults, names: Sequence[str]) -> Figure:
    """Draw a panel for each measure, a bar for each condition.

    A bar is the mean over seeds, its line the interval, a dot the value of one seed; beside the
    name stands how many seeds these are.
    """
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    height = (1.25 + 0.42 * len(study.conditions)) * rows
    figure, axes = _make_sheet(4.4 * columns + 0.4, height, rows, columns)
    for own, name in zip(axes, names, strict=False):
        _draw_bars(own, study, name)
    for own in axes[len(names) :]:
        own.set_axis_off()
    return figure


def _draw_bars(axes: Axes, study: StudyResults, name: str) -> None:
    found, within = study.values_of(name), study.range_of(name)
    values = {
        label: [value for _, value in sorted(found.get(label, {}).items())]
        for label in study.conditions
    }
    for y, seeds in enumerate(values.values()):
        colour = COLOURS[y % len(COLOURS)]
        if seeds:
            mean = compute_interval(seeds, within)
            axes.barh(y, mean.mean, 0.62, color=colour, alpha=0.55)
            ends = list_bounds(mean)
            axes.plot(ends, [y] * len(ends), color=_DARK, lw=1.8, zorder=4)
        axes.scatter(
            seeds, [y + lift for lift in _spread_dots(seeds)], 11, color=colour, edgecolors=_DARK,
            linewidths=0.5, zorder=5, clip_on=False,
        )  # fmt: skip
    _label_rows(axes, [f"{_wrap(label)}, n={len(seeds)}" for label, seeds in values.items()])
    axes.set_ylim(len(values) - 0.45, -0.55)
    axes.set_title(fit_label(study.title_of(name), 42))
    axes.set_xlabel(fit_label(study.measure_of(name).unit, 30))
    if all(value >= 0 for seeds in values.values() for value in seeds):
        axes.set_xlim(left=0)
    axes.set_xlim(right=min(axes.get_xlim()[1], 1.05 * within[1]))
    if not any(values.values()):
        axes.text(0.5, 0.5, "not known", ha="center", color=_DARK, transform=axes.transAxes)


def _wrap(label: str) -> str:
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


def _find_curves(study: StudyResults) -> dict[str, _Curves]:
    """Return for each fact that spread anywhere how many know it, by condition."""
    conditions = {
        name: [run.measured.curves for run in runs if run.counted and run.measured]
        for name, runs in study.conditions.items()
    }
    if len(conditions) > _MOST_CONDITIONS:
        return {}
    named = [name.partition(".")[2] for name in study.primary if "." in name]
    curves = [curve for runs in conditions.values() for run in runs for curve in run.items()]
    spread = dict.fromkeys(fact for fact, steps in curves if steps[-1][1] > steps[0][1])
    facts = [fact for fact in spread if fact in named] or list(spread)
    return {
        fact: {
            label: _average_curves(own)
            for label, runs in conditions.items()
            if (own := [run[fact] for run in runs if fact in run])
        }
        for fact in facts[:_PANELS]
    }


def _average_curves(runs: Sequence[_Steps]) -> tuple[list[float], list[Interval]]:
    end = max(steps[-1][0] for steps in runs)
    moments = np.linspace(0.0, end, _MOMENTS + 1).tolist()
    return moments, [compute_interval([_find_count(run, at) for run in runs]) for at in moments]


def _find_count(steps: _Steps, hour: float) -> float:
    at = bisect_right([when for when, _ in steps], hour)
    return float(steps[at - 1][1]) if at else 0.0


def draw_curves(curves: Mapping[str, _Curves]) -> Figure:
    """Draw a panel for each fact, a line with its band for each condition; a legend below."""
    labels = list(dict.fromkeys(label for own in curves.values() for label in own))
    columns = min(2, len(curves))
    rows = -(-len(curves) // columns)
    width = max(6.4, 5.2 * columns)
    longest = max(len(fit_label(label)) for label in labels)
    beside = max(1, min(4, len(labels), int(width / (0.6 + _INCHES * longest))))
    height = 3.3 * rows + 0.22 * -(-len(labels) // beside) + 0.2
    figure, panels = _make_sheet(width, height, rows, columns)
    lines = {
        label: Line2D(
            *([], []), color=COLOURS[k % len(COLOURS)], ls=_DASHES[k % len(_DASHES)], lw=2,
            label=fit_label(label),
        )
        for k, label in enumerate(labels)
    }  # fmt: skip
    for axes, (fact, own) in zip(panels, curves.items(), strict=False):
        _draw_curves(axes, fact, own, lines)
    for axes in panels[len(curves) :]:
        axes.set_axis_off()
    figure.legend(handles=list(lines.values()), loc="outside lower center", ncols=beside)
    return figure


def _draw_curves(axes: Axes, fact: str, curves: _Curves, lines: Mapping[str, Line2D]) -> None:
    most = 1.0
    for label, (hours, known) in curves.items():
        colour, dash = lines[label].get_color(), lines[label].get_linestyle()
        mean = [one.mean for one in known]
        low = [one.mean if one.low is None else max(0.0, one.low) for one in known]
        high = [one.mean if one.high is None else one.high for one in known]
        axes.fill_between(hours, low, high, step="post", color=colour, alpha=0.18, lw=0)
        axes.step(hours, mean, where="post", color=colour, ls=dash, lw=2)
        most = max(most, *(1.08 * edge for edge in high))
    axes.set_title(fit_label(fact, 44))
    axes.set_xlabel("hours of game time")
    axes.set_ylabel("people who know")
    axes.set_ylim(0, most)
    axes.set_xlim(left=0)
    axes.grid(axis="y")


def draw_forest(study: StudyResults, effects: Sequence[Effect]) -> Figure:
    """Draw effects, a panel for each measure since their units differ.

    Blue are findings, all others grey; one without an interval has none to be drawn.
    """
    groups: dict[str, list[Effect]] = {}
    for one in effects:
        groups.setdefault(study.title_of(one.measure), []).append(one)
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
    _label_rows(axes, [fit_label(one.contrast.text, 60) for one in effects])
    axes.set_ylim(len(effects) - 0.4, -0.6)
    axes.set_title(fit_label(title, 70), loc="left")


def _format_p(one: Effect) -> str:
    if one.p_holm is not None:
        return f"p = {one.p_holm:.3g} (Holm)"
    return "" if one.p is None else f"p = {one.p:.3g}"


def _label_rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def _make_sheet(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return a figure of `width` by `height` inches and its axes, row by row."""
    figure = Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def _encode(figure: Figure) -> bytes:
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
