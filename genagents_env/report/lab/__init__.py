"""The report of a sweep: conditions beside one another, on a page, in tables and in figures."""

from .data import Gathered, as_json, gathered
from .writing import write_lab

__all__ = ["Gathered", "as_json", "gathered", "write_lab"]
