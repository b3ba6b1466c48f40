"""Reports of one or several runs: tables, figures and a page that holds them all."""

from .study import Study, studied
from .writing import write_report

__all__ = ["Study", "studied", "write_report"]
