"""Building a scenario from raw data even where some of it is at fault.

The schema's errors would hide what is wrong with the references between the parts. So a value at
fault is replaced by one the schema accepts, only to check the rest; such a scenario is never used.
"""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, time

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from genagents_env.scenario.error_messages import list_literals, location, translate
from genagents_env.scenario.faults import Fault, Loc
from genagents_env.scenario.files import Raw
from genagents_env.scenario.schema import Scenario

_ROUNDS = 12
_MANY = 500  # schema faults: so many are reported with suggestions, and replaced to check the rest
_STAND_INS: tuple[object, ...] = (
    datetime(2000, 1, 1),  # noqa: DTZ001 - town time has no zone
    time(12),
    1,
    "00:00-24:00",
    ["placeholder"],
    [{"name": "placeholder"}],
)
_TIMES = ("at", "start", "end", "hours")


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario for checking, None where too little is valid, and what the schema finds wrong.

    `replaced` says which values are not those of the file.
    """

    scenario: Scenario | None
    faults: list[Fault]
    replaced: tuple[Loc, ...] = ()

    @property
    def has_town(self) -> bool:
        """Whether the places are as the file says, so that they can be laid out."""
        return self.scenario is not None and not any(
            loc[0] in ("sectors", "people", "map") and "name" not in loc for loc in self.replaced
        )

    def trusts(self, fault: Fault) -> bool:
        """Return whether a fault of the scenario is one of the file, not of a replacement."""
        return not any(_stems_from(fault.loc, loc) for loc in self.replaced)


def draft(raw: Raw) -> Draft:
    """Return the scenario of `raw`, with the faults that the schema finds in it."""
    data = deepcopy(raw)
    faults: list[Fault] = []
    tries: Counter[Loc] = Counter()
    for _ in range(_ROUNDS):
        try:
            return Draft(Scenario.model_validate(_tuples(data)), faults, tuple(tries))
        except ValidationError as error:
            details = error.errors(include_url=False)
        details = [detail for detail in details if not _is_echo(detail)]
        faults = faults or [translate(detail) for detail in details[:_MANY]]
        if len(details) > _MANY:
            text = f"and {len(details) - _MANY} more faults like these; mend the first ones"
            return Draft(None, [*faults, Fault((), text)])
        if not all(_mend(data, detail, tries) for detail in details):
            break
    return Draft(None, faults)


def _is_echo(detail: ErrorDetails) -> bool:
    """Return whether a list is called too short only because entries of it are at fault."""
    if detail["type"] != "too_short" or not isinstance(detail["input"], tuple):
        return False
    return len(detail["input"]) >= int(detail.get("ctx", {}).get("min_length", 0))


def _mend(data: Raw, detail: ErrorDetails, tries: Counter[Loc]) -> bool:
    """Remove a value at fault, or put the next stand-in there; return whether there was one."""
    loc = location(detail)
    if not loc:
        return False
    parent: object = data
    for part in loc[:-1]:
        parent = _inside(parent, part)
    if not isinstance(parent, dict | list):
        return True  # replaced together with what it was part of
    key, tried = loc[-1], tries[loc]
    tries[loc] += 1
    if isinstance(parent, dict):
        found = parent.pop(key, None)
        if detail["type"] in ("literal_error", "union_tag_not_found", "union_tag_invalid"):
            parent[key] = list_literals(detail)[0]
        elif found is None or tried:
            return _stand_in(parent, key, max(tried - 1, 0), f"placeholder_{len(tries)}")
        return True
    return _stand_in(parent, key, tried, f"placeholder_{len(tries)}")


def _inside(parent: object, part: str | int) -> object:
    if isinstance(parent, dict):
        return parent.get(part)
    return parent[part] if isinstance(parent, list) and isinstance(part, int) else None


def _stand_in(parent: Raw | list[object], key: str | int, number: int, name: str) -> bool:
    values = (name, *_STAND_INS)
    if number >= len(values):
        return False
    if isinstance(parent, dict):
        parent[str(key)] = deepcopy(values[number])
        return True
    if isinstance(key, int) and key < len(parent):
        parent[key] = deepcopy(values[number])
        return True
    return False


def _stems_from(fault: Loc, replaced: Loc) -> bool:
    """Return whether a fault may come from the value that was replaced."""
    key, table = replaced[-1], replaced[:-1]
    if "routine" in table:
        table = table[:-1]  # its entries are compared with each other
    if fault[: len(replaced)] == replaced or replaced in (("sectors",), ("people",)):
        return True
    if replaced[0] == "checks" and key == "kind" and fault[:1] == ("success",):
        return True  # what a success may say depends on the kind of its check
    if key in _TIMES and fault[: len(table)] == table:
        is_place = fault[0] == "people" and fault[-1] == "start"
        return fault[-1] in _TIMES and not is_place
    return (key in ("kind", "about") or replaced == ("reward", "name")) and fault[
        : len(table)
    ] == table


def _tuples(value: object, key: str = "") -> object:
    """Return `value` with every list in it as a tuple, as the strict schema wants them.

    An object that says nothing of its state starts in the first of its states.
    """
    if isinstance(value, dict):
        data = {name: _tuples(item, name) for name, item in value.items()}
        states = data.get("states")
        if key == "objects" and "state" not in data and isinstance(states, tuple) and states:
            data["state"] = states[0]
        return data
    return tuple(_tuples(item, key) for item in value) if isinstance(value, list) else value
