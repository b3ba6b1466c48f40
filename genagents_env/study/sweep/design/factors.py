"""What a study varies: factors, each with levels, and each level with what it sets.

A factor's key is a path: `model`, `policy`, `config.variant`, `rules.vision_radius`,
`facts.party.known_by`, `people."Klaus Mueller".traits`. Any other word names a factor
whose levels are tables of such paths: `[factors.mind] lyfe = { policy = "lyfe" }`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.record.rows import encode
from genagents_env.scenario.faults import quote

Path: TypeAlias = tuple[str, ...]

OF_RUN = (
    *("policy", "config", "policy_for", "model", "model_for", "embedder", "scenario", "people"),
    *("place", "start", "hours", "seconds_per_tick", "repeats", "interviews"),
)
_TABLES = ("config", "policy_for", "model_for")  # of which a path may set one key
_OF_SCENARIO = (
    *("rules", "people", "facts", "gatherings", "events", "questions", "checks", "success"),
    *("sectors", "reward", "title", "description", "town", "outside"),
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")
_LABEL = 40  # characters
_MOST_LEVELS = 100
_LIST = 'a list of values, such as ["a", "b"], or a table of levels with their values'


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor.

    Attributes:
        name: by which tables call it.
        key: in the file.
        levels: what each sets, by path, by its label; in the order of the file.
    """

    name: str
    key: str
    levels: Mapping[str, Mapping[Path, object]]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its levels."""
        return tuple(self.levels)


def parse_factors(value: object) -> tuple[Factor, ...]:
    """Return the factors of the table `[factors]`.

    Raises:
        ValueError: something is wrong with it; every fault is a line, `key: what; allowed: ...`.
    """
    if not isinstance(value, dict):
        raise ValueError(f"a table is wanted, in which each factor has {_LIST}")
    faults: list[str] = []
    found: dict[str, Mapping[str, Mapping[Path, object]]] = {}
    for key, levels in value.items():
        try:
            pairs = list(_parse_levels(key, levels))
            _check_labels([label for label, _ in pairs])
            found[key] = dict(pairs)
        except ValueError as error:
            faults += [f"{key}: {line}" for line in str(error).splitlines()]
    if faults:
        raise ValueError("\n".join(faults))
    return tuple(Factor(_name(key, found), key, levels) for key, levels in found.items())


def split_path(key: str) -> Path:
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


def is_path(path: Path) -> bool:
    """Return whether a path leads somewhere in a run or a scenario, as far as its head says."""
    head = path[0]
    if len(path) == 1:
        return head in OF_RUN or head in ("title", "description", "town", "outside")
    return head in _OF_SCENARIO or head in _TABLES


def _parse_levels(key: str, levels: object) -> Iterator[tuple[str, Mapping[Path, object]]]:
    if key in OF_RUN or "." in key or '"' in key:
        path = split_path(key)
        if not is_path(path):
            heads = ", ".join(dict.fromkeys((*OF_RUN, *_OF_SCENARIO)))
            raise ValueError(f"no path begins so; allowed: {heads}")
        for label, value in _list_values(levels):
            yield label, {path: value}
        return
    if key in _OF_SCENARIO:
        raise ValueError(f'a whole table is no value; write a path in quotes, as "{key}.…"')
    if _NAME.fullmatch(key) is None:
        raise ValueError("no name; letters, digits, spaces, _ and - are allowed, a letter first")
    if not isinstance(levels, dict):
        raise ValueError(
            'no path, so each of its levels is a table: { policy = "lyfe" }; paths are, for '
            'example, model, "config.variant", "rules.vision_radius"'
        )
    for label, settings in levels.items():
        yield label, dict(_parse_settings(label, settings))


def _parse_settings(label: str, settings: object) -> Iterator[tuple[Path, object]]:
    if not isinstance(settings, dict) or not settings:
        raise ValueError(f'{label}: a table of what it sets is wanted: {{ policy = "lyfe" }}')
    for key, value in settings.items():
        path = split_path(key if "." in key or '"' in key else f'"{key}"')
        if not is_path(path):
            raise ValueError(
                f"{label}: {quote(key)} is no path; allowed: {', '.join(OF_RUN)} or more"
            )
        yield path, value


def _list_values(levels: object) -> Iterator[tuple[str, object]]:
    if isinstance(levels, dict):
        yield from levels.items()
        return
    if not isinstance(levels, list | tuple):
        raise ValueError(f"{_LIST} is wanted")
    for value in levels:
        if isinstance(value, list | dict):
            raise ValueError("a list or table has no label; write { label = value, ... }")
        yield _label(value), value


def _label(value: object) -> str:
    return encode(value) if isinstance(value, bool) else str(value)[-_LABEL:]


def _check_labels(labels: Sequence[str]) -> None:
    if not 1 < len(labels) <= _MOST_LEVELS:
        raise ValueError(f"{len(labels)} levels; 2 to {_MOST_LEVELS} are allowed")
    for at, label in enumerate(labels):
        if not label.strip() or len(label) > _LABEL or not label.isprintable():
            raise ValueError(f"{quote(label)} is no label; 1 to {_LABEL} characters are allowed")
        if label in labels[:at]:
            raise ValueError(f"{quote(label)} comes twice")


def _name(key: str, found: Mapping[str, object]) -> str:
    """Return the last part of a path, or all of it where two factors would have one name."""
    last = {other: split_path(other)[-1] if "." in other else other for other in found}
    return last[key] if list(last.values()).count(last[key]) == 1 else key
