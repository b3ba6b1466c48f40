"""How people get past one another, where they are in one another's way."""

from dataclasses import dataclass

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class Crowding:
    """Counts over a run.

    Attributes:
        detours: how often somebody went round another.
        swaps: how often two changed places, since one of them could not go round.
        asides: how often people moved up to let somebody in.
        waited: game seconds for which they had waited who then got past.
    """

    detours: int
    swaps: int
    asides: int
    waited: int


@once_per_run
def compute_crowding(data: RunData) -> Crowding | None:
    """Return the counts; None where people are not in one another's way (`rules.bodies_block`)."""
    if not data.scenario.rules.bodies_block:
        return None
    swaps, asides = data.of_kind("swap"), data.of_kind("aside")
    waited = sum(int(event.data["waited"]) for event in (*swaps, *asides))
    return Crowding(len(data.of_kind("detour")), len(swaps), len(asides), waited)


_OURS = "descriptive; ours"
_RATE = "per agent and game hour"


@measure("Changes of place", _RATE, _OURS)
def swaps(data: RunData) -> float | None:
    """How often two agents of whom one was in the other's way changed places after a wait, per
    agent and game hour. None where people are not in one another's way, and before any time has
    passed.
    """
    found = compute_crowding(data)
    return None if found is None else ratio(found.swaps, data.agent_hours)


@measure("Waiting for others", "seconds per agent and game hour", _OURS)
def waits(data: RunData) -> float | None:
    """Game seconds for which agents had waited when they got past others by a change of place or
    since these moved up, per agent and game hour. None where people are not in one another's way,
    and before any time has passed.
    """
    found = compute_crowding(data)
    return None if found is None else ratio(found.waited, data.agent_hours)
