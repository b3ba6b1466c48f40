"""Measures by name: each a file here, or anybody's `path/to/file.py:NAME`."""

from genagents_env.evaluate.measure import Measure, Values, measure, over, take
from genagents_env.evaluate.measure_catalog import (
    DEFAULT,
    absent,
    find_measures,
    listing,
    load_measure,
    measure_names,
)

__all__ = [
    "DEFAULT",
    "Measure",
    "Values",
    "absent",
    "find_measures",
    "listing",
    "load_measure",
    "measure",
    "measure_names",
    "over",
    "take",
]
