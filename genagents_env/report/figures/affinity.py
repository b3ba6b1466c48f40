"""Affinity of preferences: a heat map of the chance that two agents choose alike."""

from collections.abc import Sequence

from genagents_env.report.figures.style import (
    DARK,
    Figure,
    draw_empty,
    fit_label,
    make_sheet,
    with_style,
)


@with_style
def draw_affinity_map(
    title: str, names: Sequence[str], matrix: Sequence[Sequence[float | None]]
) -> Figure:
    """Draw the matrix with its numbers.

    Args:
        title: of the check.
        names: N agents.
        matrix: N rows of N chances in [0, 1]; None where nobody knows.
    """
    size = 2.6 + 0.52 * max(2, len(names))
    figure, (axes,) = make_sheet(size + 0.9, size)
    if not names:
        draw_empty(axes, "nobody was asked")
        return figure
    numbers = [[float("nan") if v is None else float(v) for v in row] for row in matrix]
    image = axes.imshow(numbers, vmin=0, vmax=1, cmap="Blues")
    for y, row in enumerate(numbers):
        for x, value in enumerate(row):
            words = "-" if value != value else f"{value:.2f}"
            axes.text(
                x, y, words, ha="center", va="center", fontsize=8,
                color="white" if value > 0.6 else DARK,
            )  # fmt: skip
    labels = [fit_label(name, 20) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), labels)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(fit_label(title, 50))
    figure.colorbar(image, ax=axes, shrink=0.8, label="probability of the same choice")
    return figure
