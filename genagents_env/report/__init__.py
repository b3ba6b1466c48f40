"""Reports of one or several runs: tables, figures and a page that holds them all."""

from genagents_env.report.run_writing import write_report

__all__ = ["write_report"]
