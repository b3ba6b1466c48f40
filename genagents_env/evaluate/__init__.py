"""Measures over a record: who heard and knows what, who came, who knows whom, what was spent."""

from genagents_env.evaluate.findings import Findings, findings
from genagents_env.evaluate.lines import lines
from genagents_env.evaluate.report import Report, report
from genagents_env.evaluate.transcript import transcript

__all__ = ["Findings", "Report", "findings", "lines", "report", "transcript"]
