"""Figures of what runs came to, each a function from measures to a matplotlib figure."""

from genagents_env.report.figures.affinity import affinity_map
from genagents_env.report.figures.cost import cost_bars
from genagents_env.report.figures.flow import flow_bars
from genagents_env.report.figures.lengths import length_bars
from genagents_env.report.figures.opinion import opinion_timeline
from genagents_env.report.figures.preference import preference_bars
from genagents_env.report.figures.style import png
from genagents_env.report.figures.success import success_bars
from genagents_env.report.figures.told import told_network

__all__ = [
    "affinity_map",
    "cost_bars",
    "flow_bars",
    "length_bars",
    "opinion_timeline",
    "png",
    "preference_bars",
    "success_bars",
    "told_network",
]
