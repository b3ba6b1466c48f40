"""A scenario with other values at some of its paths, checked as a scenario file is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from genagents_env.scenario import Scenario
from genagents_env.scenario.faults import list_faults, quote, suggest
from genagents_env.scenario.loader import check_scenario
from genagents_env.study.sweep.design.factors import Path

EVERY = "*"  # all entries of a list


class PathFault(ValueError):
    """A path that leads nowhere, or a value that is not allowed there; each fault is a line."""


def change_scenario(scenario: Scenario, edits: Mapping[Path, object]) -> Scenario:
    """Return `scenario` with a value at each path.

    A path walks the fields of the schema; an entry of a list is found by its `id` or `name`, and
    `*` is all of them.

    Raises:
        PathFault: a path leads nowhere, or the scenario would have a fault it has not now.
    """
    if not edits:
        return scenario
    data = scenario.model_dump(mode="python")
    faults: list[str] = []
    for path, value in edits.items():
        try:
            _put(scenario, data, path, value)
        except PathFault as fault:
            faults.append(f"{format_path(path)}: {fault}")
    if faults:
        raise PathFault("\n".join(faults))
    try:
        changed = Scenario.model_validate(data)
    except ValidationError as error:
        lines = [
            f"{format_path(tuple(_name_parts(data, one.loc)))}: {one.text}"
            for one in list_faults(error, Scenario)
        ]
        raise PathFault("\n".join(lines)) from None
    found = set(check_scenario(scenario))
    new = [line for line in check_scenario(changed) if line not in found]
    hidden = [line for path in edits for line in _find_hidden(changed, path)]
    if new or hidden:
        raise PathFault("\n".join([*new, *hidden]))
    return changed


def format_path(path: Sequence[str]) -> str:
    """Return a path as a study writes it, names with other characters in quotes."""
    plain = (
        part if part.replace("_", "").isalnum() or part == EVERY else f'"{part}"' for part in path
    )
    return ".".join(plain)


def _name_parts(data: Any, place: Iterable[str | int]) -> Iterator[str]:
    """Yield the parts of a path, entries of a list by their `id` or `name`."""
    for part in place:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):  # a key that is missing, or of a plain value
            data = {}
        is_entry = isinstance(part, int) and isinstance(data, dict)
        yield str((is_entry and (data.get("id") or data.get("name"))) or part)


def _put(whole: object, data: Any, path: Path, value: object) -> None:
    """Set `value` at `path` in the data of `whole`."""
    head, *rest = path
    if isinstance(whole, BaseModel):
        fields = type(whole).model_fields
        if head not in fields:
            raise PathFault(f"no key {quote(head)}; {suggest(head, list(fields))}")
        if not rest:
            data[head] = _freeze(value)
            return
        inner = getattr(whole, head)
        if inner is None or head not in data:
            data[head] = inner.model_dump() if isinstance(inner, BaseModel) else {}
        _put(inner, data[head], tuple(rest), value)
    elif isinstance(whole, tuple) and whole and isinstance(whole[0], BaseModel):
        for at in _find_entries(whole, head):
            if not rest:
                raise PathFault(f"{quote(head)} is a whole entry; name a key of it")
            _put(whole[at], data[at], tuple(rest), value)
    elif isinstance(whole, dict) and not rest:
        data[head] = _freeze(value)
    else:
        raise PathFault(f"there is nothing in it to set by the name {quote(head)}")


def _find_entries(entries: Sequence[BaseModel], name: str) -> list[int]:
    names = [_name(one) for one in entries]
    found = [at for at, own in enumerate(names) if name in (own, EVERY)]
    if not found:
        raise PathFault(f"no {quote(name)} is here; {suggest(name, [own for own in names if own])}")
    return found


def _name(entry: BaseModel) -> str:
    return str(getattr(entry, "id", None) or getattr(entry, "name", None) or "")


def _find_hidden(scenario: Scenario, path: Path) -> Iterator[str]:
    """Yield where a rule that varies is hidden by people's own values."""
    if len(path) != 2 or path[0] != "rules":
        return
    own = [one.name for one in scenario.people if getattr(one, path[1], None) is not None]
    if own:
        yield (
            f"{format_path(path)}: {', '.join(own)} {'has' if len(own) == 1 else 'have'} a value "
            f"of their own, which hides the rule; vary people.*.{path[1]}, or take theirs out"
        )


def _freeze(value: object) -> object:
    return tuple(_freeze(one) for one in value) if isinstance(value, list | tuple) else value
