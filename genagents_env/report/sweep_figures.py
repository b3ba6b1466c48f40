"""The figures of a sweep's report: which are drawn, of what, and what stands below each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from genagents_env.report import figure_data, figures
from genagents_env.report.comparing import PRIMARY, ConditionBlock, MeasureCell, slug_blocks
from genagents_env.report.figures.style import Figure
from genagents_env.report.results import SweepResults
from genagents_env.report.sections import FigureFile

_FIGURES = "figures"  # the section of its own in which most of them stand
_PANELS = 9
# Drawn beside the primary ones where they were measured, the first numbers of each.
_SHOWN = (
    *("verified", "heard", "came", "success", "density", "conversations", "words", "together"),
    *("adherence", "unusual_places", "declined", "hallucinated", "calls_per_hour"),
)


def draw_sweep_figures(results: SweepResults) -> Iterator[FigureFile]:
    """Yield the figures in the order of the page; each names the section in which it stands."""
    main = [one for one in results.contrasts if one.family == PRIMARY]
    if main:
        names = [results.titles[one.measure] for one in main]
        caption = (
            "Differences in the primary measures: second less first, with the 95 % interval, "
            "which no correction has touched; blue where it leaves out nought."
            f"{results.exclusion_note}"
        )
        drawn = figures.draw_forest(main, names)
        yield FigureFile("primary", "differences", caption, figures.encode_png(drawn))
    for block, slug in zip(results.blocks, slug_blocks(results.blocks), strict=True):
        where = f"{block.name}: " if len(results.blocks) > 1 else ""
        for name, caption, drawn in _draw_block(results, block):
            picture = figures.encode_png(drawn)
            told = f"{where}{caption}{results.exclusion_note}"
            yield FigureFile(_FIGURES, f"{name}_{slug}", told, picture)


def _draw_block(results: SweepResults, block: ConditionBlock) -> Iterator[tuple[str, str, Figure]]:
    """Yield the figures of one block: the name, the caption, and what is drawn."""
    mine = [cell for cell in results.cells if cell.block == block.name]
    counted = [(side, figure_data.find_counted(results.runs, side)) for side in block.conditions]
    if panels := figure_data.make_panels(results, mine, _choose_measures(results, block, mine)):
        caption = "Means over seeds with their 95 % interval; a dot is one seed."
        yield "bars", caption, figures.draw_measure_bars(panels)
    if curves := figure_data.make_curves(counted):
        caption = (
            "People who know a fact over time: the mean over seeds with its 95 % interval. A run "
            "that ended earlier counts with its last number."
        )
        yield "diffusion", caption, figures.draw_knowledge_curves(curves)
    if networks := figure_data.make_networks(counted):
        caption = (
            "Who talks to whom, all runs of a condition together: an arrow from who speaks to who "
            "is spoken to, as thick as there is talk in a run; of more than ten people a line "
            "stands for both ways."
        )
        yield "partners", caption, figures.draw_partner_networks(networks)
    if maps := figure_data.make_place_shares(counted):
        caption = "Share of everyone's time at each place, mean over the runs of a condition."
        yield "places", caption, figures.draw_place_maps(maps)
    main = [name for name in results.names_in(block) if name in results.primary]
    if main:
        name = main[0]
        cost, points = figure_data.make_tradeoff(counted, mine, name)
        if points:
            caption = (
                "Cost against outcome: a faint point for each run, a mark for the mean of each "
                "condition with both 95 % intervals."
            )
            drawn = figures.draw_tradeoff(
                points, _label_axis(results, cost), _label_axis(results, name)
            )
            yield "tradeoff", caption, drawn


def _label_axis(results: SweepResults, name: str) -> str:
    unit = results.units[name]
    return f"{results.titles[name]} ({unit})" if unit else results.titles[name]


def _choose_measures(
    results: SweepResults, block: ConditionBlock, cells: Sequence[MeasureCell]
) -> list[str]:
    """Return the measures of the bars: the primary ones, then some of the others with values."""
    counts = Counter(cell.measure for cell in cells if cell.values)
    sides = len({cell.compared.label for cell in cells})
    valued = {name for name, count in counts.items() if count >= min(2, sides)}
    stems: Mapping[str, int] = {stem: k for k, stem in enumerate(_SHOWN)}
    names = results.names_in(block)
    main = [name for name in names if name in results.primary]
    rest = [name for name in names if name not in main and name in valued]
    rest = [name for name in rest if name.partition(".")[0] in stems]
    rest.sort(key=lambda name: stems[name.partition(".")[0]])
    return [*main, *rest][: max(_PANELS, len(main))]
