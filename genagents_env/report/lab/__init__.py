"""The report of a sweep: conditions beside one another, on a page, in tables and in figures."""

from genagents_env.report.lab.data import Gathered, as_json, gathered
from genagents_env.report.lab.writing import write_lab

__all__ = ["Gathered", "as_json", "gathered", "write_lab"]
