"""Measures over a record: who heard and knows what, who came, who knows whom, what was spent."""

from genagents_env.evaluate.measures.findings import Findings, findings
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.run_summary import RunSummary, summarize
from genagents_env.evaluate.summary_lines import lines
from genagents_env.evaluate.transcript import transcript

__all__ = ["Findings", "RunData", "RunSummary", "findings", "lines", "summarize", "transcript"]
