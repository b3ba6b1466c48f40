"""Successes of a scenario as true, false or unknown, combined as the scenario says."""

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
    """Return True if all, any or none of `parts` are true; None if an unknown part decides."""
    if over != "all":
        all_false = holds([None if part is None else not part for part in parts], "all")
        return all_false if over == "none" or all_false is None else not all_false
    if any(part is False for part in parts):
        return False
    return None if None in parts else True


def get_parts(success: Success) -> tuple[Literal["all", "any", "none"], tuple[str, ...]]:
    """Return the earlier successes that make up one, and how they do."""
    if success.all:
        return "all", success.all
    return ("any", success.any) if success.any else ("none", success.none)


def list_decidable(scenario: Scenario) -> tuple[Success, ...]:
    """Return the successes that a run decides by itself, without an interview."""
    decidable: dict[str, Success] = {}
    for success in scenario.success:
        if success.check is not None:
            decided = find_leaf(scenario, success) is not None
        else:
            decided = all(part in decidable for part in get_parts(success)[1])
        if decided:
            decidable[success.id] = success
    return tuple(decidable.values())


def find_leaf(scenario: Scenario, success: Success) -> Leaf | None:
    """Return the check of a place, an object or a fact that decides a success, and its people.

    A check of answers is replaced by that of the fact which a knowing answer shows, if the
    question names one. None if there is neither.
    """
    names = tuple(person.name for person in scenario.people)
    check = next((check for check in scenario.checks if check.id == success.check), None)
    if not isinstance(check, AnswerCheck | ValueCheck):
        return None if check is None else (check, success.of or names)
    asked = next((asked for asked in scenario.questions if asked.id == check.question), None)
    if asked is None or asked.fact is None:
        return None
    if isinstance(check, ValueCheck) and success.value is None:
        return None
    heard = FactCheck(kind="fact", id=check.id, fact=asked.fact)
    return heard, success.of or asked.to or names
