"""Check what the schema cannot: names, references between the parts, and times.

Each check is a function that yields the faults of a scenario whose shape is right.
"""

from genagents_env.scenario.checks.plot import check_plot, list_oddities
from genagents_env.scenario.checks.references import ScenarioIndex, check_references
from genagents_env.scenario.checks.town import check_names, check_people, check_places, check_room
from genagents_env.scenario.checks.verdicts import (
    check_casts,
    check_checks,
    check_questions,
    check_successes,
)
from genagents_env.scenario.faults import Fault
from genagents_env.scenario.schema import Scenario

__all__ = ["check", "check_room", "list_oddities"]

_CHECKS = (
    check_names,
    check_references,
    check_places,
    check_people,
    check_plot,
    check_questions,
    check_checks,
    check_successes,
    check_casts,
)


def check(scenario: Scenario) -> list[Fault]:
    """List every fault of the scenario, those of one part or one person together."""
    index, keys = ScenarioIndex(scenario), list(Scenario.model_fields)
    faults = [fault for find_faults in _CHECKS for fault in find_faults(index)]
    return sorted(faults, key=lambda fault: (keys.index(str(fault.loc[0])), _get_number(fault)))


def _get_number(fault: Fault) -> int:
    number = fault.loc[1] if len(fault.loc) > 1 else 0
    return number if isinstance(number, int) else 0
