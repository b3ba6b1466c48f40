"""The plan of a sweep: its conditions resolved, so that whoever reads it lays out no town."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from genagents_env.errors import FileError
from genagents_env.files import find_inside, read_file
from genagents_env.study.sweep.design.cells import Cell, Condition
from genagents_env.study.sweep.design.experiment import Experiment
from genagents_env.study.sweep.files import write_whole
from genagents_env.study.sweep.origin import PLAN

_MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class Plan:
    """What a sweep is to run.

    Attributes:
        mark: hash of the experiment file and the changes that it was made from.
        host: the machine on which the ledger is, see `ledger`.
        levels: the labels of each factor's levels, by the factor's name.
        seeds: of each condition.
        conditions: every cell, in the order of the experiment.
    """

    mark: str
    host: str
    levels: Mapping[str, tuple[str, ...]]
    seeds: tuple[int, ...]
    conditions: tuple[Condition, ...]


_ADAPTER = TypeAdapter(Plan)


def make_plan(experiment: Experiment, cells: Iterable[Cell], mark: str, host: str) -> Plan:
    """Return the plan of an experiment whose cells have been built."""
    conditions = tuple(cell.condition for cell in cells)
    return Plan(mark, host, experiment.levels, experiment.seed_list, conditions)


def store_plan(folder: Path, plan: Plan) -> None:
    """Write the plan into a sweep's folder."""
    write_whole(folder / PLAN, _ADAPTER.dump_json(plan, indent=1).decode())


def read_plan(folder: Path) -> Plan | None:
    """Return the plan in a sweep's folder; None where there is none that can be read."""
    path = find_inside(folder, PLAN)
    try:
        return _ADAPTER.validate_json(read_file(path, _MOST_BYTES)) if path.is_file() else None
    except (FileError, ValidationError):
        return None
