"""Every figure, each a function from measures to a matplotlib figure; it is loaded here."""

from genagents_env.study.report.figures.bars import Panel, draw_measure_bars
from genagents_env.study.report.figures.curves import KnowledgeCurve, draw_knowledge_curves
from genagents_env.study.report.figures.forest import draw_forest
from genagents_env.study.report.figures.style import encode_png

__all__ = [
    "KnowledgeCurve",
    "Panel",
    "draw_forest",
    "draw_knowledge_curves",
    "draw_measure_bars",
    "encode_png",
]
