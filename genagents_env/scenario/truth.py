"""Successes of a scenario as true, false or not known, put together as the scenario says."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from genagents_env.scenario.schema import Success

Truth: TypeAlias = bool | None  # None: not known


def holds(parts: Sequence[Truth], over: Literal["all", "any", "none"]) -> Truth:
    """Return whether all, any or none of `parts` are true; None where an unknown one decides."""
    if over != "all":
        found = holds([None if part is None else not part for part in parts], "all")
        return found if over == "none" or found is None else not found
    if any(part is False for part in parts):
        return False
    return None if None in parts else True


def get_parts(success: Success) -> tuple[Literal["all", "any", "none"], tuple[str, ...]]:
    """Return of which earlier successes one is made, and how."""
    if success.all:
        return "all", success.all
    return ("any", success.any) if success.any else ("none", success.none)
