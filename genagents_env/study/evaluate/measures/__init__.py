"""Measures: a file here for each subject, or a user's `path/to/file.py:NAME`."""

from genagents_env.study.evaluate.measure import (
    Measure,
    MeasuredValue,
    NamedValue,
    Values,
    measure,
    ratio,
    take_measures,
    take_values,
)
from genagents_env.study.evaluate.measure_catalog import (
    DEFAULT,
    find_measures,
    find_version,
    list_measure_names,
    list_measures,
    load_measure,
)

__all__ = [
    "DEFAULT",
    "Measure",
    "MeasuredValue",
    "NamedValue",
    "Values",
    "find_measures",
    "find_version",
    "list_measure_names",
    "list_measures",
    "load_measure",
    "measure",
    "ratio",
    "take_measures",
    "take_values",
]
