import warnings
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.figure import Figure
from PIL import Image

from genagents_env.study.report import figures
from genagents_env.study.report.figures import Panel, fit_label
from genagents_env.study.stats.intervals import Interval

NASTY = ("$x^2$ & $\\frac", "太郎 🙂", "<b>Bold</b>" * 9)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What other tests of this process left open is collected whenever it happens to be.
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def picture(figure: Figure) -> npt.NDArray[np.uint8]:
    """Return the pixels of a figure that is drawn, not blank, and has nothing at its edges."""
    image = Image.open(BytesIO(figures.encode_png(figure))).convert("L")
    pixels = np.asarray(image)
    assert pixels.min() < 128 < pixels.max()
    edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    assert all((edge == 255).all() for edge in edges), "something is cut off"
    return pixels


def panel(*labels: str) -> Panel:
    return Panel(NASTY[0], NASTY[2], dict.fromkeys(labels, (0.4, 0.5, 0.6)))


def test_bars_and_curves_draw_for_strange_names() -> None:
    picture(figures.draw_measure_bars([panel(*NASTY), panel("one")]))
    picture(figures.draw_measure_bars([Panel("none", "", {"a": ()})]))
    known = [Interval(1.0, None, None, 1), Interval(2.0, -0.5, 4.5, 2)]
    curves = [figures.KnowledgeCurve(one, NASTY[1], (0.0, 1.0), known) for one in NASTY]
    picture(figures.draw_knowledge_curves(curves))


def test_the_same_figure_is_the_same_file_and_leaves_no_trace_in_matplotlib() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    files = {figures.encode_png(figures.draw_measure_bars([panel("a")])) for _ in range(2)}
    assert len(files) == 1
    assert dict(mpl.rcParams) == before


def test_text_is_drawn_as_it_stands_or_as_a_box() -> None:
    assert fit_label("$5") == r"\$5"
    assert fit_label("太a") == "□a"
    assert fit_label("x" * 50, 10) == "x" * 9 + "…"
    assert fit_label("two\nlines") == "two lines"
