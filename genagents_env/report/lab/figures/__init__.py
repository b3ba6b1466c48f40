"""The figures of a sweep's report; each returns a figure of matplotlib, which is loaded here."""

from genagents_env.report.figures.style import png
from genagents_env.report.lab.figures.bars import measure_bars
from genagents_env.report.lab.figures.curves import Curve, knowing_curves
from genagents_env.report.lab.figures.forest import difference_forest
from genagents_env.report.lab.figures.partners import Network, partner_networks
from genagents_env.report.lab.figures.places import Stays, place_maps
from genagents_env.report.lab.figures.tradeoff import Point, cost_against

__all__ = [
    "Curve",
    "Network",
    "Point",
    "Stays",
    "cost_against",
    "difference_forest",
    "knowing_curves",
    "measure_bars",
    "partner_networks",
    "place_maps",
    "png",
]
