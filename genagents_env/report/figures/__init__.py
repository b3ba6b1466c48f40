"""Every figure, each a function from measures to a matplotlib figure; it is loaded here."""

from genagents_env.report.figures.affinity import affinity_map
from genagents_env.report.figures.bars import measure_bars
from genagents_env.report.figures.cost import cost_bars
from genagents_env.report.figures.curves import Curve, knowing_curves
from genagents_env.report.figures.flow import flow_bars
from genagents_env.report.figures.forest import difference_forest
from genagents_env.report.figures.hearing import told_network
from genagents_env.report.figures.lengths import length_bars
from genagents_env.report.figures.opinion import opinion_timeline
from genagents_env.report.figures.partners import Network, partner_networks
from genagents_env.report.figures.places import Stays, place_maps
from genagents_env.report.figures.preference import preference_bars
from genagents_env.report.figures.style import png
from genagents_env.report.figures.success import success_bars
from genagents_env.report.figures.tradeoff import Point, cost_against

__all__ = [
    "Curve",
    "Network",
    "Point",
    "Stays",
    "affinity_map",
    "cost_against",
    "cost_bars",
    "difference_forest",
    "flow_bars",
    "knowing_curves",
    "length_bars",
    "measure_bars",
    "opinion_timeline",
    "partner_networks",
    "place_maps",
    "png",
    "preference_bars",
    "success_bars",
    "told_network",
]
