import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from genagents_env.study.report.figures import draw_figures, fit_label
from tests.study.report.planted_study import measured, pair, run, study

NASTY = ("$x^2$ & $\\frac", "太郎 🙂", "<b>Bold</b>" * 9)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What other tests of this process left open is collected whenever it happens to be.
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def test_strange_names_are_drawn_and_nothing_is_cut_off(tmp_path: Path) -> None:
    curves = {name: ((0.0, 1), (0.5, 2)) for name in NASTY}
    runs = [
        run(
            tmp_path,
            [level],
            seed,
            {},
            measured=measured(
                {f"heard.{name}": 0.1 * k + 0.01 * seed for k, name in enumerate(NASTY[:2])}
                | ({} if level == NASTY[1] else {"words": 3.0}),
                f"{level} {seed}",
                curves=curves,
            ),
        )
        for level in NASTY
        for seed in range(6)
    ]
    primary = (*(f"heard.{name}" for name in NASTY[:2]), "words")
    drawn = draw_figures(study(tmp_path, runs, levels={"mind": NASTY}, primary=primary))
    assert [name for name, *_ in drawn] == ["differences", "values", "diffusion"]
    for name, _, png in drawn:
        pixels = np.asarray(Image.open(BytesIO(png)).convert("L"))
        assert pixels.min() < 128 < pixels.max()
        edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
        assert all((edge == 255).all() for edge in edges), f"something of {name} is cut off"


def test_the_same_figure_is_the_same_file_and_leaves_no_trace_in_matplotlib(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    first = draw_figures(pair(tmp_path, seeds=2))
    assert draw_figures(pair(tmp_path, seeds=2)) == first
    assert dict(mpl.rcParams) == before


def test_text_is_drawn_as_it_stands_or_as_a_box() -> None:
    assert fit_label("$5") == r"\$5"
    assert fit_label("太a") == "□a"
    assert fit_label("x" * 50, 10) == "x" * 9 + "…"
    assert fit_label("two\nlines") == "two lines"
