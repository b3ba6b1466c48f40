"""Measures over a record: who heard what, who came, who knows whom, what was said and spent."""

from .report import Report, report
from .transcript import transcript

__all__ = ["Report", "report", "transcript"]
