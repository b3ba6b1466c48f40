"""The figures of a sweep's report; each returns a figure of matplotlib, which is loaded here."""

from genagents_env.report.figures.style import png

from .bars import measure_bars
from .curves import Curve, knowing_curves
from .forest import difference_forest
from .partners import Network, partner_networks
from .places import Stays, place_maps
from .tradeoff import Point, cost_against

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
