"""Reports of run files and of sweeps: tables, figures, and a page that holds them all."""

from genagents_env.report.results import SweepResults, measure_runs, measure_sweep
from genagents_env.report.writing import write_report

__all__ = ["SweepResults", "measure_runs", "measure_sweep", "write_report"]
