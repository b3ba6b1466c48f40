"""Scenarios that build on another: `extends = "name"` in scenario.toml.

The base is a shipped scenario, or the folder of that name beside the extending one. Keys that are
not given anew come from the base. Tables are joined key by key; but an empty table (`rules = {}`)
is empty, and `[reward]` with a `name` takes no key of the base's. Lists are replaced. People
replace those of their name, others are added. `extends = { scenario = "name", people = [] }` takes
only these of the base's people, here none, and no casts that name others. A scenario with its own
`sectors` does not use the base's map. Every scenario has its own name.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from genagents_env.scenario.faults import Fault, Origins, list_faults, quote, suggest
from genagents_env.scenario.fields import Model
from genagents_env.scenario.files import Folder, Raw, fold_name, fold_text, read_folder
from genagents_env.scenario.maps.tiled import attach_map
from genagents_env.scenario.sprites import attach_sprites

CHAIN_LIMIT = 8  # folders
_KEY = "extends"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OWN = ("name", "title", "description")

Where: TypeAlias = tuple[str, ...]  # keys, the outermost first


class _Reference(Model):
    """The table `extends`. `people`: who comes along; everybody where it is left out."""

    scenario: Any
    people: list[str] | None = None


def read_whole(path: Path, shipped: Mapping[str, Path]) -> Folder:
    """Read a scenario folder joined with the scenarios it extends.

    Args:
        path: the folder.
        shipped: the folders of the scenarios that come with the package, by name.
    """
    return _read(path, shipped, (path.resolve(),))


def _read(path: Path, shipped: Mapping[str, Path], chain: tuple[Path, ...]) -> Folder:
    folder = read_folder(path)
    attach_map(folder, path)
    attach_sprites(folder, path)
    value = folder.raw.pop(_KEY, None)
    if value is None:
        return folder
    data = value if isinstance(value, dict) else {"scenario": value}
    try:
        reference = _Reference.model_validate(data)
        where = _find(reference.scenario, path, shipped, chain)
    except ValidationError as error:
        faults = list_faults(error, _Reference)
        folder.refuse(Fault((_KEY, *fault.loc), fault.text) for fault in faults)
        return folder
    except LookupError as error:
        folder.refuse([Fault((_KEY,), str(error.args[0]))])
        return folder
    base = _read(where, shipped, (*chain, where.resolve()))
    if reference.people is not None:
        folder.refuse(_drop_people(base, reference.people))
    return _join(base, folder, f"{where.name}/")


def _find(name: object, path: Path, shipped: Mapping[str, Path], chain: tuple[Path, ...]) -> Path:
    """Find the folder of the base.

    Raises:
        LookupError: there is none; its text says why.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise LookupError(f"{quote(name)} is no scenario's name; a name and not a path is wanted")
    where = shipped.get(name, path.resolve().parent / name)
    if not (where / "scenario.toml").is_file():
        near = suggest(name, sorted(shipped))
        raise LookupError(f"no scenario {quote(name)}, shipped or beside this folder; {near}")
    if where.resolve() in chain:
        ring = " -> ".join(quote(folder.name) for folder in (*chain, where.resolve()))
        raise LookupError(f"{ring} goes round; extend a scenario that does not build on this one")
    if len(chain) >= CHAIN_LIMIT:
        raise LookupError(f"more than {CHAIN_LIMIT} scenarios in a row; extend one further down")
    return where


def _drop_people(base: Folder, guests: list[str]) -> list[Fault]:
    """Drop all of the base's people but these, and casts in which others are.

    Returns:
        A fault for each name that the base lacks.
    """
    people, casts = base.raw.get("people"), base.raw.get("casts")
    if not isinstance(people, list):
        return []
    wanted = {fold_text(guest) for guest in guests}
    guests_at = [i for i, person in enumerate(people) if fold_name(person) in wanted]
    names = [person["name"] for person in people if fold_name(person)]
    known = {fold_text(name) for name in names}
    if isinstance(casts, dict):
        base.raw["casts"] = {
            key: cast
            for key, cast in casts.items()
            if not (isinstance(cast, list) and (known - wanted).intersection(map(fold_text, cast)))
        }
    base.raw["people"] = [people[i] for i in guests_at]
    base.origins.people = [base.origins.people[i] for i in guests_at]
    return [
        Fault((_KEY, "people"), f"no person {quote(guest)} there; {suggest(guest, names)}")
        for guest in guests
        if fold_text(guest) not in known
    ]


def _join(base: Folder, own: Folder, prefix: str) -> Folder:
    """Join `own` with `base`, whose files are named with `prefix`."""
    faults = [*own.faults, *(prefix + fault for fault in base.faults)]
    if not base.raw:  # keys that the base has would be reported as missing
        return Folder(faults=faults)
    theirs = {key: value for key, value in base.raw.items() if key not in (*_OWN, "people")}
    has_town = "sectors" in own.raw
    if has_town:
        theirs.pop("map", None)
    reward = own.raw.get("reward")
    if isinstance(reward, dict) and "name" in reward:
        theirs.pop("reward", None)
    raw, taken = _join_tables(theirs, own.raw)
    files = {".".join(path): prefix + base.origins.find_file(path) for path in taken}
    drawn = (own if has_town else base).origins.drawn
    origins = Origins(keys=own.origins.keys | files, drawn=drawn)
    warnings = own.warnings if has_town else [prefix + text for text in base.warnings]
    joined = Folder(raw, origins, faults, warnings)
    _join_people(joined, base, own, prefix)
    return joined


def _join_tables(base: Raw, own: Raw, at: Where = ()) -> tuple[Raw, list[Where]]:
    """Add to `own` the keys of `base` that it lacks, in tables within it too.

    Returns:
        The table, and the paths of the keys from `base`.
    """
    joined, taken = dict(own), list[Where]()
    for key, value in base.items():
        mine = own.get(key)
        if key not in own:
            joined[key] = value
            taken.append((*at, key))
        elif isinstance(mine, dict) and isinstance(value, dict) and mine:
            joined[key], within = _join_tables(value, mine, (*at, key))
            taken += within
    return joined, taken


def _join_people(joined: Folder, base: Folder, own: Folder, prefix: str) -> None:
    theirs, ours = base.raw.get("people", []), own.raw.get("people", [])
    if not isinstance(theirs, list) or not isinstance(ours, list):
        joined.raw["people"], joined.origins.people = ours, own.origins.people
        return
    places = {name: i for i, person in enumerate(theirs) if (name := fold_name(person))}
    people = list(theirs)
    origins = [(prefix + file, key) for file, key in base.origins.people]
    for person, origin in zip(ours, own.origins.people, strict=True):
        place = places.pop(fold_name(person), None)  # of two with one name: a fault, found later
        if place is None:
            people.append(person)
            origins.append(origin)
        else:
            people[place], origins[place] = person, origin
    joined.raw["people"], joined.origins.people = people, origins
