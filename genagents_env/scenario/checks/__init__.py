"""What the schema cannot see: names, references between the parts, and times.

Each check yields every fault it finds. They assume a scenario that the schema accepts.
"""

from ..faults import Fault
from ..schema import Scenario
from .names import check_names
from .people import check_people
from .places import check_places
from .plot import check_plot
from .questions import check_questions
from .success import check_success
from .view import View

__all__ = ["check"]


def check(scenario: Scenario) -> list[Fault]:
    """Return everything wrong with the scenario, in the order of the file."""
    view = View(scenario)
    checks = (
        check_names,
        check_places,
        check_people,
        check_plot,
        check_questions,
        check_success,
    )
    return [fault for one in checks for fault in one(view)]
