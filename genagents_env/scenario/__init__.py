"""Scenarios: folders of data, loaded, checked and laid out as a town."""

from .loader import load_scenario, scenario_names, validate_folder
from .people import first_memories
from .plan import OUTSIDE, ArenaPlan, Hours, ObjectPlan, SectorPlan, TownPlan
from .schema import Person, Scenario
from .town import lay_out

__all__ = [
    "OUTSIDE",
    "ArenaPlan",
    "Hours",
    "ObjectPlan",
    "Person",
    "Scenario",
    "SectorPlan",
    "TownPlan",
    "first_memories",
    "lay_out",
    "load_scenario",
    "scenario_names",
    "validate_folder",
]
