"""Time at places: a heat map of people by places for each condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genagents_env.report.figures.style import (
    DARK,
    Figure,
    draw_empty,
    fit_label,
    make_sheet,
    with_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage


@dataclass(frozen=True, slots=True)
class PlaceShares:
    """One condition: for each of `names` the share of its time at each of `places`."""

    label: str
    names: tuple[str, ...]
    places: tuple[str, ...]
    shares: tuple[tuple[float, ...], ...]
    n: int


@with_style
def draw_place_maps(maps: Sequence[PlaceShares]) -> Figure:
    """Draw a panel for each condition, all with one scale of colours from 0 to 1."""
    people = max((len(own.names) for own in maps), default=1)
    places = max((len(own.places) for own in maps), default=1)
    columns = 1 if places > 8 else max(1, min(2, len(maps)))
    rows = -(-max(1, len(maps)) // columns)
    width, height = (2.6 + 0.45 * places) * columns + 0.8, (2.5 + 0.3 * people) * rows
    figure, panels = make_sheet(max(6.0, width), height, rows, columns)
    for axes in panels[len(maps) :]:
        axes.set_axis_off()
    if not maps:
        draw_empty(panels[0], "nobody was anywhere")
        return figure
    for axes, own in zip(panels, maps, strict=False):
        image = _draw_panel(axes, own)
    figure.colorbar(image, ax=panels, shrink=min(0.6, 4 / height), label="share of the time")
    return figure


def _draw_panel(axes: "Axes", own: PlaceShares) -> "AxesImage":
    image = axes.imshow(own.shares, vmin=0, vmax=1, cmap="Blues", aspect="auto")
    for y, row in enumerate(own.shares):
        for x, share in enumerate(row):
            if share >= 0.005:
                axes.text(
                    x, y, f"{share:.2f}".removeprefix("0"), ha="center", va="center", fontsize=7,
                    color="white" if share > 0.6 else DARK,
                )  # fmt: skip
    labels = [fit_label(place, 26) for place in own.places]
    axes.set_xticks(range(len(labels)), labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(own.names)), [fit_label(name, 20) for name in own.names])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"{fit_label(own.label, 44)} (n={own.n})")
    return image
