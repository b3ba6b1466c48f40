"""Measures: a file here for each subject, or a user's `path/to/file.py:NAME`."""

from genagents_env.evaluate.measure import Measure, Values, measure, ratio, take_measures
from genagents_env.evaluate.measure_catalog import (
    DEFAULT,
    find_absent,
    find_measures,
    list_measure_names,
    list_measures,
    load_measure,
)

__all__ = [
    "DEFAULT",
    "Measure",
    "Values",
    "find_absent",
    "find_measures",
    "list_measure_names",
    "list_measures",
    "load_measure",
    "measure",
    "ratio",
    "take_measures",
]
