"""What a recorded run amounts to: its data, the measures computed on them, its summary."""

from genagents_env.evaluate.measures.findings import Findings, compute_findings
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.run_summary import RunSummary, summarize
from genagents_env.evaluate.run_text import format_findings
from genagents_env.evaluate.scene import Scene, SceneLine
from genagents_env.evaluate.scenes import find_scenes, index_scenes
from genagents_env.show.transcript import format_transcript

__all__ = [
    "Findings",
    "RunData",
    "RunSummary",
    "Scene",
    "SceneLine",
    "compute_findings",
    "find_scenes",
    "format_findings",
    "format_transcript",
    "index_scenes",
    "summarize",
]
