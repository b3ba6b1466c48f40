"""Reports of one or several runs: tables, figures and a page that holds them all."""

from genagents_env.report.run_writing import write_report
from genagents_env.report.study import Study, studied

__all__ = ["Study", "studied", "write_report"]
