"""Successes of a scenario as true, false or not known, put together as the scenario says."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from genagents_env.scenario.schema import (
    AnswerCheck,
    FactCheck,
    RecordCheck,
    Scenario,
    Success,
    ValueCheck,
)

Truth: TypeAlias = bool | None  # None: not known
Leaf: TypeAlias = tuple[RecordCheck, tuple[str, ...]]  # a check, and whose verdicts count


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


def list_decidable(scenario: Scenario) -> tuple[Success, ...]:
    """Return the successes that are decided while a scenario is lived, without asking anybody."""
    found: dict[str, Success] = {}
    for success in scenario.success:
        if success.check is not None:
            decided = find_leaf(scenario, success) is not None
        else:
            decided = all(part in found for part in get_parts(success)[1])
        if decided:
            found[success.id] = success
    return tuple(found.values())


def find_leaf(scenario: Scenario, success: Success) -> Leaf | None:
    """Return the check of places, things or facts that decides a success, and its people.

    In place of a check of answers it is that of the fact which a knowing answer shows, if the
    question names one. None where there is neither.
    """
    names = tuple(person.name for person in scenario.people)
    check = next((one for one in scenario.checks if one.id == success.check), None)
    if not isinstance(check, AnswerCheck | ValueCheck):
        return None if check is None else (check, success.of or names)
    asked = next((one for one in scenario.questions if one.id == check.question), None)
    if asked is None or asked.fact is None:
        return None
    if isinstance(check, ValueCheck) and success.value is None:
        return None
    heard = FactCheck(kind="fact", id=check.id, fact=asked.fact)
    return heard, success.of or asked.to or names
