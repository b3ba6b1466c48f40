"""What a study or some run files amount to, and the report of it."""

from genagents_env.report.run_files import measure_runs
from genagents_env.report.study import StudyResults, measure_study
from genagents_env.report.writing import write_report

__all__ = ["StudyResults", "measure_runs", "measure_study", "write_report"]
