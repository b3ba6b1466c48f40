"""What a study or some run files amount to, and the report of it."""

from genagents_env.study.report.measuring import measure_runs, measure_study
from genagents_env.study.report.study import StudyResults
from genagents_env.study.report.writing import write_report

__all__ = ["StudyResults", "measure_runs", "measure_study", "write_report"]
