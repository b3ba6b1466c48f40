import warnings
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from genagents_env.evaluate.measures.diffusion import Hearing, Spread
from genagents_env.evaluate.measures.lengths import Lengths
from genagents_env.evaluate.opinions import Opinion
from genagents_env.evaluate.published import list_published_costs
from genagents_env.report import figures
from genagents_env.report.figures.style import Figure, assign_colours, fit_label
from genagents_env.report.groups import CostRate, FlowRate, Mean, SuccessRate

CROWD = tuple(f"Agent {letter} Longsurname-{letter}" for letter in "ABCDEFGHI")
NASTY = ("$x^2$ & $\\frac", "太郎 🙂", "<b>Bold</b>" * 9)
HALF = Mean(0.5, 0.1, 3)


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


def success(people: int, label: str = "lyfe", after: Mean | None = HALF) -> SuccessRate:
    return SuccessRate("town", people, label, "s", "Somebody wins", "rule", None, after, 1, 2)


def make_spread(names: tuple[str, ...]) -> Spread:
    told = tuple(
        Hearing(name, 3 * k, names[0] if k % 2 else None, k) for k, name in enumerate(names) if k
    )
    return Spread("news", "It is so.", names[:1], told)


@pytest.mark.parametrize("names", [CROWD[:1], CROWD, NASTY, CROWD * 2], ids=str)
def test_figures_of_people_draw_for_one_for_nine_and_for_strange_names(
    names: tuple[str, ...],
) -> None:
    names = tuple(dict.fromkeys(f"{name}{k // 9 or ''}" for k, name in enumerate(names)))
    values = [*names, "nobody"]
    share = {name: {values[k]: 0.7, "nobody": 0.3} for k, name in enumerate(names)}
    picture(
        figures.draw_preference_bars("whom", values, share, dict(list(share.items())[:1]), "nobody")
    )
    matrix = [[None if a == b else 0.25 for a in names] for b in names]
    picture(figures.draw_affinity_map("whom", names, matrix))
    picture(
        figures.draw_hearing_network(
            [make_spread(names)] * 4, names, lambda tick: f"08:00:{tick:02}"
        )
    )
    mentions = [Opinion("whom", name, 7 * k, names[0], "said") for k, name in enumerate(names)]
    mentions.append(Opinion("whom", "a stranger", 3, "nobody", "summary"))
    picture(figures.draw_opinion_timeline("whom", values, mentions, names, 10, "nobody"))


def test_figures_of_measures_draw() -> None:
    rates = [success(n, label) for n in (3, 6, 9) for label in ("lyfe", "lyfe a=1", NASTY[0])]
    picture(figures.draw_success_bars([*rates, success(9, "none", None)]))
    flow = [FlowRate(NASTY[1], f"fact_{k}", HALF, Mean(0, None, 1), None) for k in range(12)]
    picture(figures.draw_flow_bars(flow))
    picture(figures.draw_flow_bars([FlowRate("a", "fact", HALF, None, Mean(1, 0, 2))]))
    picture(figures.draw_length_bars([Lengths("lyfe", (10.0, 90.0), 1), Lengths(NASTY[2], (), 0)]))
    cost = [CostRate(NASTY[0], "town", HALF, HALF), CostRate("free", "town", HALF, Mean(0, 0, 2))]
    picture(figures.draw_cost_bars(cost, list_published_costs(), 10))


def test_without_data_figures_say_so() -> None:
    for figure in (
        figures.draw_success_bars([]),
        figures.draw_flow_bars([]),
        figures.draw_preference_bars("whom", ["a"], {}, {}),
        figures.draw_affinity_map("whom", [], []),
        figures.draw_hearing_network([], CROWD, str),
        figures.draw_opinion_timeline("whom", ["a"], [], CROWD, 10),
        figures.draw_cost_bars([], (), 10),
        figures.draw_length_bars([]),
    ):
        picture(figure)


def test_the_same_figure_is_the_same_file_and_leaves_no_trace_in_matplotlib() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    files = {figures.encode_png(figures.draw_success_bars([success(3)])) for _ in range(2)}
    assert len(files) == 1
    assert dict(mpl.rcParams) == before


def test_a_bar_is_as_high_as_its_share() -> None:
    (axes,) = figures.draw_success_bars([success(3, after=Mean(0.25, None, 1))]).axes
    assert [bar.get_extents().height for bar in axes.patches] == [
        axes.transData.transform((0, 0.25))[1] - axes.transData.transform((0, 0))[1]
    ]


def test_text_is_drawn_as_it_stands_or_as_a_box() -> None:
    assert fit_label("$5") == r"\$5"
    assert fit_label("太a") == "□a"
    assert fit_label("x" * 50, 10) == "x" * 9 + "…"
    assert fit_label("two\nlines") == "two lines"


def test_every_value_has_its_own_look() -> None:
    looks = assign_colours([f"v{k}" for k in range(30)], "none")
    assert len(set(looks.values())) == 31
