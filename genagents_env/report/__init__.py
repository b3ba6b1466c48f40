"""Reports of one or several runs: tables, figures and a page that holds them all."""

from genagents_env.report.study import Study, studied
from genagents_env.report.writing import write_report

__all__ = ["Study", "studied", "write_report"]
