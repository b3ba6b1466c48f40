"""Measures by name: each a file here, or anybody's `path/to/file.py:NAME`."""

from genagents_env.evaluate.measures.finding import (
    DEFAULT,
    absent,
    find_measures,
    listing,
    load_measure,
    measure_names,
    take,
)
from genagents_env.evaluate.measures.measure import Measure, Values, measure, over

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
