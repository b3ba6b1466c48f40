"""Reports of run files and of studies: tables, figures, and a page that holds them all."""

from genagents_env.report.run_results import RunResults, measure_runs
from genagents_env.report.study import StudyResults, measure_study
from genagents_env.report.writing import write_report

__all__ = ["RunResults", "StudyResults", "measure_runs", "measure_study", "write_report"]
