"""Every figure, each a function from measures to a matplotlib figure; it is loaded here."""

from genagents_env.report.figures.affinity import draw_affinity_map
from genagents_env.report.figures.bars import draw_measure_bars
from genagents_env.report.figures.cost import draw_cost_bars
from genagents_env.report.figures.curves import KnowledgeCurve, draw_knowledge_curves
from genagents_env.report.figures.flow import draw_flow_bars
from genagents_env.report.figures.forest import draw_forest
from genagents_env.report.figures.hearing import draw_hearing_network
from genagents_env.report.figures.lengths import draw_length_bars
from genagents_env.report.figures.opinion import draw_opinion_timeline
from genagents_env.report.figures.preference import draw_preference_bars
from genagents_env.report.figures.style import encode_png
from genagents_env.report.figures.success import draw_success_bars
from genagents_env.report.figures.summaries import draw_summary_courses
from genagents_env.report.figures.tradeoff import TradeoffPoint, draw_tradeoff

__all__ = [
    "KnowledgeCurve",
    "TradeoffPoint",
    "draw_affinity_map",
    "draw_cost_bars",
    "draw_flow_bars",
    "draw_forest",
    "draw_hearing_network",
    "draw_knowledge_curves",
    "draw_length_bars",
    "draw_measure_bars",
    "draw_opinion_timeline",
    "draw_preference_bars",
    "draw_success_bars",
    "draw_summary_courses",
    "draw_tradeoff",
    "encode_png",
]
