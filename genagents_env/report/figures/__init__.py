"""Figures of what runs came to, each a function from measures to a matplotlib figure."""

from .affinity import affinity_map
from .cost import cost_bars
from .flow import flow_bars
from .lengths import length_bars
from .opinion import opinion_timeline
from .preference import preference_bars
from .style import png
from .success import success_bars
from .told import told_network

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
