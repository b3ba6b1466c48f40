"""Contradictions between the keys of an experiment file, found whatever other faults it has.

It looks at the data as the file gives it, so that one wrong value does not hide the rest.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias, TypeGuard

from genagents_env.scenario.faults import quote, suggest
from genagents_env.sweep.design.identity import make_slug
from genagents_env.text import clean

TomlTable: TypeAlias = Mapping[str, object]

_FACTORS = (("scenario", "scenarios"), ("people", "casts"), ("model", "models"))


def find_contradictions(raw: TomlTable) -> list[str]:
    """Return every contradiction between keys of `raw`, as `key: what; allowed: ...`."""
    found = [
        *_check_factors(raw),
        *_check_design(raw),
        *_check_arms(raw),
        *_check_runs(raw),
        *_check_baseline(raw),
    ]
    return [clean(line, 1000) for line in found]


def _list_tables(raw: TomlTable, key: str) -> list[TomlTable]:
    value = raw.get(key, [])
    return [item if isinstance(item, dict) else {} for item in value] if _is_list(value) else []


def _is_list(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(value, list | tuple)


def _check_factors(raw: TomlTable) -> Iterator[str]:
    for one, several in _FACTORS:
        if one in raw and several in raw:
            yield f"{several}: {one} is given as well; allowed: one of the two"
        if raw.get("runs") and several in raw:
            yield f"{several}: only with [[arms]]; allowed: {one}, here or in each of the runs"
        values = raw.get(several, [])
        if _is_list(values):
            twice = [value for at, value in enumerate(values) if value in values[:at]]
            yield from (f"{several}: {quote(value)} comes twice" for value in twice[:1])


def _check_design(raw: TomlTable) -> Iterator[str]:
    if bool(raw.get("arms")) == bool(raw.get("runs")):
        both = "both are given" if raw.get("arms") else "there is neither"
        yield f"arms: {both}; allowed: [[arms]] for a grid, or [[runs]] for a list"
    lacking = [run for run in _list_tables(raw, "runs") if "scenario" not in run]
    if "scenario" not in raw and not raw.get("scenarios") and (lacking or not raw.get("runs")):
        yield "scenario: missing; allowed: a name or a folder (or scenarios = [..])"


def _check_arms(raw: TomlTable) -> Iterator[str]:
    seen: dict[str, str] = {}
    for at, arm in enumerate(_list_tables(raw, "arms")):
        name = str(arm.get("name", f"\0{at}"))
        if seen.setdefault(make_slug(name) if "\0" not in name else name, name) != name:
            yield f"arms.{at}.name: {quote(name)} is too like {quote(seen[make_slug(name)])}"
        elif any(name == other.get("name") for other in _list_tables(raw, "arms")[:at]):
            yield f"arms.{at}.name: {quote(name)} comes twice; allowed: each name once"


def _check_runs(raw: TomlTable) -> Iterator[str]:
    seen: list[list[object]] = []
    for at, run in enumerate(_list_tables(raw, "runs")):
        own = [make_slug(str(run.get("name", f"\0{at}")))]
        own += [repr(run.get(key, raw.get(key))) for key, _ in _FACTORS]
        if "name" in run and own in seen:
            yield (
                f"runs.{at}.name: {quote(run['name'])} comes twice with the same scenario, people "
                "and model; allowed: each once"
            )
        seen.append(list(own))


def _check_baseline(raw: TomlTable) -> Iterator[str]:
    baseline = raw.get("baseline")
    names = [str(one.get("name")) for key in ("arms", "runs") for one in _list_tables(raw, key)]
    if isinstance(baseline, str) and names and baseline not in names:
        known = list(dict.fromkeys(names))
        yield f"baseline: no arm {quote(baseline)}; {suggest(baseline, known)}"
