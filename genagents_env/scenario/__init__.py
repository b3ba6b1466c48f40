"""Scenarios: folders of data, loaded, checked and laid out as a town."""

from genagents_env.scenario.loader import list_scenario_names, load_scenario, validate_folder
from genagents_env.scenario.plan import OUTSIDE, ArenaPlan, Hours, ObjectPlan, SectorPlan, TownPlan
from genagents_env.scenario.profiles import first_memories, list_dated_memories
from genagents_env.scenario.schema import Person, Scenario
from genagents_env.scenario.town import lay_out

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
    "list_dated_memories",
    "list_scenario_names",
    "load_scenario",
    "validate_folder",
]
