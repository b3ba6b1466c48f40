"""What the schema cannot check: names, references between the parts, and times.

Each check yields every fault it finds. They assume a scenario that the schema accepts.
"""

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.checks.names import check_names
from genagents_env.scenario.checks.people import check_people
from genagents_env.scenario.checks.places import check_places
from genagents_env.scenario.checks.plot import check_plot
from genagents_env.scenario.checks.questions import check_questions
from genagents_env.scenario.checks.success import check_success
from genagents_env.scenario.faults import Fault
from genagents_env.scenario.schema import Scenario

__all__ = ["check"]


def check(scenario: Scenario) -> list[Fault]:
    """Return everything wrong with the scenario, in the order of the file."""
    index = ScenarioIndex(scenario)
    checks = (
        check_names,
        check_places,
        check_people,
        check_plot,
        check_questions,
        check_success,
    )
    return [fault for one in checks for fault in one(index)]
