"""What a study varies: factors, each with levels, and each level with what it sets in a scenario.

A factor's key is a path: `model`, `policy`, `config.variant`, `rules.vision_radius`,
`facts.party.known_by`, `people."Klaus Mueller".traits`. Any other word names a factor
whose levels are tables of such paths: `[factors.mind] lyfe = { policy = "lyfe" }`.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import ValidationError

from genagents_env.record.rows import encode
from genagents_env.scenario import Scenario
from genagents_env.scenario.faults import list_faults, quote, suggest
from genagents_env.scenario.loader import check_scenario

KeyPath: TypeAlias = tuple[str, ...]
Levels: TypeAlias = dict[str, dict[KeyPath, object]]  # what each sets, by its label

OF_RUN = (
    *("policy", "config", "policy_for", "model", "model_for", "embedder", "scenario", "people"),
    *("place", "start", "hours", "seconds_per_tick", "repeats", "interviews"),
)
TABLES = ("config", "policy_for", "model_for")  # of which a path may set one key
_OF_SCENARIO = (
    *("rules", "people", "facts", "gatherings", "events", "questions", "checks", "success"),
    *("sectors", "reward"),
)
_TEXTS = ("title", "description", "town", "outside")  # of a scenario
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")
EVERY = "*"  # all entries of a list
_LABEL = 40  # characters
_MOST_LEVELS = 100
_LIST = 'a list of values, such as ["a", "b"], or a table of levels with their values'


def parse_factors(value: object) -> dict[str, Levels]:
    """Return the levels of each factor of the table `[factors]`, by the name that tables call it.

    Raises:
        ValueError: something is wrong with it; every fault is a line, `key: what; allowed: ...`.
    """
    if not isinstance(value, dict):
        raise ValueError(f"a table is wanted, in which each factor has {_LIST}")
    faults: list[str] = []
    found: dict[str, Levels] = {}
    for key, levels in value.items():
        try:
            found[key] = _parse_levels(key, levels)
            _check_labels(found[key])
        except ValueError as error:
            faults.append(f"{key}: {error}")
    set_by: dict[KeyPath, str] = {}
    for key, parsed in found.items():
        for path in dict.fromkeys(path for settings in parsed.values() for path in settings):
            if (other := set_by.setdefault(path, key)) != key:
                faults.append(f"{key}: {other} sets {format_path(path)}, too")
    if faults:
        raise ValueError("\n".join(faults))
    return {_name(key, found): levels for key, levels in found.items()}


def split_path(key: str) -> KeyPath:
    """Return the parts of a path, which is written as a dotted key of TOML is, or with a bare `*`.

    Raises:
        ValueError: it is none.
    """
    try:
        inner: object = tomllib.loads(key.replace(".*.", '."*".') + " = 0")
    except tomllib.TOMLDecodeError:
        raise ValueError(
            f'{quote(key)} is no path; write words with dots, names in quotes: people."Ada".traits'
        ) from None
    parts = []
    while isinstance(inner, dict):
        ((part, inner),) = inner.items()
        parts.append(part)
    return tuple(parts)


def _parse_levels(key: str, levels: object) -> Levels:
    if key in OF_RUN or "." in key or '"' in key:
        path = _parse_path(key)
        return {label: {path: value} for label, value in _label_values(levels).items()}
    if key in _OF_SCENARIO:
        raise ValueError(f'a whole table is no value; write a path in quotes, as "{key}.…"')
    if _NAME.fullmatch(key) is None:
        raise ValueError("no name; letters, digits, spaces, _ and - are allowed, a letter first")
    if not isinstance(levels, dict) or not all(isinstance(one, dict) for one in levels.values()):
        raise ValueError(
            'no path, so each of its levels is a table: { policy = "lyfe" }; paths are, for '
            'example, model, "config.variant", "rules.vision_radius"'
        )
    found = {}
    for label, settings in levels.items():
        found[label] = {
            _parse_path(one if "." in one or '"' in one else f'"{one}"'): value
            for one, value in settings.items()
        }
        if not settings:
            raise ValueError(f"{label}: it sets nothing")
    return found


def _parse_path(key: str) -> KeyPath:
    """Return a path that leads somewhere in a run or a scenario, as far as its head says."""
    path = split_path(key)
    whole, parts = (*OF_RUN, *_TEXTS), (*TABLES, *_OF_SCENARIO, *_TEXTS)
    allowed = whole if len(path) == 1 else parts
    if path[0] not in allowed:
        raise ValueError(f"{quote(key)} is no path; {suggest(path[0], allowed)}")
    return path


def _label_values(levels: object) -> dict[str, object]:
    if isinstance(levels, dict):
        return levels
    if not isinstance(levels, list | tuple):
        raise ValueError(f"{_LIST} is wanted")
    found: dict[str, object] = {}
    for value in levels:
        label = encode(value) if isinstance(value, bool) else str(value)[-_LABEL:]
        if isinstance(value, list | dict):
            raise ValueError("a list or table has no label; write { label = value, ... }")
        if label in found:
            raise ValueError(f"{quote(label)} comes twice")
        found[label] = value
    return found


def _check_labels(labels: Collection[str]) -> None:
    if not 1 < len(labels) <= _MOST_LEVELS:
        raise ValueError(f"{len(labels)} levels; 2 to {_MOST_LEVELS} are allowed")
    for label in labels:
        if not label.strip() or len(label) > _LABEL or not label.isprintable():
            raise ValueError(f"{quote(label)} is no label; 1 to {_LABEL} characters are allowed")


def _name(key: str, found: Mapping[str, object]) -> str:
    """Return the last part of a path, or all of it where two factors would have one name."""
    last = {other: split_path(other)[-1] if "." in other else other for other in found}
    return last[key] if list(last.values()).count(last[key]) == 1 else key


class PathFault(ValueError):
    """A path that leads nowhere, or a value that is not allowed there; each fault is a line."""


def change_scenario(scenario: Scenario, edits: Mapping[KeyPath, object]) -> Scenario:
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
            _put(data, path, value)
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
        yield (is_entry and _name_entry(data)) or str(part)


def _put(data: object, path: KeyPath, value: object) -> None:
    """Set `value` at `path`; whether the scenario has such a key is found as it is validated."""
    head, *rest = path
    if isinstance(data, dict):
        if not rest:
            data[head] = _freeze(value)
            return
        if data.get(head) is None:  # a table that is not there, or hidden at its default
            data[head] = {}
        _put(data[head], tuple(rest), value)
    elif isinstance(data, tuple) and data and isinstance(data[0], dict):
        names = [_name_entry(one) for one in data]
        entries = [one for one, own in zip(data, names, strict=True) if head in (own, EVERY)]
        if not entries:
            raise PathFault(f"no {quote(head)} is here; {suggest(head, list(filter(None, names)))}")
        if not rest:
            raise PathFault(f"{quote(head)} is a whole entry; name a key of it")
        for entry in entries:
            _put(entry, tuple(rest), value)
    else:
        raise PathFault(f"there is nothing in it to set by the name {quote(head)}")


def _name_entry(entry: Mapping[str, object]) -> str:
    return str(entry.get("id") or entry.get("name") or "")


def _find_hidden(scenario: Scenario, path: KeyPath) -> Iterator[str]:
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
