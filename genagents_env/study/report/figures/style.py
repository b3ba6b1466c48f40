"""The one style of all figures: sheets, colours, and text that is safe for any name.

Nothing here touches pyplot or the state of matplotlib, so that figures are the same everywhere.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from io import BytesIO
from typing import Any, ParamSpec

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.show.render.canvas import COLOURS
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

__all__ = [
    "COLOURS",
    "DARK",
    "GREY",
    "PALE",
    "Figure",
    "Line2D",
    "draw_legend",
    "encode_png",
    "fit_label",
    "make_sheet",
    "measure_legend",
    "with_style",
]

P = ParamSpec("P")

FONT = "DejaVu Sans"  # comes with matplotlib
DPI = 120
GREY, PALE, DARK = "#9aa0a6", "#eceef1", "#30343a"
LIMIT = 34  # characters of a label
_INCHES = 0.085  # of a letter in a legend, on average

_STYLE: Any = {  # matplotlib names its settings in a type of its own, of hundreds of words
    "font.family": FONT,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": DARK,
    "axes.formatter.useoffset": False,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.08,
    "grid.color": PALE,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.usetex": False,
}


def with_style(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Return `draw` with the style of this file, whatever the caller's settings of matplotlib."""

    @wraps(draw)
    def draw_with_style(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(_STYLE):
            return draw(*args, **kwargs)

    return draw_with_style


def make_sheet(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return a figure of `width` by `height` inches and its axes, row by row."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def encode_png(figure: Figure) -> bytes:
    """Return the picture as a PNG file; equal figures give equal bytes."""
    buffer = BytesIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def fit_label(text: str, limit: int = LIMIT) -> str:
    """Return `text` as it can be drawn: clean, short, no formula, only signs that the font has."""
    short = clean(text, limit + 1)
    short = short[: limit - 1].rstrip() + "…" if len(short) > limit else short
    font = get_font(findfont(FONT))
    drawable = "".join(c if font.get_char_index(ord(c)) else "□" for c in short)
    return drawable.replace("$", r"\$")


def draw_legend(figure: Figure, entries: Sequence[Artist]) -> None:
    """Put a legend below everything, in as many columns as fit."""
    columns = count_columns([str(entry.get_label()) for entry in entries], figure.get_figwidth())
    figure.legend(handles=entries, loc="outside lower center", ncols=columns)


def count_columns(labels: Sequence[str], width: float) -> int:
    """Return how many columns of these labels fit into a legend of `width` inches, at most 4."""
    longest = max(map(len, labels))
    return max(1, min(4, len(labels), int(width / (0.6 + _INCHES * longest))))


def measure_legend(labels: Sequence[str], width: float) -> float:
    """Return the inches that the legend of these labels needs."""
    return 0.22 * -(-len(labels) // count_columns(labels, width))
