"""Measures over a record: who heard and knows what, who came, who knows whom, what was spent."""

from .findings import Findings, findings
from .lines import lines
from .report import Report, report
from .transcript import transcript

__all__ = ["Findings", "Report", "findings", "lines", "report", "transcript"]
